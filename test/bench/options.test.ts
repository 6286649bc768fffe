import { expect, it } from 'vitest';
import { readOptions } from '../../bench/options.ts';

it('measures all on the cluster of KUBECONFIG', () => {
  const options = readOptions([], { KUBECONFIG: '/a/config' });
  expect(options).toMatchObject({ kubeconfig: '/a/config', kubectl: 'kubectl', runs: undefined });
  expect(options.measures.length).toBeGreaterThan(8);
});

it('can be cut', () => {
  const options = readOptions(['--embedded', '--only', 'cancel,steps', '--runs', '2'], {
    KUBECONFIG: '/a/config',
  });
  expect(options).toMatchObject({ kubeconfig: undefined });
  expect(options.measures.map(({ name }) => name)).toEqual(['cancel', 'steps']);
  expect(options.runs).toBe(2);
});

it('needs no cluster for an engine', () => {
  const options = readOptions(['--docker', '--only', 'files-200mb'], { DOCKER: '/a/docker' });
  expect(options).toMatchObject({ docker: '/a/docker', measures: [{ name: 'files-200mb' }] });
  expect(() => readOptions(['--docker', '--only', 'cancel'], {})).toThrow('there is no measure "cancel"');
});

it.each([
  [['--only', 'nothing'], 'there is no measure "nothing"'],
  [['--runs', 'many'], '--runs many is no count'],
  [['--runs', '0'], '--runs 0 is no count'],
])('refuses %j', (argv, message) => {
  expect(() => readOptions(argv, { KUBECONFIG: '/a/config' })).toThrow(message);
});

it('refuses to guess a cluster', () => {
  expect(() => readOptions([], {})).toThrow('no cluster is named');
});
