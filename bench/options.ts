import { parseArgs } from 'node:util';
import { type EngineMeasure, engineMeasures } from './docker/measures.ts';
import { measures } from './measures/all.ts';
import type { Measure } from './measures/measure.ts';

export type Options = ClusterOptions | EngineOptions;

export interface ClusterOptions extends CommonOptions {
  readonly docker?: undefined;
  /** undefined: an embedded cluster. */
  readonly kubeconfig: string | undefined;
  readonly kubectl: string;
  readonly measures: readonly Measure[];
}

/** On a Docker Engine that is started for it. */
export interface EngineOptions extends CommonOptions {
  /** The docker to measure against. */
  readonly docker: string;
  readonly measures: readonly EngineMeasure[];
}

interface CommonOptions {
  readonly image: string;
  /** undefined: as many rounds as each measure usually has. */
  readonly runs: number | undefined;
  readonly json: string | undefined;
  readonly svg: string | undefined;
}

const usage = `usage: npm run bench -- [FLAG…]
  --kubeconfig FILE   the cluster; KUBECONFIG if not given
  --embedded          an embedded cluster instead
  --docker            no cluster but a Docker Engine, started for it (root, Debian's docker.io,
                      the images of e2e/cluster/images.sh)
  --image IMAGE       of all pods; busybox:1.36
  --only NAME,NAME    of: ${measures.map(({ name }) => name).join(', ')};
                      with --docker of: ${engineMeasures.map(({ name }) => name).join(', ')}
  --runs N            rounds of each measure, instead of its usual number
  --json FILE         where the report goes
  --svg FILE          where a picture of it goes
KUBECTL and DOCKER name the programs to measure against; those on PATH if they are not set.`;

/** Throws an Error whose message is for a person. */
export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: {
      kubeconfig: text,
      embedded: { type: 'boolean' },
      docker: { type: 'boolean' },
      image: text,
      only: text,
      runs: text,
      json: text,
      svg: text,
    },
  });
  const runs = values.runs === undefined ? undefined : Number(values.runs);
  if (runs !== undefined && !(Number.isInteger(runs) && runs > 0))
    throw new Error(`--runs ${values.runs} is no count\n${usage}`);
  const common = { image: values.image ?? 'busybox:1.36', runs, json: values.json, svg: values.svg };
  if (values.docker) {
    const docker = environment.DOCKER ?? 'docker';
    return { ...common, docker, measures: chosen(engineMeasures, values.only) };
  }
  const kubeconfig = values.kubeconfig ?? environment.KUBECONFIG;
  if (!values.embedded && !kubeconfig) throw new Error(`no cluster is named\n${usage}`);
  return {
    ...common,
    kubeconfig: values.embedded ? undefined : kubeconfig,
    kubectl: environment.KUBECTL ?? 'kubectl',
    measures: chosen(measures, values.only),
  };
}

function chosen<T extends { readonly name: string }>(
  all: readonly T[],
  only: string | undefined,
): readonly T[] {
  if (only === undefined) return all;
  return only.split(',').map((name) => {
    const measure = all.find((one) => one.name === name);
    if (!measure) throw new Error(`there is no measure ${JSON.stringify(name)}\n${usage}`);
    return measure;
  });
}
