import { expect, test } from 'vitest';
import { z } from 'zod';
import { eventSchema } from '../../src/run/event-schema.ts';
import { resultSchema } from '../../src/run/result-schema.ts';

test('both schemas can be published as JSON Schema', () => {
  expect(z.toJSONSchema(resultSchema)).toMatchObject({ type: 'object', additionalProperties: false });
  expect(z.toJSONSchema(eventSchema)).toHaveProperty('anyOf');
});

test('a log event holds text or base64, never both', () => {
  const event = { time: '2026-01-01T00:00:00.000Z', type: 'log', step: 'build' };
  expect(eventSchema.safeParse({ ...event, text: 'a' }).success).toBe(true);
  expect(eventSchema.safeParse({ ...event, base64: '/w==' }).success).toBe(true);
  expect(eventSchema.safeParse({ ...event, text: 'a', base64: '/w==' }).success).toBe(false);
  expect(eventSchema.safeParse(event).success).toBe(false);
});
