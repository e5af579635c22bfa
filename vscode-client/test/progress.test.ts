import assert from 'node:assert/strict';
import test from 'node:test';
import { ProgressSteps, type Report } from '../src/server/progress';

test('percentages of the whole become increments that add up to it', () => {
  const steps = new ProgressSteps();
  const reports: Report[] = [
    { kind: 'begin', percentage: 0 },
    { kind: 'report', percentage: 30, message: 'round 1 of 3' },
    { kind: 'report', message: 'round 2 of 3' },
    { kind: 'report', percentage: 90 },
    { kind: 'report', percentage: 120 },
  ];
  const got = reports.map((r) => steps.next(r));
  assert.deepEqual(got.map((s) => s.report), [
    { increment: 0 }, { increment: 30, message: 'round 1 of 3' }, { message: 'round 2 of 3' }, { increment: 60 }, { increment: 10 },
  ]);
  assert.deepEqual(got.map((s) => s.state), [
    { percent: 0 }, { percent: 30, doing: 'round 1 of 3' }, { percent: 30, doing: 'round 2 of 3' },
    { percent: 90, doing: 'round 2 of 3' }, { percent: 100, doing: 'round 2 of 3' },
  ]);
});

test('the last ranking of a program that runs stays until there is another', () => {
  const steps = new ProgressSteps();
  const live = [{ id: 'm.f', share: 0.9 }];
  const next = [{ id: 'm.g', share: 0.8 }];
  const states = [{ live }, { message: 'round 2 of 3' }, { live: next }].map((report) => steps.next({ kind: 'report', ...report }).state.live);
  assert.deepEqual(states, [live, live, next]);
});

test('progress never goes back', () => {
  const steps = new ProgressSteps();
  steps.next({ kind: 'report', percentage: 50 });
  assert.deepEqual(steps.next({ kind: 'report', percentage: 20 }), { report: { increment: 0 }, state: { percent: 50 } });
});

test('until a percentage is reported, none is shown', () => {
  assert.deepEqual(new ProgressSteps().next({ kind: 'begin', message: 'building' }), { report: { message: 'building' }, state: { doing: 'building' } });
});
