import { describe, expect, test } from 'vitest';
import { labelDigestOf } from '../../src/executor/kubernetes/object-names.ts';
import { objectName } from '../../src/executor/object-name.ts';

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

describe('the name of a run', () => {
  test.each([
    ['demo'],
    ['My build: main!'],
    ['did:plc:abc/feature/é-🎉'],
    ['---'],
    ['.'],
    [' '],
    ['x'.repeat(500)],
    [`${'a'.repeat(36)}-b`],
    ['\n\t'],
  ])('%j becomes a valid object name, with room for what the Job controller adds', (name) => {
    expect(objectName(name)).toMatch(label);
    expect(objectName(name).length).toBeLessThanOrEqual(63 - '-abcde'.length);
  });

  test('is stable, and different for names that look alike', () => {
    expect(objectName('demo')).toBe(objectName('demo'));
    const names = ['demo', 'Demo', 'demo ', 'demo!', 'dé mo', '-demo-', 'x'.repeat(60), 'x'.repeat(61)];
    expect(new Set(names.map(objectName)).size).toBe(names.length);
  });

  test('a DID becomes a label value that can be selected by', () => {
    for (const did of ['did:plc:abc123', 'did:web:example.com%3A8080', `did:plc:${'x'.repeat(200)}`]) {
      expect(labelDigestOf(did)).toMatch(/^[0-9a-f]{32}$/);
    }
  });
});
