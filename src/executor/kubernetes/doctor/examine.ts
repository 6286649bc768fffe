import type { Clock } from '../../../base/clock.ts';
import type { ExecProtocol, KubeApi } from '../../../kube/kube-api.ts';
import type { Executor, OpenRequest } from '../../executor.ts';
import { jobManifest } from '../job-manifest.ts';
import type { PodSettings } from '../pod-settings.ts';
import { checkJob, checkPod } from './admission-checks.ts';
import { checkCapacity } from './capacity-checks.ts';
import { type Check, skipped } from './check.ts';
import { clockCheck } from './clock-check.ts';
import { checkCredentials, type KnownExpiry } from './credential-check.ts';
import { checkExec } from './exec-checks.ts';
import { checkRightsOfCommands } from './rights-checks.ts';
import { checkServer } from './server-checks.ts';

export interface Examination {
  readonly api: KubeApi;
  /** Absent where the transport keeps its credentials to itself. */
  readonly expiry: ((signal: AbortSignal) => Promise<KnownExpiry>) | undefined;
  /** A run that could be: nothing is made of it, but by `exec`. */
  readonly request: OpenRequest;
  readonly pod: PodSettings;
  /** Makes a Job, tries exec in its pod by these sub-protocols, and deletes it. */
  readonly exec: { readonly executor: Executor; readonly protocols: readonly ExecProtocol[] } | undefined;
  readonly clock: Clock;
  readonly trace: (message: string) => void;
  readonly signal: AbortSignal;
}

/** What this cluster lets the caller do, one check after another. Leaves nothing behind. */
export async function examine(examination: Examination): Promise<readonly Check[]> {
  const { api, expiry, request, clock, pod, signal } = examination;
  const server = await checkServer(api, clock, signal);
  const { minor } = server;
  if (minor === undefined)
    return [...server.checks, skipped('the rest', 'the server gave no answer, skipped')];
  const { readyMs, stepsMs } = request.limits;
  const when = { now: clock.date(), longestRunMs: readyMs + stepsMs };
  const credentials = await checkCredentials(api, expiry, when, signal);
  const known = [...server.checks, credentials.check];
  if (credentials.check.result === 'failed')
    return [...known, skipped('the rest', 'the credentials are refused, skipped')];
  const network = pod.network !== 'open';
  const rights = await checkRightsOfCommands({ api, minor, network, user: credentials.user, signal });
  return [...known, ...rights, ...(await checkRun(examination))];
}

async function checkRun(examination: Examination): Promise<readonly Check[]> {
  const { api, request, pod, exec, clock, signal } = examination;
  const manifest = jobManifest(request, pod, api.namespace);
  const before = clock.date();
  const { check, job } = await checkJob(api, manifest, signal);
  const stamp = job?.metadata.creationTimestamp;
  const clocks = clockCheck({ before, after: clock.date(), stamp });
  const podCheck = await checkPod(api, manifest, signal);
  const capacity = await checkCapacity(api, signal);
  const trial = exec && check.result === 'ok' ? await checkExec({ ...examination, ...exec }) : [];
  return [check, podCheck, ...capacity, clocks, ...trial];
}
