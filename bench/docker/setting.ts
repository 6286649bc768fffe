import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { dockerExecutorOn, engineAt } from '../../e2e/contract/docker-executor.ts';
import { startDockerEngine } from '../../e2e/docker/docker-engine.ts';
import { kitImages, kitImagesFolder } from '../../e2e/docker/kit-images.ts';
import { systemClock } from '../../src/base/clock.ts';
import { AsyncDisposables } from '../async-disposables.ts';
import { runChild } from '../child.ts';
import type { EngineOptions } from '../options.ts';
import { performAll } from '../perform.ts';
import type { Report } from '../report.ts';

export interface EngineSetting {
  readonly options: EngineOptions;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** All the measures, on a Docker Engine that is there only for them. */
export async function measuredOnEngine({ options, signal, progress }: EngineSetting): Promise<Report> {
  await using toEnd = new AsyncDisposables();
  const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });
  const scratch = toEnd.adopt(await mkdtemp(join(tmpdir(), 'knotless-bench-')), removeFolder);
  const archives = await kitImages(kitImagesFolder(process.env), [options.image]);
  const engine = toEnd.adopt(await startDockerEngine(archives), (one) => one[Symbol.asyncDispose]());
  const connected = toEnd.adopt(await engineAt(engine.url, () => {}), (one) => one[Symbol.asyncDispose]());
  const measured = await performAll(
    {
      image: options.image,
      folder: async (name: string) => {
        const folder = join(scratch, name);
        await mkdir(folder);
        return folder;
      },
      executor: dockerExecutorOn(connected, {}),
      docker: (...words) => runChild([options.docker, '-H', engine.url, ...words], { signal }),
      clock: systemClock(),
      signal,
      rounds: (usual) => options.runs ?? usual,
      progress,
    },
    options.measures,
  );
  const { runtime, docker } = await versions(options.docker, engine.url);
  return {
    ...measured,
    cluster: { version: engine.name, runtime, image: options.image },
    kubectl: docker,
  };
}

const versionSchema = z.object({
  Client: z.object({ Version: z.string() }),
  Server: z.object({ Components: z.array(z.object({ Name: z.string(), Version: z.string() })) }),
});

async function versions(docker: string, url: string): Promise<{ runtime: string; docker: string }> {
  const { stdout } = await promisify(execFile)(docker, ['-H', url, 'version', '--format', '{{json .}}']);
  const { Client: client, Server: server } = versionSchema.parse(JSON.parse(stdout));
  const containerd = server.Components.find(({ Name }) => Name === 'containerd')?.Version ?? '';
  return { runtime: `containerd://${containerd}`, docker: `docker ${client.Version}` };
}
