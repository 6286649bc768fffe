import assert from 'node:assert/strict';
import test from 'node:test';
import { countWords } from '../src/count-words.mjs';

test('counts words whatever their case', () => {
  assert.deepEqual(countWords('The cat and the dog'), [
    ['the', 2],
    ['and', 1],
    ['cat', 1],
    ['dog', 1],
  ]);
});

test('knows letters of any script', () => {
  assert.deepEqual(countWords('été, ÉTÉ; привет'), [
    ['été', 2],
    ['привет', 1],
  ]);
});

test('finds nothing in an empty text', () => {
  assert.deepEqual(countWords(''), []);
});
