import assert from 'node:assert/strict';
import test from 'node:test';
import type { MeasureResult } from '../src/protocol/answers';
import { plural } from '../src/text/units';
import { counted, summaryText, shortName } from '../src/text/words';

const sort = { id: 'example.com/parking.(*Park).Sort', psi: 0.5812, zone: 'red' } as const;
const add = { id: 'example.com/parking.(*Park).Add', psi: 0.2, zone: 'yellow' } as const;
const result: MeasureResult = { run: '20261120T180000Z-3f9a', tests: 5, components: 15, top: [sort, add], outcomes: [], summary: '' };

test('the summary is what the server says', () => {
  assert.equal(summaryText({ ...result, summary: 'Sort holds 65.8 % of the 4.82 J (estimated).' }, true), 'Sort holds 65.8 % of the 4.82 J (estimated).');
});

test('the summary counts, names the components that are first in the ranking, and gives the letter of their zone', () => {
  assert.equal(summaryText(result, false),
    'Measured 15 components in 5 tests. First in the ranking: parking.(*Park).Sort (R, psi 0.5812), parking.(*Park).Add (Y, psi 0.2000).');
});

test('an estimate is never presented as a measurement', () => {
  assert.match(summaryText(result, true), /The energy is estimated\.$/);
});

test('one is not plural, and no more than three components are named', () => {
  const four = summaryText({ ...result, tests: 1, components: 1, top: [sort, add, sort, add] }, false);
  assert.match(four, /^Measured 1 component in 1 test\. /);
  assert.equal(four.match(/parking\./g)?.length, 3);
});

test('a measurement without a ranking says so', () => {
  assert.equal(summaryText({ ...result, components: 0, top: [] }, false), 'Measured 0 components in 5 tests. No component is ranked.');
});

test('a name loses the folders of its import path, not its package', () => {
  assert.equal(shortName('gopkg.in/yaml.v3.(*Decoder).Decode'), 'yaml.v3.(*Decoder).Decode');
  assert.equal(shortName('main.main'), 'main.main');
});

test('rows of one kind are counted under its name', () => {
  const [f, p] = [{ kind: 'function' }, { kind: 'package' }];
  assert.deepEqual([[f], [p, p], [f, p], []].map(counted), ['1 function', '2 packages', '2 components', '0 components']);
  assert.equal(plural(1234, 'call'), '1,234 calls');
});
