import { describe, expect, test } from 'vitest';
import { admissionFix } from '../../src/executor/kubernetes/doctor/admission-checks.ts';
import { nodesCheck, quotaCheck } from '../../src/executor/kubernetes/doctor/capacity-checks.ts';
import { clockCheck } from '../../src/executor/kubernetes/doctor/clock-check.ts';
import { expiryCheck } from '../../src/executor/kubernetes/doctor/credential-check.ts';
import { rightCheck } from '../../src/executor/kubernetes/doctor/rights-checks.ts';
import { versionCheck } from '../../src/executor/kubernetes/doctor/server-checks.ts';
import { rightsOfCommands } from '../../src/executor/kubernetes/rights.ts';
import { rightName } from '../../src/kube/access-review.ts';

const at = (time: string): Date => new Date(`2026-01-01T${time}Z`);

test.each([
  ['v1.36.3', '36', 'ok'],
  ['v1.30.1-eks', '30+', 'ok'],
  ['v1.28.9', '28', 'warning'],
])('version %s', (git, minor, result) => {
  expect(versionCheck(git, minor)).toMatchObject({ result, detail: expect.stringContaining(git) });
});

describe('credentials', () => {
  const hour = 3_600_000;
  test.each([
    ['kubectl keeps them', undefined, 'ok'],
    ['no end', null, 'ok'],
    ['renewed by themselves', { at: at('00:00:01'), renewable: true }, 'ok'],
    ['far off', { at: at('03:00:00'), renewable: false }, 'ok'],
    ['before a long run would end', { at: at('00:30:00'), renewable: false }, 'warning'],
    ['over', { at: at('00:00:00'), renewable: false }, 'failed'],
  ])('%s', (_, known, result) => {
    expect(expiryCheck('accepted as ada', known, at('00:00:00'), hour)).toMatchObject({
      result,
      detail: expect.stringContaining('accepted as ada'),
    });
  });
});

describe('rights', () => {
  const needs = (network: boolean, minor: number): Record<string, readonly string[]> =>
    Object.fromEntries(
      rightsOfCommands(network, minor).map(({ right, commands }) => [rightName(right), commands]),
    );

  test('each is told once, with the commands that need it', () => {
    expect(needs(true, 36)).toMatchObject({
      'delete jobs.batch': ['run', 'cancel', 'prune'],
      'patch jobs.batch': ['cancel'],
      'create pods/exec': ['run', 'attach'],
      'create networkpolicies.networking.k8s.io': ['run'],
    });
  });

  test('those that are not needed are not asked for', () => {
    expect(needs(true, 34)).not.toHaveProperty('create pods/exec');
    expect(needs(false, 36)).not.toHaveProperty('create networkpolicies.networking.k8s.io');
  });

  test.each([
    [
      'system:serviceaccount:ci:runner',
      'kubectl create role knotless-patch-jobs -n ci --verb=patch --resource=jobs.batch && kubectl create rolebinding knotless-patch-jobs -n ci --role=knotless-patch-jobs --serviceaccount=ci:runner',
    ],
    ["o'hara", expect.stringContaining("--user='o'\\''hara'")],
    [undefined, expect.stringContaining('--user=USER')],
  ])('what is missing for %s is told with the commands that grant it', (user, fix) => {
    const right = { verb: 'patch', group: 'batch', resource: 'jobs' };
    expect(rightCheck({ right, commands: ['cancel'] }, true, 'ci', user)).toEqual({
      name: 'patch jobs.batch',
      result: 'failed',
      detail: 'not permitted; needed by cancel in the namespace ci',
      fix,
    });
    expect(rightCheck({ right, commands: ['cancel'] }, false, 'ci', user)).toMatchObject({ result: 'ok' });
  });
});

test.each([
  ['pods "x" is forbidden: violates PodSecurity "restricted:latest"', '--profile restricted'],
  ['exceeded quota: q, requested: pods=1', '--cpu'],
  ['failed quota: q: must specify limits.memory', '--memory'],
  ['error looking up service account ci/x: serviceaccount "x" not found', '--service-account'],
  ['maximum memory usage per Container is 1Gi, but limit is 2Gi', 'LimitRange'],
])('%s is answered by %s', (message, flag) => {
  expect(admissionFix(message)).toContain(flag);
});

describe('room', () => {
  const quota = (hard: Record<string, string>, used: Record<string, string>) => ({
    metadata: { name: 'q' },
    status: { hard, used },
  });
  test.each([
    ['none', [], 'ok', 'none in this namespace'],
    ['some left', [quota({ pods: '10' }, { pods: '3' })], 'ok', 'q: pods 3 of 10'],
    [
      'as much used as there is',
      [quota({ pods: '10' }, { pods: '10' })],
      'warning',
      'used up: q: pods 10 of 10',
    ],
    ['quantities', [quota({ 'limits.memory': '4Gi' }, { 'limits.memory': '4Gi' })], 'warning', '4Gi of 4Gi'],
    ['more than there is', [quota({ pods: '1' }, { pods: '2' })], 'warning', '2 of 1'],
  ])('quota: %s', (_, quotas, result, detail) => {
    expect(quotaCheck(quotas)).toMatchObject({ result, detail: expect.stringContaining(detail) });
  });

  const node = (ready: string, unschedulable = false) => ({
    metadata: { name: 'n' },
    spec: { unschedulable },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  });
  test.each([
    ['none', [], 'warning', '0 of 0 ready'],
    ['one of three', [node('True'), node('False'), node('True', true)], 'ok', '1 of 3 ready'],
  ])('nodes: %s', (_, nodes, result, detail) => {
    expect(nodesCheck(nodes)).toMatchObject({ result, detail: expect.stringContaining(detail) });
  });
});

test.each([
  ['the same second', '12:00:00', 'ok', 'no difference'],
  ['a little ahead', '12:00:04', 'ok', '3 s behind'],
  ['ahead', '12:01:01', 'warning', "this machine's clock is 60 s behind the server's"],
  ['behind', '11:58:59', 'warning', "this machine's clock is 60 s ahead of the server's"],
  ['an hour', '13:00:01', 'failed', '3600 s behind'],
])("a server's clock: %s", (_, time, result, detail) => {
  const stamped = { before: at('12:00:00'), after: at('12:00:01'), stamp: `2026-01-01T${time}Z` };
  expect(clockCheck(stamped)).toMatchObject({ result, detail: expect.stringContaining(detail) });
  expect(clockCheck({ ...stamped, stamp: undefined }).result).toBe('skipped');
});
