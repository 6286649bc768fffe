import { expect, test } from 'vitest';
import { quantity } from '../../src/base/quantity.ts';
import { podSecurityRefusal } from '../../src/embedded/admission/pod-security.ts';
import { quotaRefusal } from '../../src/embedded/admission/quota.ts';
import { mergePatch } from '../../src/embedded/api/merge-patch.ts';
import { fieldMatcher, labelMatcher } from '../../src/embedded/api/selectors.ts';
import { age } from '../../src/embedded/api/tables.ts';
import { targetOf } from '../../src/embedded/api/target.ts';
import { ruleAllows } from '../../src/embedded/auth/rbac.ts';
import { misfit } from '../../src/embedded/controllers/scheduler.ts';
import { kindOf } from '../../src/embedded/faults/kind-of.ts';
import { parseFault } from '../../src/embedded/faults/parse.ts';
import { createFaults } from '../../src/embedded/faults/rules.ts';
import { expand } from '../../src/embedded/kubelet/expansion.ts';
import { mountsBelow } from '../../src/embedded/kubelet/host-tree.ts';
import { imageNameFault } from '../../src/embedded/kubelet/image.ts';
import { capabilitiesOf } from '../../src/embedded/kubelet/privileges.ts';
import { inside, mountTable } from '../../src/embedded/kubelet/root-spec.ts';
import type { KubeObject } from '../../src/embedded/store/object.ts';
import { podOf, podSpecSchema } from '../../src/embedded/store/pod.ts';

const object = (rest: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'one',
    namespace: 'ci',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { containers: [{ name: 'run', image: 'busybox' }] },
  ...rest,
});

test.each([
  ['$(A)', 'one'],
  ['x$(A)$(B)y', 'xonetwoy'],
  ['$(NO)', '$(NO)'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$one'],
  ['$$X $X $ $(', '$X $X $ $('],
  ['$(a$(A)', '$(a$(A)'],
  ['$(A', '$(A'],
])('the reference %s becomes %s', (text, becomes) => {
  expect(expand(text, { A: 'one', B: 'two' })).toBe(becomes);
});

test.each([
  ['a=b', true],
  ['a==b,c=d', true],
  ['a!=b', false],
  ['a in (x, b)', true],
  ['a notin (x,b)', false],
  ['z notin (x)', true],
  ['a', true],
  ['!a', false],
  ['!z,a in (b),c!=e', true],
  ['', true],
])('the label selector %s', (selector, matches) => {
  expect(labelMatcher(selector)({ a: 'b', c: 'd' })).toBe(matches);
});

test('selectors that make no sense are refused', () => {
  expect(() => labelMatcher('a in b')).toThrow(/unable to parse requirement/);
  expect(() => fieldMatcher('spec.secret=1')).toThrow('field label not supported: spec.secret');
  expect(fieldMatcher('metadata.name=one,status.phase!=Failed')(object())).toBe(true);
  expect(fieldMatcher('metadata.name=two')(object())).toBe(false);
});

test('a merge patch replaces, adds and takes away', () => {
  expect(mergePatch({ a: 1, b: { c: 2, d: [1] } }, { b: { c: null, d: [2] }, e: {} })).toEqual({
    a: 1,
    b: { d: [2] },
    e: {},
  });
});

test.each([
  ['/api/v1/namespaces/ci/pods/one/exec', { namespace: 'ci', name: 'one', subresource: 'exec' }],
  ['/apis/batch/v1/namespaces/ci/jobs', { namespace: 'ci', name: '', subresource: '' }],
  ['/api/v1/namespaces/ci', { namespace: undefined, name: 'ci', subresource: '' }],
  ['/api/v1/namespaces/ci/status', { namespace: undefined, name: 'ci', subresource: 'status' }],
  ['/api/v1/pods', { namespace: undefined, name: '', subresource: '' }],
])('the path %s', (path, wanted) => {
  expect(targetOf(path)).toMatchObject(wanted);
});

test.each(['/api/v1/nodes/a/b/c', '/apis/apps/v1/deployments', '/x', '/api/v1/pods/one', '/api/v1/%zz'])(
  'the path %s leads nowhere',
  (path) => {
    expect(targetOf(path)).toBeUndefined();
  },
);

test('an RBAC rule covers subresources only when it names them', () => {
  const wanted = { verb: 'get', group: '', resource: 'pods/exec', name: 'one', namespace: 'ci' };
  const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
  expect(ruleAllows(rule, wanted)).toBe(false);
  expect(ruleAllows({ ...rule, resources: ['pods/exec'] }, wanted)).toBe(true);
  expect(ruleAllows({ ...rule, resources: ['*/exec'] }, wanted)).toBe(true);
  expect(ruleAllows({ ...rule, resources: ['*'], resourceNames: ['two'] }, wanted)).toBe(false);
  expect(ruleAllows({ ...rule, resources: ['*'], verbs: ['create'] }, wanted)).toBe(false);
});

test('kinds of requests are named as fault rules name them', () => {
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  expect(kindOf('POST', jobs)).toBe('create-job');
  expect(kindOf('POST', `${jobs}?dryRun=All`)).toBe('dry-create-job');
  expect(kindOf('DELETE', `${jobs}/x`)).toBe('delete-job');
  expect(kindOf('PATCH', `${jobs}/x`)).toBe('change-job');
  expect(kindOf('GET', '/api/v1/namespaces/default/pods?watch=1')).toBe('watch-pods');
  expect(kindOf('GET', '/api/v1/namespaces/default/pods')).toBe('list-pods');
  expect(kindOf('GET', '/api/v1/namespaces/default/pods/x')).toBe('get-pod');
  expect(kindOf('GET', '/api/v1/namespaces/default/pods/x/exec?command=a')).toBe('exec');
  expect(kindOf('POST', '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies')).toBe(
    'create-networkpolicy',
  );
  expect(kindOf('GET', '/version')).toBe('other');
});

test('faults as text', () => {
  expect(parseFault('answer create-job,get-pod status=429 retry-after=2 times=1 message=too many')).toEqual({
    do: 'answer',
    kind: ['create-job', 'get-pod'],
    status: 429,
    retryAfter: 2,
    times: 1,
    message: 'too many',
  });
  expect(parseFault('cut exec after=1.5s how=rst')).toEqual({
    do: 'cut',
    kind: ['exec'],
    after: 1500,
    how: 'rst',
  });
  expect(parseFault('refuse-pod')).toEqual({ do: 'refuse-pod' });
  for (const bad of ['', 'explode exec', 'answer exec', 'cut exec after=soon', 'delay exec ms=5 colour=red'])
    expect(() => parseFault(bad)).toThrow(/is no fault/);
});

test('a rule skips, applies a number of times, and is over', () => {
  const faults = createFaults([{ do: 'reset', kind: 'exec', skip: 1, times: 2, match: 'one' }]);
  const take = (subject: string): boolean => faults.take(['reset'], 'exec', subject) !== undefined;
  expect(['two', 'one', 'one', 'one', 'one'].map(take)).toEqual([false, false, true, true, false]);
  expect(faults.take(['reset'], 'log', 'one')).toBeUndefined();
});

test('quantities', () => {
  expect(['500m', '1Gi', '2', '1e3', '.5k', 'much', '1Q'].map(quantity)).toEqual([
    0.5,
    2 ** 30,
    2,
    1000,
    500,
    undefined,
    undefined,
  ]);
});

test('a quota refuses in its own words', () => {
  const quota = {
    ...object(),
    metadata: { ...object().metadata, name: 'q' },
    spec: { hard: { pods: '1', 'requests.memory': '1Gi' } },
  };
  const asking = (memory?: string) =>
    podSpecSchema.parse({
      containers: [{ name: 'run', image: 'x', ...(memory && { resources: { requests: { memory } } }) }],
    });
  expect(quotaRefusal(quota, [], asking('512Mi'))).toBeUndefined();
  expect(quotaRefusal(quota, [], asking())).toBe('failed quota: q: must specify requests.memory for: run');
  const running = { ...podOf(object()), spec: asking('512Mi') };
  expect(quotaRefusal(quota, [running], asking('768Mi'))).toBe(
    'exceeded quota: q, requested: pods=1,requests.memory=768Mi, used: pods=1,requests.memory=512Mi, limited: pods=1,requests.memory=1Gi',
  );
});

test('PodSecurity refuses in its own words', () => {
  const plain = podSpecSchema.parse({ containers: [{ name: 'run', image: 'x' }] });
  expect(podSecurityRefusal('baseline', plain)).toBeUndefined();
  expect(podSecurityRefusal('restricted', plain)).toBe(
    'violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "run" must set ' +
      'securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "run" must set ' +
      'securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "run" must set ' +
      'securityContext.runAsNonRoot=true), seccompProfile (pod or container "run" must set ' +
      'securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  );
});

test('what a node cannot take', () => {
  const shape = { name: 'n', labels: { a: 'b' }, cpus: 2, memoryBytes: 2 ** 30 };
  const wants = (spec: object) =>
    podOf(object({ spec: { containers: [{ name: 'run', image: 'x', ...spec }] } }));
  expect(misfit(wants({}), shape, [])).toBeUndefined();
  expect(misfit(wants({ resources: { requests: { cpu: '3' } } }), shape, [])).toBe('Insufficient cpu');
  const half = wants({ resources: { requests: { memory: '600Mi' } } });
  expect(misfit(half, shape, [])).toBeUndefined();
  expect(misfit(half, shape, [half])).toBe('Insufficient memory');
  const picky = podOf(object({ spec: { nodeSelector: { a: 'c' }, containers: [] } }));
  expect(misfit(picky, shape, [])).toBe("node(s) didn't match Pod's node affinity/selector");
});

test('image names', () => {
  for (const good of [
    'busybox',
    'busybox:1.36',
    'a.b/c/d:x',
    'localhost:5000/a@sha256:0123456789abcdef0123456789abcdef',
  ])
    expect(imageNameFault(good)).toBeUndefined();
  for (const bad of ['BUSY/nope:a:b', 'UPPER', 'a:', 'a b'])
    expect(imageNameFault(bad)).toMatch(/invalid reference format/);
});

test('paths in a container cannot lead out of it', () => {
  expect(inside('/../../etc')).toBe('/etc');
  expect(inside('work/')).toBe('/work');
  const odd = { source: '/a b', target: '/c\n/d', type: 'none', options: 'rbind', point: 'folder' } as const;
  expect(mountTable('/root', [odd])).toBe(
    '/root /root none bind,X-mount.mkdir 0 0\n/a\\040b /root/c\\012/d none rbind,X-mount.mkdir 0 0\n',
  );
});

test('capabilities are taken away, and none beyond the usual are given', () => {
  const container = (capabilities: object) =>
    podSpecSchema.parse({ containers: [{ securityContext: { capabilities } }] }).containers[0];
  const of = (capabilities: object): string[] => {
    const one = container(capabilities);
    return one ? capabilitiesOf(one) : [];
  };
  expect(of({ drop: ['ALL'] })).toEqual([]);
  expect(of({ drop: ['ALL'], add: ['CHOWN', 'SYS_ADMIN'] })).toEqual(['chown']);
  expect(of({ drop: ['CAP_NET_RAW'] })).not.toContain('net_raw');
});

test('mounts below a folder, from the kernel’s table', () => {
  const table =
    '1 2 8:1 / / rw - ext4 x rw\n3 1 8:1 / /usr/with\\040space rw - ext4 x rw\n4 1 0:1 / /usrlocal rw - tmpfs x rw\n';
  expect(mountsBelow(table, '/usr')).toEqual(['/usr/with space']);
});

test('ages as kubectl writes them', () => {
  const now = new Date('2026-01-03T12:00:00Z');
  const since = [
    '2026-01-03T11:59:00Z',
    '2026-01-03T11:55:10Z',
    '2026-01-03T10:00:00Z',
    '2026-01-03T06:00:00Z',
    '2026-01-01T00:00:00Z',
  ];
  expect(since.map((one) => age(one, now))).toEqual(['60s', '4m50s', '120m', '6h', '2d']);
});
