import assert from 'node:assert/strict';
import test from 'node:test';
import type { MeasureResult, Row } from '../src/protocol/protocol';
import { counted, finalWord, lostText, plural, psiText, rankingItem, shortName } from '../src/text/words';

const sort = { id: 'example.com/parking.(*Park).Sort', psi: 0.5812, zone: 'red' } as const;
const add = { id: 'example.com/parking.(*Park).Add', psi: 0.2, zone: 'yellow' } as const;
const result: MeasureResult = { run: '20261120T180000Z-3f9a', tests: 5, components: 15, top: [sort, add], outcomes: [] };

test('the last word counts, names the worst, and says R or Y besides the number', () => {
  assert.equal(finalWord(result, false),
    'Measured 15 components in 5 tests. Highest psi: parking.(*Park).Sort (R 0.58), parking.(*Park).Add (Y 0.20).');
});

test('an estimate is never told as a measurement', () => {
  assert.match(finalWord(result, true), /The energy is estimated\.$/);
});

test('one is not plural, and no more than three components are named', () => {
  const four = finalWord({ ...result, tests: 1, components: 1, top: [sort, add, sort, add] }, false);
  assert.match(four, /^Measured 1 component in 1 test\. /);
  assert.equal(four.match(/parking\./g)?.length, 3);
});

test('a measurement without a ranking says so', () => {
  assert.equal(finalWord({ ...result, components: 0, top: [] }, false), 'Measured 0 components in 5 tests. No component is ranked.');
});

test('a name loses the folders of its import path, not its package', () => {
  assert.equal(shortName('gopkg.in/yaml.v3.(*Decoder).Decode'), 'yaml.v3.(*Decoder).Decode');
  assert.equal(shortName('main.main'), 'main.main');
});

const psis: [number, string][] = [[1, '1.00'], [0.5812, '0.58'], [0.005, '0.01'], [0.0049, '<0.01'], [0, '0.00']];
for (const [value, want] of psis) {
  test(`a psi of ${value} is written ${want}`, () => {
    assert.equal(psiText(value), want);
  });
}

const row = { ...sort, rank: 1, kind: 'function', stale: false, gone: false, file: 'order.go', estimated: false, source: 'measured' as const, joules: 1.5, place: { uri: 'file:///park/order.go', line: 8 } };

test('a row of the ranking shows rank, zone, name, psi and joules', () => {
  const { label, description, detail } = rankingItem(row);
  assert.deepEqual({ label, description, detail }, {
    label: '1. R parking.(*Park).Sort', description: 'psi 0.58, 1.50 J', detail: 'example.com/parking.(*Park).Sort',
  });
});

test('a row says what is estimated, what is stale, and where it leads nowhere', () => {
  assert.equal(rankingItem({ ...row, estimated: true, source: 'estimated', stale: true }).description, 'psi 0.58, 1.50 J estimated, measured before an edit');
  assert.equal(rankingItem({ ...row, source: '' }).description, 'psi 0.58, 1.50 J of unknown origin');
  const lost = rankingItem({ ...sort, rank: 1, kind: 'function', stale: false, gone: false, estimated: false, source: 'none' });
  assert.equal(lost.description, 'psi 0.58');
  assert.match(lost.detail, /place in the source is unknown/);
});

test('rows are counted by what they are, if they are all the same', () => {
  const [f, p] = [{ kind: 'function' }, { kind: 'package' }];
  assert.deepEqual([[f], [p, p], [f, p], []].map(counted), ['1 function', '2 packages', '2 components', '0 components']);
  assert.equal(plural(1234, 'call'), '1,234 calls');
});

test('of what is not there any more, or never was known, the user is told', () => {
  assert.equal(lostText(row), undefined);
  assert.match(lostText({ ...row, stale: true, gone: true }) ?? '', /^parking\.\(\*Park\)\.Sort is gone: it was deleted.* in order\.go\.$/);
  const unknown: Row = { ...row, gone: true };
  delete unknown.place;
  assert.match(lostText(unknown) ?? '', /unknown\.$/);
});
