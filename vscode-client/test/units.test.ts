import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { change, count, duration, percent, probability, quantity, similarity } from '../src/text/units';

interface Case { value: number; text: string }

const writers: Record<string, (value: number) => string> = {
  joules: (value) => quantity(value, 'J'), milliseconds: duration, shares: (value) => percent(value).replace(/ %$/, ''),
  similarities: similarity, changes: change, probabilities: probability, counts: count,
};

// The server and the command line are written in Go; the extension and the report show the same figures beside them.
const table = JSON.parse(readFileSync('../spell/units/testdata/units.json', 'utf8')) as Record<string, Case[]>;

test('the table of figures has all kinds that are written here, and no other', () => {
  assert.deepEqual(Object.keys(table).sort(), Object.keys(writers).sort());
});

for (const [kind, cases] of Object.entries(table)) {
  test(`${kind} are written as in Go, also where Go and JavaScript round differently`, () => {
    assert.ok(cases.length >= 10);
    assert.deepEqual(cases.map(({ value }) => ({ value, text: writers[kind]?.(value) })), cases);
  });
}
