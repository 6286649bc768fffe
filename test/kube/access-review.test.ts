import { describe, expect, it } from 'vitest';
import { RunnerError } from '../../src/base/errors.ts';
import { grants, missingRights, type Right, rightName } from '../../src/kube/access-review.ts';
import type { ApiCall, KubeApi } from '../../src/kube/kube-api.ts';

const createJobs: Right = { verb: 'create', group: 'batch', resource: 'jobs' };
const createExec: Right = { verb: 'create', group: '', resource: 'pods', subresource: 'exec' };
const getPods: Right = { verb: 'get', group: '', resource: 'pods' };

const rule = (verbs: string[], apiGroups: string[], resources: string[], resourceNames: string[] = []) => ({
  verbs,
  apiGroups,
  resources,
  resourceNames,
});

function answering(answer: (call: ApiCall) => unknown): { api: KubeApi; calls: ApiCall[] } {
  const calls: ApiCall[] = [];
  const api: KubeApi = {
    server: 'https://a',
    namespace: 'ci',
    request: async (call, schema) => {
      calls.push(call);
      return schema.parse(answer(call));
    },
    watch: async function* () {},
    exec: () => Promise.reject(new Error('not here')),
    [Symbol.asyncDispose]: async () => {},
  };
  return { api, calls };
}

describe('a rule', () => {
  it.each([
    [rule(['*'], ['*'], ['*']), createExec, true],
    [rule(['create'], [''], ['pods/exec']), createExec, true],
    [rule(['create'], [''], ['*/exec']), createExec, true],
    [rule(['create'], [''], ['pods']), createExec, false],
    [rule(['create'], [''], ['pods/exec']), getPods, false],
    [rule(['get'], [''], ['pods', 'pods/exec']), createExec, false],
    [rule(['create'], ['apps'], ['jobs']), createJobs, false],
    [rule(['create'], ['batch', 'apps'], ['cronjobs', 'jobs']), createJobs, true],
    [rule(['create'], ['batch'], ['jobs'], ['only-this']), createJobs, false],
  ])('%j', (given, right, expected) => {
    expect(grants(given, right)).toBe(expected);
  });
});

describe('missingRights', () => {
  it('asks one question where the rules show all', async () => {
    const { api, calls } = answering(() => ({ status: { resourceRules: [rule(['*'], ['*'], ['*'])] } }));
    expect(await missingRights(api, 'ci', [createJobs, createExec, getPods])).toEqual([]);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      body: { kind: 'SelfSubjectRulesReview', spec: { namespace: 'ci' } },
    });
  });

  it('asks for each right that the rules do not show', async () => {
    const { api, calls } = answering((call) =>
      call.path.endsWith('rulesreviews')
        ? { status: { resourceRules: [rule(['create'], ['batch'], ['jobs'])], incomplete: true } }
        : { status: { allowed: JSON.stringify(call.body).includes('"exec"') } },
    );
    expect(await missingRights(api, 'ci', [createJobs, createExec, getPods])).toEqual([getPods]);
    expect(calls).toHaveLength(3);
    expect(calls[1]?.body).toMatchObject({
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          namespace: 'ci',
          verb: 'create',
          group: '',
          resource: 'pods',
          subresource: 'exec',
        },
      },
    });
  });

  it('finds nothing missing where the server answers no such questions', async () => {
    const { api } = answering(() => {
      throw new RunnerError('Forbidden', 'no reviews here');
    });
    expect(await missingRights(api, 'ci', [createJobs])).toEqual([]);
  });

  it('hands on any other failure', async () => {
    const { api } = answering(() => {
      throw new RunnerError('Unauthorized', 'who are you');
    });
    await expect(missingRights(api, 'ci', [createJobs])).rejects.toMatchObject({ code: 'Unauthorized' });
  });
});

it('rights have names for messages', () => {
  expect([createJobs, createExec, getPods].map(rightName)).toEqual([
    'create jobs.batch',
    'create pods/exec',
    'get pods',
  ]);
});
