import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { duration, quantity, similarity } from '../src/text/units';

interface Case { value: number; text: string }

// The server, the command line and the explanations are written in Go: the extension and
// the report stand beside them and show the same figures.
test('amounts are written as in Go, also where Go and JavaScript round differently', () => {
  const table = JSON.parse(readFileSync('../spell/units/testdata/units.json', 'utf8')) as { joules: Case[]; milliseconds: Case[]; similarities: Case[] };
  assert.ok(table.joules.length > 20 && table.milliseconds.length > 10 && table.similarities.length > 5);
  assert.deepEqual(table.joules.map(({ value }) => ({ value, text: quantity(value, 'J') })), table.joules);
  assert.deepEqual(table.similarities.map(({ value }) => ({ value, text: similarity(value) })), table.similarities);
  assert.deepEqual(table.milliseconds.map(({ value }) => ({ value, text: duration(value) })), table.milliseconds);
});
