import assert from 'node:assert/strict';
import test from 'node:test';
import { hasCode, reasonOf, requestCancelled, unanswered, wasShown } from '../src/protocol/protocol';

test('the end of the server is reported in our words, not in those of the client library', () => {
  const lost = Object.assign(new Error('Pending response rejected since connection got disposed'), { code: unanswered });
  assert.ok(hasCode(lost, unanswered) && !hasCode(lost, requestCancelled) && !hasCode({ code: unanswered }, unanswered));
  assert.equal(reasonOf(lost), 'The server ended before it answered.');
  assert.deepEqual([new Error('no test ran'), 'text'].map(reasonOf), ['no test ran', 'text']);
});

test('an error was shown by the server only if it says so', () => {
  const errors = [{ data: { shown: true } }, { data: { shown: 'true' } }, { data: {} }, { data: null }, {}].map((more) => Object.assign(new Error('no test ran'), more));
  assert.deepEqual([...errors, 'text', undefined].map(wasShown), [true, false, false, false, false, false, false]);
});
