import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { schemaFiles, staleSchemas } from '../../scripts/published-schemas.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What an editor does: YAML with its own types, against the published schema. */
function isValid(yaml: string): boolean {
  const schema = JSON.parse(schemaFiles().get('schema/workflow.schema.json') ?? '');
  return z.fromJSONSchema(schema).safeParse(parse(yaml)).success;
}

test('the published schemas are those of the code', async () => {
  expect(await staleSchemas(root)).toEqual([]);
});

test('a schema that is missing is stale', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'schemas-'));
  try {
    expect(await staleSchemas(folder)).toHaveLength(4);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('no schema names an address that is not ours', () => {
  for (const content of schemaFiles().values()) {
    const { $schema, ...rest } = JSON.parse(content);
    expect($schema).toBe('http://json-schema.org/draft-07/schema#');
    expect(JSON.stringify(rest)).not.toMatch(/\$id|https?:/);
  }
});

const steps = 'steps: [{name: a, command: true, always: true}]';

test.each(['yes', '3.10', '0755', '1e3', '2024-01-01', 'null', '""'])(
  'an editor accepts %s as a value',
  (value) => {
    expect(isValid(`environment: {X: ${value}}\n${steps}`)).toBe(true);
  },
);

test('an editor accepts amounts and limits', () => {
  expect(isValid(`timeout: 15m\nresources: {cpu: 2, memory: 1Gi}\nsecrets: [TOKEN]\n${steps}`)).toBe(true);
});

test.each([
  'comand: x',
  'timeout: 5',
  'environment: {A-B: x}',
  'environment: {A: [x]}',
  'secrets: [a.b]',
  'resources: {gpu: 1}',
])('an editor marks %s', (line) => {
  expect(isValid(`${line}\n${steps}`)).toBe(false);
});
