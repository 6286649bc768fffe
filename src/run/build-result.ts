import type { Reason, RunResult } from './result-schema.ts';
import type { ClosedRun } from './run-states.ts';

/** The result of a run whose place is closed, masked. */
export function buildResult(run: ClosedRun): RunResult {
  const { context, ended, steps, outputs } = run;
  const { request, identity, reporter, phases } = context;
  const text = (value: string): string => reporter.text(value);
  return {
    schemaVersion: 1,
    run: {
      id: identity.id,
      name: text(identity.name),
      runner: identity.runner === undefined ? null : text(identity.runner),
      image: text(request.image),
    },
    status: ended?.status ?? 'success',
    reason: ended && { code: ended.reason.code, message: text(ended.reason.message) },
    ...phases.finish(),
    steps: [...steps],
    ...placeOf(run),
    outputs,
    warnings: reporter.warnings,
  };
}

function placeOf({ place: closed, context }: ClosedRun): Pick<RunResult, 'job' | 'container'> {
  if (closed === null) {
    return { job: null, container: null };
  }
  const { place, kept, deleted } = closed;
  const text = (value: string): string => context.reporter.text(value);
  if (place.kind === 'container') {
    return { job: null, container: { id: place.id, name: text(place.name), kept, deleted } };
  }
  const { namespace, name, uid, pod, node } = place;
  const job = {
    namespace: text(namespace),
    name: text(name),
    uid,
    pod: pod === null ? null : text(pod),
    node: node === null ? null : text(node),
    kept,
    deleted,
  };
  return { job, container: null };
}

/** Trouble after the run was judged: a passed run must not pass, another one keeps what ended it first. */
export function withTrouble(result: RunResult, reason: Reason): RunResult {
  return result.status === 'success'
    ? { ...result, status: 'error', reason }
    : { ...result, warnings: [...result.warnings, reason.message] };
}
