import assert from 'node:assert/strict';
import test from 'node:test';
import { withoutRepetition } from '../src/text/hovertext';
import { spacedTables } from '../src/text/markdown';

const head = '`park.Sort`: #1 of 15, psi 0.46, red';
const why = 'Each execution is costly: 66 % of the energy\\_x in <1 % of the calls.';
const table = '|  | energy | time |\n| :-- | --: | --: |\n| self | 9.64 J | 2.63 s |\n| and 2 more |  |  |';
const said = '#1 psi 0.46, 9.64 J: Each execution is costly: 66 % of the energy_x in <1 % of the calls.';

test('the hover leaves out the sentence of the diagnostic that stands above it', () => {
  assert.equal(withoutRepetition(`${head}\n\n${why}\n\n55 calls`, [said]), `${head}\n\n55 calls`);
});

test('without that diagnostic, or with another, the hover has its sentence', () => {
  for (const messages of [[], ['#1 psi 0.46, 9.64 J'], [`${said} And more.`], ['']]) {
    assert.equal(withoutRepetition(`${head}\n\n${why}`, messages), `${head}\n\n${why}`);
  }
});

test('there is room between the columns of a table, and text stays as it is', () => {
  assert.equal(spacedTables(table), '|  | &emsp;energy | &emsp;time |\n| :-- | --: | --: |\n| self | &emsp;9.64 J | &emsp;2.63 s |\n| and 2 more | &emsp; | &emsp; |');
  assert.equal(spacedTables('a \\| b | c'), 'a \\| b | c');
  assert.equal(spacedTables('| a \\| b | c |'), '| a \\| b | &emsp;c |');
});
