import { parseArgs } from 'node:util';
import { measures } from './measures/all.ts';
import type { Measure } from './measures/measure.ts';

export interface Options {
  /** undefined: an embedded cluster. */
  readonly kubeconfig: string | undefined;
  readonly image: string;
  readonly kubectl: string;
  readonly measures: readonly Measure[];
  /** undefined: as many rounds as each measure usually has. */
  readonly runs: number | undefined;
  readonly json: string | undefined;
  readonly svg: string | undefined;
}

const usage = `usage: npm run bench -- [FLAG…]
  --kubeconfig FILE   the cluster; KUBECONFIG if not given
  --embedded          an embedded cluster instead
  --image IMAGE       of all pods; busybox:1.36
  --only NAME,NAME    of: ${measures.map(({ name }) => name).join(', ')}
  --runs N            rounds of each measure, instead of its usual number
  --json FILE         where the report goes
  --svg FILE          where a picture of it goes
KUBECTL names the kubectl to measure against; the one on PATH if it is not set.`;

/** Throws an Error whose message is for a person. */
export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: {
      kubeconfig: text,
      embedded: { type: 'boolean' },
      image: text,
      only: text,
      runs: text,
      json: text,
      svg: text,
    },
  });
  const kubeconfig = values.kubeconfig ?? environment.KUBECONFIG;
  if (!values.embedded && !kubeconfig) throw new Error(`no cluster is named\n${usage}`);
  const runs = values.runs === undefined ? undefined : Number(values.runs);
  if (runs !== undefined && !(Number.isInteger(runs) && runs > 0))
    throw new Error(`--runs ${values.runs} is no count\n${usage}`);
  return {
    kubeconfig: values.embedded ? undefined : kubeconfig,
    image: values.image ?? 'busybox:1.36',
    kubectl: environment.KUBECTL ?? 'kubectl',
    measures: chosen(values.only),
    runs,
    json: values.json,
    svg: values.svg,
  };
}

function chosen(only: string | undefined): readonly Measure[] {
  if (only === undefined) return measures;
  return only.split(',').map((name) => {
    const measure = measures.find((one) => one.name === name);
    if (!measure) throw new Error(`there is no measure ${JSON.stringify(name)}\n${usage}`);
    return measure;
  });
}
