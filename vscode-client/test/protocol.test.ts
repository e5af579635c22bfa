import assert from 'node:assert/strict';
import test from 'node:test';
import { parseMeasureResult, parseRanking } from '../src/protocol';

const row = {
  rank: 1, id: 'example.com/park.(*Park).Sort', zone: 'red', psi: 0.5, file: 'order.go', uri: 'file:///park/order.go', line: 9,
  energy_j: { cpu: 1.25, dram: 0.25 }, stale: false, estimated: true, source: 'estimated', n: 14,
};

test('a row: joules of all domains together, and the line counted from 0', () => {
  const want = {
    id: row.id, psi: 0.5, zone: 'red', rank: 1, joules: 1.5, stale: false, estimated: true, source: 'estimated', file: 'order.go',
    place: { uri: 'file:///park/order.go', line: 8 },
  };
  assert.deepEqual(parseRanking([row]), [want]);
});

test('no domain means that nothing is known about energy, which is not 0 J', () => {
  const [parsed] = parseRanking([{ ...row, energy_j: {} }, { ...row, energy_j: null }]);
  assert.ok(parsed && !('joules' in parsed));
});

test('a component without a file has no place to go to', () => {
  const [parsed] = parseRanking([{ ...row, file: '' }]);
  assert.ok(parsed && !('place' in parsed));
});

const bad: [string, () => unknown, RegExp][] = [
  ['no result', () => parseMeasureResult(null), /the result is no object/],
  ['a count that is text', () => parseMeasureResult({ run: 'r', tests: '5', components: 1, top: [] }), /"tests" is "5"/],
  ['a component without psi', () => parseMeasureResult({ run: 'r', tests: 5, components: 1, top: [{ id: 'a' }] }), /"psi" is undefined/],
  ['outcomes that are no list', () => parseMeasureResult({ run: 'r', tests: 5, components: 1, top: [], outcomes: {} }), /"outcomes" is \{\}/],
  ['a zone that there is not', () => parseRanking([{ ...row, zone: 'blue' }]), /"zone" is "blue"/],
  ['a ranking that is no list', () => parseRanking({ rows: [] }), /the ranking is no list/],
  ['a row that is no object', () => parseRanking([[]]), /a row of the ranking is no object/],
];
for (const [what, parse, message] of bad) {
  test(`an answer of another version of the server is refused with its reason: ${what}`, () => {
    assert.throws(parse, message);
  });
}
