import assert from 'node:assert/strict';
import test from 'node:test';
import { hasCode, parseMeasureResult, rankingRow, reasonOf, requestCancelled, unanswered } from '../src/protocol/protocol';

const row = {
  rank: 1, id: 'example.com/park.(*Park).Sort', kind: 'function', zone: 'red', psi: 0.5, file: 'order.go', uri: 'file:///park/order.go', line: 9,
  energy_j: { cpu: 1.25, dram: 0.25 }, stale: true, gone: true, estimated: true, source: 'estimated', n: 14,
};

test('a row: joules of all domains together, and the line counted from 0', () => {
  const want = {
    id: row.id, psi: 0.5, zone: 'red', rank: 1, kind: 'function', joules: 1.5, stale: true, gone: true, estimated: true, source: 'estimated', file: 'order.go',
    place: { uri: 'file:///park/order.go', line: 8 },
  };
  assert.deepEqual(rankingRow(row), want);
});

test('no domain means that nothing is known about energy, which is not 0 J', () => {
  for (const nothing of [{}, null]) {
    assert.ok(!('joules' in rankingRow({ ...row, energy_j: nothing })));
  }
});

test('a component without a file has no place to go to', () => {
  assert.ok(!('place' in rankingRow({ ...row, file: '' })));
});

test('a server that does not tell what is gone can be read', () => {
  const { gone, ...rest } = row;
  assert.equal(gone && rankingRow(rest).gone, false);
});

test('that the server ended is told in words, not in those of the client library', () => {
  const lost = Object.assign(new Error('Pending response rejected since connection got disposed'), { code: unanswered });
  assert.ok(hasCode(lost, unanswered) && !hasCode(lost, requestCancelled) && !hasCode({ code: unanswered }, unanswered));
  assert.equal(reasonOf(lost), 'The server ended before it answered.');
  assert.deepEqual([new Error('no test ran'), 'text'].map(reasonOf), ['no test ran', 'text']);
});

const bad: [string, () => unknown, RegExp][] = [
  ['no result', () => parseMeasureResult(null), /the result is no object/],
  ['a count that is text', () => parseMeasureResult({ run: 'r', tests: '5', components: 1, top: [] }), /"tests" is "5"/],
  ['a component without psi', () => parseMeasureResult({ run: 'r', tests: 5, components: 1, top: [{ id: 'a' }] }), /"psi" is undefined/],
  ['outcomes that are no list', () => parseMeasureResult({ run: 'r', tests: 5, components: 1, top: [], outcomes: {} }), /"outcomes" is \{\}/],
  ['a zone that there is not', () => rankingRow({ ...row, zone: 'blue' }), /"zone" is "blue"/],
];
for (const [what, parse, message] of bad) {
  test(`an answer of another version of the server is refused with its reason: ${what}`, () => {
    assert.throws(parse, message);
  });
}
