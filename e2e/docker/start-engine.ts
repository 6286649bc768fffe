import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { type EngineCommand, EngineProcess } from './engine-process.ts';
import { EngineView } from './engine-view.ts';

interface EngineHome {
  /** By which it is spoken to. */
  readonly url: string;
  /** The path of a file or folder in the folder of all that it keeps. */
  readonly at: (name: string) => string;
}

interface EngineKind extends Pick<Engine, 'tellsOfMemory' | 'takesContainersAlong'> {
  /** `docker`, for files and folders. */
  readonly kind: string;
  /** Its configuration, not the machine's. */
  readonly configuration: { readonly file: string; readonly text: (folder: string) => string };
  readonly command: (home: EngineHome) => Pick<EngineCommand, 'argv' | 'environment'>;
  readonly name: (version: string) => string;
  /** Whether it writes down what it is asked, bodies too. */
  readonly recordsBodies: boolean;
}

/** An engine of this kind that holds the images of these archives, with all it keeps in a folder of its own. */
export async function startEngine(
  { kind, configuration, command, name, recordsBodies, ...traits }: EngineKind,
  archives: readonly string[],
): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), `knotless-${kind}-`));
  const at = (file: string): string => join(folder, file);
  const socket = at(`${kind}.sock`);
  const url = `unix://${socket}`;
  const log = at(`${kind}.log`);
  const view = new EngineView(socket);
  await writeFile(at(configuration.file), configuration.text(folder));
  const answers = (): Promise<boolean> => view.isUp();
  const engine = new EngineProcess({ ...command({ url, at }), folder, log, answers });
  const end = async (): Promise<void> => {
    await view.clear().catch(() => {}); // it may be down already
    await engine.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await engine.start();
    for (const archive of archives) await view.load(archive);
    return {
      name: name(await view.version()),
      url,
      view,
      record: recordsBodies ? log : undefined,
      ...traits,
      async restart() {
        await engine.stop();
        await engine.start();
      },
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}
