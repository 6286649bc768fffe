import type { RunnerError } from '../../base/errors.ts';
import { messageOf } from '../../base/errors.ts';
import { WordWatch } from '../word-watch.ts';
import { readJob } from './create-job.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';
import { followObjects } from './follow-objects.ts';
import { listPods } from './list-pods.ts';
import { annotations, selectorOfRun } from './object-names.ts';
import { paths } from './object-paths.ts';
import {
  type EventObject,
  eventSchema,
  type JobObject,
  jobSchema,
  type PodObject,
  podSchema,
} from './objects.ts';
import { diagnoseEnd } from './pod-end.ts';
import { relevantEvents } from './relevant-events.ts';
import type { RunTarget } from './run-target.ts';

/** Between seeing a pod leave and its Job saying why. */
const secondLookMs = 500;

export interface AskedToEnd {
  readonly by: string;
  /** Of the Job. */
  readonly uid: string;
  /** Aborted when the monitor ends. */
  readonly signal: AbortSignal;
}

/**
 * Keeps an eye on the one pod of a run, from before its Job is created until it is gone: what it waits for,
 * when it runs, why it ended. Bound to the first pod that the run's Job made; another one is never used.
 */
export class PodMonitor implements AsyncDisposable {
  readonly #target: RunTarget;
  readonly #cancelled: (asked: AskedToEnd) => void;
  readonly #end = new AbortController();
  readonly #lost = new AbortController();
  readonly #following: Promise<unknown>[] = [];
  readonly #events = new Map<string, readonly EventObject[]>();
  readonly #words: WordWatch;
  readonly #waiters = new Set<() => void>();
  #job: JobObject | undefined;
  /** As the cluster last showed it. */
  #shownJob: JobObject | undefined;
  #pods: readonly PodObject[] = [];
  #pod: PodObject | undefined;
  #diagnosis: Diagnosis | undefined;
  #ending = false;
  #isCancelled = false;
  readonly #heard = new AbortController();

  /** `cancelled` hears, once, that somebody asks for the end of the run. */
  constructor(target: RunTarget, cancelled: (asked: AskedToEnd) => void) {
    this.#target = target;
    this.#cancelled = cancelled;
    this.#words = new WordWatch(target.clock, target.observer);
    const ofRun = selectorOfRun(target.runId);
    this.#follow(paths.pods(target.namespace), ofRun, podSchema, (pods) => this.#seePods(pods));
    this.#follow(paths.jobs(target.namespace), ofRun, jobSchema, ([job]) => this.#seeJobs(job));
    this.#followEvents('Job', target.name);
  }

  /** Aborted with the error that tells why, once the run's pod has ended. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get pod(): PodObject | undefined {
    return this.#pod;
  }

  /** Why the pod does not run yet, for a message. */
  get lastWord(): string {
    return this.#words.last;
  }

  /** Tells whose pods to look at. Before that, none counts. */
  bind(job: JobObject): void {
    this.#job = job;
    this.#look();
  }

  /** Resolves to the pod once its container runs; rejects with why it never will. */
  async running(signal: AbortSignal): Promise<PodObject> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#diagnosis?.kind === 'over') throw this.#diagnosis.error;
      if (this.#diagnosis?.kind === 'running' && this.#pod) {
        this.#heard.abort(new Error('the pod runs'));
        return this.#pod;
      }
      await this.#change(signal);
    }
  }

  /** From here on the pod's end is what is wanted: it is neither looked into nor told. */
  expectEnd(): void {
    this.#ending = true;
    this.#heard.abort(new Error('the run is over'));
  }

  /** Resolves once no pod of the run is seen any more, or nobody looks. */
  async gone(signal: AbortSignal): Promise<void> {
    while (this.#pods.length > 0 && !this.#end.signal.aborted) await this.#change(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error('the run is over'));
    await Promise.all(this.#following);
  }

  #follow<T extends { readonly metadata: { readonly uid: string } }>(
    path: string,
    query: Readonly<Record<string, string>>,
    schema: Parameters<typeof followObjects<T>>[1]['schema'],
    changed: (objects: readonly T[]) => void,
    signal = this.#end.signal,
  ): void {
    const { api, clock, observer } = this.#target;
    const trace = (message: string): void => observer.trace(message);
    this.#following.push(followObjects(api, { path, query, schema, clock, signal, trace, changed }));
  }

  #followEvents(kind: 'Job' | 'Pod', name: string): void {
    const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
    const path = paths.events(this.#target.namespace);
    const changed = (events: readonly EventObject[]): void => {
      this.#events.set(kind, events);
      this.#look();
    };
    const signal = AbortSignal.any([this.#end.signal, this.#heard.signal]);
    this.#follow(path, { fieldSelector }, eventSchema, changed, signal);
  }

  /** Tells of what is said on the Job, and of its end where it has no pod, for want of quota say. */
  #seeJobs(job: JobObject | undefined): void {
    if (job) this.#shownJob = job;
    if (!this.#job || !this.#shownJob) return;
    this.#job = job ?? gone(this.#shownJob);
    this.#look();
  }

  #seePods(pods: readonly PodObject[]): void {
    this.#pods = pods;
    this.#look();
  }

  #look(): void {
    if (this.#job && !this.#lost.signal.aborted) this.#diagnose(this.#job);
    for (const wake of [...this.#waiters]) wake();
  }

  #diagnose(job: JobObject): void {
    const bound = this.#pod;
    const ours = this.#pods.filter(({ metadata }) =>
      metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid),
    );
    const seen = bound ? ours.find(({ metadata }) => metadata.uid === bound.metadata.uid) : ours[0];
    if (bound && !seen) this.#pod = gone(bound);
    else this.#pod = seen;
    if (!bound && seen) this.#followEvents('Pod', seen.metadata.name);
    const events = relevantEvents([...this.#events.values()].flat(), [
      job.metadata.uid,
      this.#pod?.metadata.uid,
    ]);
    const diagnosis = diagnose({ job, pod: this.#pod, events, unchangedMs: this.#words.unchangedMs });
    this.#diagnosis = diagnosis;
    if (diagnosis.kind !== 'over') this.#tellCancel(job);
    this.#words.see(diagnosis.kind === 'waiting' ? diagnosis.word : undefined);
    if (diagnosis.kind === 'over' && !this.#ending) {
      this.#ending = true;
      this.#tellEnd(diagnosis.error).catch(() => {});
    }
  }

  #tellCancel({ metadata }: JobObject): void {
    const by = metadata.annotations?.[annotations.cancelledBy];
    if (by === undefined || this.#isCancelled || this.#ending) return;
    this.#isCancelled = true;
    this.#cancelled({ by, uid: metadata.uid, signal: this.#end.signal });
  }

  /** The Job knows better than the pod why it ended: a deadline, or somebody who deleted the Job. */
  async #tellEnd(first: RunnerError): Promise<void> {
    let error = first;
    for (const pause of [0, secondLookMs]) {
      if (first.code !== 'PodDeleted' && first.code !== 'PodFailed') break;
      await this.#target.clock.sleep(pause, this.#end.signal);
      try {
        const job = await this.#readOwnJob(this.#end.signal);
        if (first.code === 'PodFailed') await this.#readPods(this.#end.signal);
        error = diagnoseEnd(job, this.#pod) ?? error;
      } catch (thrown) {
        this.#target.observer.trace(`reading why the pod ended failed: ${messageOf(thrown)}`);
      }
      if (error.code === 'DeadlineExceeded' || error.code === 'Cancelled') break;
    }
    this.#diagnosis = { kind: 'over', error };
    this.#lost.abort(error);
    for (const wake of [...this.#waiters]) wake();
  }

  /** The Job may tell that it failed before the watch of its pod does that somebody deleted that. */
  async #readPods(signal: AbortSignal): Promise<void> {
    this.#seePods(await listPods(this.#target, signal));
  }

  /** The Job as it is now. Once it is gone, as it was last shown: it may have said why. */
  async #readOwnJob(signal: AbortSignal): Promise<JobObject> {
    const job = await readJob(this.#target, signal);
    if (job?.metadata.annotations?.[annotations.id] === this.#target.runId) return job;
    return gone(this.#shownJob ?? { metadata: { name: this.#target.name, uid: '' } });
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        this.#waiters.delete(done);
        signal.removeEventListener('abort', done);
        if (signal.aborted) reject(signal.reason);
        else resolve();
      };
      this.#waiters.add(done);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }
}

/** What is no longer shown was deleted, even if nobody saw it leave. */
const gone = <T extends JobObject | PodObject>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: object.metadata.deletionTimestamp ?? 'gone' },
});
