import { z } from 'zod';
import type { Resource } from '../api/resources.ts';
import { resources } from '../api/resources.ts';
import type { FieldFault } from '../api/status.ts';
import { badRequest, forbidden, invalid } from '../api/status.ts';
import { jobOf, jobSpecSchema } from '../store/job.ts';
import { labelValueFault } from '../store/names.ts';
import type { KubeObject } from '../store/object.ts';
import { podOf, podSpecSchema } from '../store/pod.ts';
import type { Admission } from '../store/registry.ts';
import type { Store } from '../store/store.ts';
import { jobLabels, podDefaults, podSpecDefaults, qosClass, templateMeta } from './defaults.ts';
import { enforceLabel, isPodSecurityLevel, podSecurityRefusal } from './pod-security.ts';
import { quotaRefusal } from './quota.ts';
import { podSpecFaults } from './validate-pod.ts';

/** A refusal that a fault rule asks for; undefined for none. */
export type ForcedRefusal = (resource: Resource, object: KubeObject) => string | undefined;

function parsed<T>(schema: z.ZodType<T>, value: unknown, resource: Resource): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw badRequest(
    `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: ${z.prettifyError(result.error).replace(/\s+/g, ' ')}`,
  );
}

function admitJob(object: KubeObject, found: readonly FieldFault[]): KubeObject {
  const spec = parsed(jobSpecSchema, object.spec ?? {}, resources.jobs);
  const meta = object.metadata;
  const faults = [...found];
  const label = labelValueFault(meta.name);
  if (label) faults.push({ field: 'spec.template.labels', reason: 'FieldValueInvalid', message: label });
  for (const value of Object.values(spec.template.metadata?.labels ?? {})) {
    const message = labelValueFault(value);
    if (message) faults.push({ field: 'spec.template.labels', reason: 'FieldValueInvalid', message });
  }
  faults.push(...podSpecFaults(spec.template.spec, 'spec.template.spec'));
  const policy = spec.template.spec.restartPolicy ?? 'Always';
  if (policy === 'Always')
    faults.push({
      field: 'spec.template.spec.restartPolicy',
      reason: 'FieldValueRequired',
      message: 'Required value: valid values: "OnFailure", "Never"',
    });
  if (faults.length > 0) throw invalid(resources.jobs, meta.name, faults);
  return {
    ...object,
    metadata: { ...meta, labels: { ...meta.labels, ...jobLabels(meta) } },
    spec: {
      ...spec,
      completions: spec.completions ?? 1,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': meta.uid } },
      manualSelector: false,
      template: {
        ...spec.template,
        metadata: templateMeta(spec.template.metadata, meta),
        spec: podSpecDefaults(spec.template.spec),
      },
      completionMode: 'NonIndexed',
    },
    status: {},
  };
}

function admitPod(
  store: Store,
  object: KubeObject,
  found: readonly FieldFault[],
  forced: ForcedRefusal,
): KubeObject {
  const spec = parsed(podSpecSchema, object.spec ?? {}, resources.pods);
  const { name, namespace } = object.metadata;
  const faults = [...found, ...podSpecFaults(spec, 'spec')];
  if (faults.length > 0) throw invalid(resources.pods, name, faults);
  const refuse = (why: string): never => {
    throw forbidden(resources.pods, name, why);
  };
  const asked = forced(resources.pods, object);
  if (asked) refuse(asked);
  const level = store.get(resources.namespaces, undefined, namespace ?? '')?.metadata.labels?.[enforceLabel];
  const insecure = isPodSecurityLevel(level) ? podSecurityRefusal(level, spec) : undefined;
  if (insecure) refuse(insecure);
  const pods = store.list(resources.pods, namespace).map(podOf);
  for (const quota of store.list(resources.resourceQuotas, namespace)) {
    const why = quotaRefusal(quota, pods, spec);
    if (why) refuse(why);
  }
  return { ...object, spec: podDefaults(spec), status: { phase: 'Pending', qosClass: qosClass(spec) } };
}

/** Defaults, validation and refusals of each kind. */
export function createAdmission(store: Store, forced: ForcedRefusal): Admission {
  return (resource, object, faults) => {
    if (resource === resources.jobs) return admitJob(object, faults);
    if (resource === resources.pods) return admitPod(store, object, faults, forced);
    if (faults.length > 0) throw invalid(resource, object.metadata.name, faults);
    if (resource === resources.namespaces)
      return {
        ...object,
        metadata: {
          ...object.metadata,
          labels: { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name },
          // Holds it until it is empty.
          finalizers: ['kubernetes'],
        },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      };
    return object;
  };
}

/** What the warning header of a Job's answer says, where its pods will be refused. */
export function jobWarning(store: Store, object: KubeObject): string | undefined {
  const job = jobOf(object);
  const level = store.get(resources.namespaces, undefined, job.metadata.namespace ?? '')?.metadata.labels?.[
    enforceLabel
  ];
  return isPodSecurityLevel(level)
    ? podSecurityRefusal(level, job.spec.template.spec)?.replace('violates', 'would violate')
    : undefined;
}
