import assert from 'node:assert/strict';
import test from 'node:test';
import { Layout } from '../flamelayout';
import { change } from '../format';
import { stepAt, steps } from '../steps';
import type { Report } from '../data';

test('a change from nothing is new', () => {
  assert.equal(change(null), 'new');
  assert.equal(change(-0.342), '-34 %');
});

// 0 calls 1 and 2; nothing calls 3.
const tree = { known: true, parent: [-1, 0, 0, -1], component: [0, 1, 2, 0], time_ms: [], energy_j: [], n: [], cut: [] };

test('a call is as wide as it used, callees included, the largest to the left', () => {
  const layout = new Layout(tree, [1, 2, 3, 14]);
  assert.equal(layout.all, 20);
  assert.deepEqual([...layout.value], [6, 2, 3, 14]);
  assert.deepEqual([...layout.from], [0.7, 0.85, 0.7, 0]);
  assert.deepEqual([...layout.to].map((v) => Number(v.toFixed(6))), [1, 0.95, 0.85, 0.7]);
  assert.deepEqual([...layout.depth], [0, 1, 1, 0]);
  assert.equal(layout.rows, 2);
});

test('arrow keys go to callees and neighbours', () => {
  const layout = new Layout(tree, [1, 2, 3, 14]);
  assert.equal(layout.child(-1), 3);
  assert.equal(layout.beside(3, true), 0);
  assert.equal(layout.beside(0, false), 3);
  assert.equal(layout.child(0), 2);
  assert.equal(layout.beside(1, true), -1);
  assert.equal(layout.isBelow(1, 0), true);
  assert.equal(layout.isBelow(3, 0), false);
});

test('a deep tree does not overflow the stack', () => {
  const n = 100_000, deep = { ...tree, parent: Array.from({ length: n }, (_, i) => i - 1), component: new Array<number>(n).fill(0) };
  const layout = new Layout(deep, new Array<number>(n).fill(1));
  assert.equal(layout.value[0], n);
  assert.equal(layout.depth[n - 1], n - 1);
});

test('tests stand one after the other, round by round', () => {
  const list = steps({
    rounds: 2, tests: { name: ['a', 'b'] }, timeline: { test: [1, 0, -1], time_ms: [[1, 2], [3, 4], [0, 5]], energy_j: [[10, 20], [30, 40], [0, 50]] },
  } as Report);
  assert.deepEqual(list.map((step) => [step.test, step.round, step.start, step.ms, step.joules]), [
    ['b', 1, 0, 1, 10], ['a', 1, 1, 3, 30], ['b', 2, 4, 2, 20], ['a', 2, 6, 4, 40], ['all other tests', 2, 10, 5, 50],
  ]);
  assert.deepEqual([-1, 0, 0.9, 1, 100].map((ms) => stepAt(list, ms)), [-1, 0, 0, 1, 4]);
});
