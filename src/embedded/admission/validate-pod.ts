import { quantity } from '../../base/quantity.ts';
import type { FieldFault } from '../api/status.ts';
import type { Container, PodSpec } from '../store/pod.ts';

const required = (field: string, message = 'Required value'): FieldFault => ({
  field,
  reason: 'FieldValueRequired',
  message,
});

function containerFaults(container: Container, path: string, volumes: ReadonlySet<string>): FieldFault[] {
  const faults: FieldFault[] = [];
  if (container.name === '') faults.push(required(`${path}.name`));
  if (container.image === '') faults.push(required(`${path}.image`));
  container.volumeMounts?.forEach((mount, index) => {
    if (volumes.has(mount.name)) return;
    const field = `${path}.volumeMounts[${index}].name`;
    faults.push({ field, reason: 'FieldValueInvalid', message: `Not found: "${mount.name}"` });
  });
  const { requests = {}, limits = {} } = container.resources ?? {};
  for (const [name, asked] of Object.entries(requests)) {
    const limit = limits[name];
    const [low, high] = [quantity(asked), limit === undefined ? undefined : quantity(limit)];
    if (low === undefined || high === undefined || low <= high) continue;
    faults.push({
      field: `${path}.resources.requests`,
      reason: 'FieldValueInvalid',
      message: `Invalid value: "${asked}": must be less than or equal to ${name} limit of ${limit}`,
    });
  }
  return faults;
}

/** What is wrong with a pod's spec, as the API names it, below `path` (`spec`, `spec.template.spec`). */
export function podSpecFaults(spec: PodSpec, path: string): FieldFault[] {
  const faults: FieldFault[] = [];
  const volumes = new Set(spec.volumes?.map((volume) => volume.name));
  if (spec.containers.length === 0) faults.push(required(`${path}.containers`));
  spec.containers.forEach((container, index) => {
    faults.push(...containerFaults(container, `${path}.containers[${index}]`, volumes));
  });
  if (spec.initContainers?.length)
    faults.push({
      field: `${path}.initContainers`,
      reason: 'FieldValueForbidden',
      message: 'Forbidden: the embedded cluster runs no init containers',
    });
  return faults;
}
