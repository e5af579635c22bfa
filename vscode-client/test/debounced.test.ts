import assert from 'node:assert/strict';
import test from 'node:test';
import { Debounced } from '../src/window/debounced';

test('many calls in a row run the action once, after a pause; it does not run after dispose', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let done = 0;
  const later = new Debounced(100, () => { done++; });
  for (let i = 0; i < 5; i++) {
    later.schedule();
    t.mock.timers.tick(99);
  }
  assert.equal(done, 0);
  t.mock.timers.tick(1);
  assert.equal(done, 1);
  later.schedule();
  later.dispose();
  t.mock.timers.tick(1000);
  assert.equal(done, 1);
});
