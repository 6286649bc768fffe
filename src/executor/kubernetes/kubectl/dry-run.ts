import { rulesReview } from '../../../kube/access-review.ts';
import type { OpenRequest } from '../../executor.ts';
import { objectName } from '../../object-name.ts';
import { execOf, type Program, stepsPurpose } from '../../step-protocol/programs.ts';
import { containerName, jobManifest } from '../job-manifest.ts';
import { networkPolicy } from '../network-policy.ts';
import { selectorOfRun } from '../object-names.ts';
import { paths } from '../object-paths.ts';
import type { PodSettings } from '../pod-settings.ts';
import { deleteOptions } from '../remove-run.ts';
import {
  execCall,
  type KubectlCall,
  type KubectlScope,
  namespaceCall,
  requestCall,
  watchCall,
} from './kubectl-call.ts';

export interface DryRunOptions extends KubectlScope {
  readonly request: OpenRequest;
  readonly pod: PodSettings;
  /** Asked of the kubeconfig where it is undefined. */
  readonly namespace: string | undefined;
  readonly steps: number;
  /** Whether a checkout or shared steps are sent. */
  readonly sends: boolean;
  /** Whether outputs are fetched. */
  readonly fetches: boolean;
}

export interface PlannedCall extends KubectlCall {
  /** For a person: what it is for. */
  readonly purpose: string;
}

/** What only the cluster can tell. */
const unknown = { namespace: 'default', pod: 'POD', podUid: 'POD-UID', jobUid: 'JOB-UID' } as const;

/** Every call that the kubectl transport makes for a run in which nothing goes wrong, in their order. Pure. */
export function plannedCalls(options: DryRunOptions): readonly PlannedCall[] {
  const { request, pod: settings } = options;
  const namespace = options.namespace ?? unknown.namespace;
  const name = objectName(request.run.name);
  const network = settings.network;
  const ofRun = selectorOfRun(request.run.id);
  const events = (kind: string, of: string) => ({
    fieldSelector: `involvedObject.kind=${kind},involvedObject.name=${of}`,
  });
  const call = (purpose: string, made: KubectlCall): PlannedCall => ({ purpose, ...made });
  const watch = (purpose: string, path: string, query: Record<string, string>): PlannedCall =>
    call(purpose, watchCall(options, { path, query }));
  const exec = (purpose: string, program: Program): PlannedCall =>
    call(
      purpose,
      execCall(options, { namespace, pod: unknown.pod, container: containerName, command: execOf(program) }),
    );
  const policy = (): PlannedCall[] =>
    network === 'open'
      ? []
      : [
          call(
            'create the NetworkPolicy',
            requestCall(options, {
              method: 'POST',
              path: paths.networkPolicies(namespace),
              body: networkPolicy(request.run, namespace, network, {
                name: unknown.pod,
                uid: unknown.podUid,
              }),
            }),
          ),
        ];
  return [
    ...(options.namespace === undefined ? [call('ask for the namespace', namespaceCall(options))] : []),
    call('ask what this user may do', requestCall(options, rulesReview(namespace))),
    call('ask for the version', requestCall(options, { method: 'GET', path: '/version' })),
    watch('watch for the pod', paths.pods(namespace), ofRun),
    watch('watch the Job', paths.jobs(namespace), ofRun),
    watch("watch the Job's events", paths.events(namespace), events('Job', name)),
    call(
      'create the Job',
      requestCall(options, {
        method: 'POST',
        path: paths.jobs(namespace),
        body: jobManifest(request, settings, namespace),
      }),
    ),
    watch("watch the pod's events", paths.events(namespace), events('Pod', unknown.pod)),
    exec('greet the pod, renew its lease, stop steps', 'control'),
    ...policy(),
    exec(stepsPurpose(options.steps), 'step'),
    ...(options.sends ? [exec('unpack checkout and shared steps', 'receive')] : []),
    ...(options.fetches ? [exec('pack the outputs', 'send')] : []),
    ...(request.keep ? [] : removal(options, namespace, name, ofRun)),
  ];
}

function removal(
  options: DryRunOptions,
  namespace: string,
  name: string,
  ofRun: Record<string, string>,
): PlannedCall[] {
  const job = paths.job(namespace, name);
  const policy = requestCall(options, { method: 'DELETE', path: paths.networkPolicy(namespace, name) });
  return [
    { purpose: 'see that the Job is still this run', ...requestCall(options, { method: 'GET', path: job }) },
    {
      purpose: 'delete the Job',
      ...requestCall(options, { method: 'DELETE', path: job, body: deleteOptions(unknown.jobUid) }),
    },
    {
      purpose: 'see that the pod is gone',
      ...requestCall(options, { method: 'GET', path: paths.pods(namespace), query: ofRun }),
    },
    ...(options.pod.network === 'open' ? [] : [{ purpose: 'delete the NetworkPolicy', ...policy }]),
  ];
}

/** The plan as text: the manifest first, then one line a call. Holds no secret: none is in a manifest or a call. */
export function dryRunText(
  options: DryRunOptions,
  program: string,
  toYaml: (value: unknown) => string,
): string {
  const calls = plannedCalls(options);
  const isJob = (call: PlannedCall): boolean => call.purpose === 'create the Job';
  const manifest = toYaml(calls.find(isJob)?.body).trimEnd();
  const lines = calls.map((call) => {
    const input =
      call.body === undefined
        ? ''
        : isJob(call)
          ? ' < the manifest above, as JSON'
          : ` <<< ${quoted(JSON.stringify(call.body))}`;
    return `# ${call.purpose}\n${[program, ...call.argv].map(quoted).join(' ')}${input}\n`;
  });
  return `# Nothing was sent. This is the manifest of the run's Job:\n${manifest}\n\n# and these are the calls, in order:\n${lines.join('')}`;
}

const quoted = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
