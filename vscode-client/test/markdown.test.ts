import assert from 'node:assert/strict';
import test from 'node:test';
import { spacedTables } from '../src/text/markdown';

test('there is room between the columns of a table, and text stays as it is', () => {
  const table = '|  | energy | time |\n| :-- | --: | --: |\n| self | 9.64 J | 2.63 s |\n| and 2 more |  |  |';
  assert.equal(spacedTables(table), '|  | &emsp;energy | &emsp;time |\n| :-- | --: | --: |\n| self | &emsp;9.64 J | &emsp;2.63 s |\n| and 2 more | &emsp; | &emsp; |');
  assert.equal(spacedTables('a \\| b | c'), 'a \\| b | c');
  assert.equal(spacedTables('| a \\| b | c |'), '| a \\| b | &emsp;c |');
});
