import assert from 'node:assert/strict';
import test from 'node:test';
import { outcomeOf, timeOf, topLines } from '../src/measure/testoutcome';
import { like, sort } from './rows';

const outcomes = [
  { test: 'TestPark', outcome: 'pass', timeMs: 820, output: '' }, { test: 'TestSort', outcome: 'fail', timeMs: 3, output: 'order_test.go:9: not sorted' },
  { test: 'TestSlow', outcome: 'pass', timeMs: 10, output: '' }, { test: 'TestSlow', outcome: 'timeout', timeMs: 5, output: '' },
  { test: 'TestCrash', outcome: 'crash', timeMs: 1, output: '' }, { test: 'TestSkip', outcome: 'skip', timeMs: 0, output: '' },
];

test('the outcome of a test is the worst one of its subtests, if these were measured', () => {
  assert.deepEqual(outcomeOf('TestPark', outcomes), { is: 'passed' });
  assert.deepEqual(outcomeOf('TestSort', outcomes), { is: 'failed', why: 'TestSort failed while its energy was measured:\norder_test.go:9: not sorted' });
  assert.deepEqual(outcomeOf('TestSlow', outcomes), { is: 'errored', why: 'TestSlow ended with a timeout while its energy was measured.' });
  assert.equal(outcomeOf('TestCrash', outcomes).is, 'errored');
  assert.deepEqual(outcomeOf('TestSkip', outcomes), { is: 'skipped' });
});

test('a test has its own time, with that of its subtests', () => {
  assert.equal(timeOf('TestPark', outcomes), 820);
  assert.equal(timeOf('TestSlow', outcomes), 15);
  assert.equal(timeOf('TestSkip', outcomes), undefined);
});

test('a test that was not run did not pass', () => {
  assert.deepEqual(outcomeOf('Park', outcomes), { is: 'skipped' });
  assert.deepEqual(outcomeOf('TestOther', outcomes), { is: 'skipped' });
});

test('the output has the first rows of the ranking, and says if they are estimated', () => {
  const row = like(sort, { source: 'estimated' });
  const result = { run: row.run, tests: 1, components: 6, top: [row], outcomes, summary: 'Sort holds most.' };
  assert.deepEqual(topLines(result, [row]), ['Sort holds most.', 'Measured 6 components in 1 test:', '  1. R parking.(*Park).Sort: psi 0.5812, 1.50 J estimated']);
});

test('the output has no rows of another result, which is shown after a test that failed', () => {
  const result = { run: 'r2', tests: 1, components: 6, top: [sort], outcomes, summary: '' };
  assert.deepEqual(topLines(result, [sort, like(sort, { rank: 2 })]), ['Measured 6 components in 1 test:']);
});
