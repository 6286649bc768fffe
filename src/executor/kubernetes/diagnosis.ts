import { RunnerError } from '../../base/errors.ts';
import type { Word } from '../word-watch.ts';
import { containerName } from './job-manifest.ts';
import type { EventObject, JobObject, PodObject } from './objects.ts';
import { diagnoseEnd, lacksProgram } from './pod-end.ts';
import { waitingWord } from './waiting-word.ts';

/** What the cluster shows of a run. */
export interface Sighting {
  readonly job: JobObject | undefined;
  readonly pod: PodObject | undefined;
  /** Of the Job and the pod, oldest first. */
  readonly events: readonly EventObject[];
  /** How long the newest word has stood unchanged, in milliseconds. */
  readonly unchangedMs: number;
}

export type Diagnosis =
  | { readonly kind: 'waiting'; readonly word: Word }
  | { readonly kind: 'running' }
  /** The run cannot go on; the error says why in the cluster's own words. */
  | { readonly kind: 'over'; readonly error: RunnerError };

/** An image that cannot be pulled now may be there in a moment: a registry restarts, a limit is lifted. */
const pullPatienceMs = 60_000;
/** A Secret or ConfigMap may be made a moment after the pod. */
const configPatienceMs = 20_000;
/** The autoscaler looks again every ten seconds; after this long its no is a no. */
const scaleUpPatienceMs = 120_000;

/** Reads the run's state from its objects. Pure. */
export function diagnose({ job, pod, events, unchangedMs }: Sighting): Diagnosis {
  const end = diagnoseEnd(job, pod);
  if (end) return { kind: 'over', error: end };
  const status = pod?.status?.containerStatuses?.find(({ name }) => name === containerName);
  if (status?.state?.running || started(pod, events)) return { kind: 'running' };
  const word = waitingWord(pod, events);
  const hopeless = hopelessWord(word, unchangedMs);
  return hopeless ? { kind: 'over', error: hopeless } : { kind: 'waiting', word };
}

/** The kubelet's event comes up to a second before it puts the same into the pod's status. */
const started = (pod: PodObject | undefined, events: readonly EventObject[]): boolean =>
  pod !== undefined &&
  events.some(
    ({ reason, involvedObject }) =>
      reason === 'Started' && involvedObject.fieldPath === `spec.containers{${containerName}}`,
  );

function hopelessWord({ reason, message }: Word, unchangedMs: number): RunnerError | undefined {
  switch (reason) {
    case 'InvalidImageName':
      return new RunnerError('InvalidImage', `the image's name is invalid: ${message}`);
    case 'ErrImageNeverPull':
      return new RunnerError(
        'ImagePull',
        `the image is not on the node, and --pull never forbids to pull it: ${message}`,
      );
    case 'ErrImagePull':
    case 'ImagePullBackOff':
    case 'ImageInspectError':
    case 'RegistryUnavailable':
    case 'SignatureValidationFailed':
      if (unchangedMs < pullPatienceMs) return undefined;
      return new RunnerError('ImagePull', `the image cannot be pulled: ${message}`);
    case 'CreateContainerConfigError':
      if (unchangedMs < configPatienceMs) return undefined;
      return new RunnerError('ContainerConfig', `the container cannot be configured: ${message}`);
    case 'CreateContainerError':
    case 'RunContainerError':
      return new RunnerError(
        lacksProgram(message) ? 'UnsuitableImage' : 'ContainerConfig',
        `the container cannot be started: ${message}`,
      );
    case 'FailedCreate':
      return refusedPod(message);
    case 'NotTriggerScaleUp':
      if (unchangedMs < scaleUpPatienceMs) return undefined;
      return new RunnerError('Unschedulable', `no node will come for this pod: ${message}`);
    default:
      return undefined;
  }
}

/** The Job controller could not make the pod. A quota may have room later; the others never change their mind. */
function refusedPod(message: string): RunnerError | undefined {
  if (message.includes('exceeded quota')) {
    if (!neverFits(message)) return undefined;
    return new RunnerError('QuotaExceeded', `the namespace's quota can never hold this pod: ${message}`);
  }
  if (/failed quota|must specify/.test(message)) {
    return new RunnerError(
      'QuotaExceeded',
      `the namespace's quota asks for --cpu or --memory to be set: ${message}`,
    );
  }
  if (message.includes('violates PodSecurity')) {
    return new RunnerError(
      'AdmissionRejected',
      `the namespace's PodSecurity level refuses the pod; --profile restricted may help: ${message}`,
    );
  }
  if (/is forbidden|denied the request|is invalid|Invalid value/.test(message)) {
    return new RunnerError('AdmissionRejected', `the cluster refuses the pod: ${message}`);
  }
  return undefined;
}

/** "requested: pods=1,requests.cpu=2, used: pods=3, limited: pods=10": whether a request alone is over its limit. */
function neverFits(message: string): boolean {
  const part = (name: string): Map<string, string> =>
    new Map(
      (new RegExp(`${name}: ([^ ]+)`).exec(message)?.[1] ?? '')
        .split(',')
        .map((pair) => pair.split('='))
        .map(([key = '', value = '']) => [key, value]),
    );
  const limits = part('limited');
  return [...part('requested')].some(([key, value]) => {
    const limit = limits.get(key);
    return limit !== undefined && /^\d+$/.test(value) && /^\d+$/.test(limit) && Number(value) > Number(limit);
  });
}
