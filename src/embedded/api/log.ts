import { readLog } from '../kubelet/container-log.ts';
import { podOf } from '../store/pod.ts';
import type { ApiContext, ApiRequest, ApiResponse } from './context.ts';
import { containerNamed } from './pod-target.ts';
import { badRequest } from './status.ts';
import type { Target } from './target.ts';

const isTrue = (value: string | null): boolean => value === '1' || value === 'true';

/** Answers GET …/pods/NAME/log. */
export function handleLog(
  context: ApiContext,
  { resource, namespace, name }: Target,
  request: ApiRequest,
): ApiResponse {
  const { query, signal } = request;
  const object = context.registry.get(resource, namespace, name);
  const container = containerNamed(object, query.get('container'));
  const pod = podOf(object);
  if (!pod.spec.nodeName) return { code: 200, text: '' };
  const log = context.kubelet.worker(object)?.log(container);
  if (isTrue(query.get('previous')))
    throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  if (!log) {
    const status = pod.status.containerStatuses?.find((one) => one.name === container);
    const reason = status?.state.waiting?.reason ?? 'ContainerCreating';
    const pulling = reason === 'ErrImagePull' || reason === 'ImagePullBackOff';
    const why = pulling ? 'trying and failing to pull image' : reason;
    throw badRequest(`container "${container}" in pod "${name}" is waiting to start: ${why}`);
  }
  const number = (key: string): number | undefined => {
    const text = query.get(key);
    return text === null ? undefined : Number(text);
  };
  const seconds = number('sinceSeconds');
  const since = query.get('sinceTime');
  const stream = readLog(
    log,
    {
      follow: isTrue(query.get('follow')),
      timestamps: isTrue(query.get('timestamps')),
      tailLines: number('tailLines'),
      limitBytes: number('limitBytes'),
      since: since
        ? new Date(since)
        : seconds
          ? new Date(context.clock.date().getTime() - seconds * 1000)
          : undefined,
    },
    signal,
  );
  return { code: 200, type: 'text/plain', stream };
}
