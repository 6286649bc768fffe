import { list, text, textOr, toggle } from '../flags/flag-definition.ts';
import { clusterGroup, connectionFlags } from './connection-flags.ts';
import { engineFlags } from './engine-flags.ts';
import { podFlags } from './pod-flags.ts';
import { secretFlags, variablesGroup } from './secret-flags.ts';

const what = 'The run';
const goesIn = 'What goes in';
const comesOut = 'What comes out';
const variables = variablesGroup;
const limits = 'Limits (90s, 15m, 2h)';
const how = 'How';

/** The flags of `run`, in the order of the help. */
export const runFlags = {
  name: text(what, 'NAME', 'the name of the run, any text; required'),
  runner: text(what, 'DID', 'who the run is for'),
  'steps-file': text(what, 'FILE', 'the steps, as tab-separated lines: name, script'),
  workflow: text(what, 'FILE', 'the steps, as a workflow.yml; instead of --steps-file'),
  image: textOr('busybox:1.36', what, 'IMAGE', 'the image that the steps run in'),

  workdir: text(goesIn, 'DIR', 'the checkout, sent to /work'),
  files: textOr('all', goesIn, 'all|git', 'all of the checkout, or what git tracks or would'),
  exclude: list(goesIn, 'GLOB', 'leave these out of the checkout'),
  'steps-dir': text(goesIn, 'DIR', 'shared scripts, sent to /steps'),

  outputs: text(comesOut, 'DIR', 'the folder here that /outputs is fetched to'),
  collect: list(comesOut, 'PATH', 'another path of the pod to fetch: /work/dist lands at DIR/work/dist'),
  'outputs-max-size': textOr('10GiB', comesOut, 'SIZE', 'refuse more than this from the pod'),
  'outputs-max-files': textOr('1000000', comesOut, 'N', 'refuse more files than this from the pod'),
  result: text(comesOut, 'FILE', 'the result as JSON; - is standard output'),
  log: text(comesOut, 'FILE', 'the log of all steps; - is standard output'),
  events: text(comesOut, 'FILE', 'one JSON object a line as things happen; - is standard output'),

  env: list(variables, 'K=V', 'a variable for the steps; K alone passes on the one set here'),
  'env-file': list(variables, 'FILE', "variables from a file, in docker's format"),
  ...secretFlags,

  timeout: textOr('6h', limits, 'TIME', 'all steps together'),
  'step-timeout': text(limits, 'TIME', 'each step; none if not given'),
  'ready-timeout': textOr('15m', limits, 'TIME', 'the wait for a node and the image'),
  'orphan-timeout': textOr(
    '10m',
    limits,
    'TIME',
    'how long the pod outlives a runner that died; 2m at least',
  ),
  grace: textOr('5s', limits, 'TIME', 'from asking a step to end to killing it'),

  ...podFlags,

  ...engineFlags,

  ...connectionFlags,
  embedded: toggle(clusterGroup, 'start an embedded cluster for this run; needs no Kubernetes'),

  keep: toggle(how, 'leave the Job, or the container, standing'),
  resume: toggle(how, 'take up the run that a killed runner left: the same command, plus this'),
  'dry-run': toggle(how, 'print what would be made, and every kubectl or docker call; touch nothing'),
  compress: textOr('auto', how, 'auto|gzip|none', 'of the transfers'),
  verbose: toggle(how, 'tell requests and retries on standard error'),
  quiet: toggle(how, 'tell nothing but errors'),
} as const;

export const runAliases = { e: 'env', n: 'namespace', v: 'verbose', q: 'quiet' } as const;
