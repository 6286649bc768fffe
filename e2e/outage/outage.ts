// The API of a cluster of one's own is away for minutes in mid-step: see README.md beside this file.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import { resultSchema } from '../../src/run/result-schema.ts';
import { start } from '../../test/cli/built-command.ts';
import { ClusterView } from '../contract/cluster-view.ts';
import { ApiServer } from './api-server.ts';

const { values } = parseArgs({
  options: {
    cluster: { type: 'string' },
    seconds: { type: 'string', default: '150' },
    how: { type: 'string', default: 'restart' },
    transport: { type: 'string', default: 'api' },
  },
});
if (!values.cluster)
  throw new Error(
    'usage: npm run outage -- --cluster FOLDER [--seconds N] [--how restart|pause] [--transport api|kubectl]',
  );
const seconds = Number(values.seconds);
const server = new ApiServer(values.cluster);
const view = new ClusterView(server.kubeconfig);
const isReady = (): Promise<boolean> =>
  view.core.listNamespace().then(
    () => true,
    () => false,
  );
const repository = fileURLToPath(new URL('../..', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'knotless-outage-'));
const at = (name: string): string => join(folder, name);
const known = await readFile(server.tokens, 'utf8');
const lines = 2 * (seconds + 60);

try {
  await renew();
  await (await server.end(isReady))(); // so that it knows the first token
  await writeKubeconfig();
  const counting = `i=0; while [ $i -lt ${lines} ]; do i=$((i+1)); echo "line $i"; sleep 0.5; done`;
  await writeFile(
    at('steps.tsv'),
    `count\techo x >>/outputs/ran; ${counting}\nafter\techo after; cat /outputs/ran\n`,
  );
  const running = start(
    [
      ...[
        process.execPath,
        join(repository, 'scripts/run-ts.mjs'),
        join(repository, 'src/cli/main.ts'),
        'run',
      ],
      ...['--name', folder, '--kubeconfig', at('kubeconfig'), '--transport', values.transport],
      ...[
        '--steps-file',
        at('steps.tsv'),
        '--outputs',
        at('out'),
        '--log',
        at('log'),
        '--result',
        at('result'),
      ],
    ],
    { cwd: folder },
  );
  await running.says('line 10\n');
  const began = performance.now();
  console.log(
    `${values.how}: the API is away from now on, for ${seconds} s; a new token takes the place of the old`,
  );
  const back = values.how === 'pause' ? await server.pause() : await server.end(isReady);
  await delay((seconds / 2) * 1000);
  if (values.how !== 'pause') await renew();
  await delay((seconds / 2) * 1000);
  await back();
  console.log(`it is back after ${Math.round((performance.now() - began) / 1000)} s`);
  const { code, stderr } = await running.ended;
  const result = resultSchema.parse(JSON.parse(await readFile(at('result'), 'utf8')));
  const log = await readFile(at('log'), 'utf8');
  const [count, after] = result.steps.map(({ log: part }) =>
    log.slice(part?.offset, (part?.offset ?? 0) + (part?.bytes ?? 0)),
  );
  const left = await view.objectsOf('default', result.job?.name ?? '');
  const figures = {
    'exit code': code,
    status: result.status,
    'log is whole':
      count === Array.from({ length: lines }, (_, line) => `line ${line + 1}\n`).join('') &&
      after === 'after\nx\n',
    'outputs are whole': result.outputs?.complete === true && result.outputs.files === 1,
    'objects left': left.jobs.length + left.pods.length + left.policies.length,
    'seconds in all': Math.round(result.durationMs / 1000),
  };
  console.log(figures, result.warnings, stderr);
  const isWell =
    code === 0 && figures['log is whole'] && figures['outputs are whole'] && figures['objects left'] === 0;
  process.exitCode = isWell ? 0 : 1;
} finally {
  await writeFile(server.tokens, known);
  await rm(folder, { recursive: true, force: true });
}

/** A token that the API server knows from its next start on, where only this one is known of the runner. */
async function renew(): Promise<void> {
  const token = randomBytes(24).toString('hex');
  await writeFile(server.tokens, `${known}${token},outage-runner,outage-runner,"system:masters"\n`);
  await writeFile(at('token'), token, { mode: 0o600 });
}

/** The cluster's own, with the token in a file beside it. */
async function writeKubeconfig(): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error('the kubeconfig names no cluster');
  const user = { name: 'runner', user: { tokenFile: at('token') } };
  const own = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'own',
    clusters: [
      { name: 'own', cluster: { server: cluster.server, 'certificate-authority-data': cluster.caData } },
    ],
    users: [user],
    contexts: [{ name: 'own', context: { cluster: 'own', user: 'runner', namespace: 'default' } }],
  };
  await writeFile(at('kubeconfig'), JSON.stringify(own));
}
