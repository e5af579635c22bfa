import assert from 'node:assert/strict';
import test from 'node:test';
import { outcomeOf, topLines } from '../src/testwords';

const outcomes = [
  { name: 'example.com/park.TestPark', outcome: 'pass' }, { name: 'example.com/park.TestSort', outcome: 'fail' },
  { name: 'example.com/park.TestSlow/a.b', outcome: 'pass' }, { name: 'example.com/park.TestSlow/c', outcome: 'timeout' },
  { name: 'example.com/park.TestCrash', outcome: 'crash' }, { name: 'example.com/park.TestSkip', outcome: 'skip' },
];

test('what became of a test, of the worst of its subtests where these were measured', () => {
  assert.deepEqual(outcomeOf('TestPark', outcomes), { is: 'passed' });
  assert.equal(outcomeOf('TestSort', outcomes).is, 'failed');
  assert.deepEqual(outcomeOf('TestSlow', outcomes), { is: 'errored', why: 'TestSlow ended by a timeout when its energy was measured.' });
  assert.equal(outcomeOf('TestCrash', outcomes).is, 'errored');
  assert.deepEqual(outcomeOf('TestSkip', outcomes), { is: 'skipped' });
});

test('a test that was not run did not pass', () => {
  assert.deepEqual(outcomeOf('Park', outcomes), { is: 'skipped' });
  assert.deepEqual(outcomeOf('TestOther', outcomes), { is: 'skipped' });
});

test('the output has the head of the ranking, with what is estimated', () => {
  const row = { id: 'example.com/park.Sort', psi: 0.58, zone: 'red', rank: 1, kind: 'function', stale: false, gone: false, estimated: true, source: 'estimated', joules: 1.5 } as const;
  const result = { run: 'r', tests: 1, components: 6, top: [row], outcomes };
  assert.deepEqual(topLines(result, [row]), ['Measured 6 components in 1 test:', '  1. R park.Sort: psi 0.58, 1.5 J estimated']);
  assert.deepEqual(topLines({ ...result, components: 0, top: [] }, [row]), ['Measured 0 components in 1 test:']);
});
