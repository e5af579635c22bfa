import assert from 'node:assert/strict';
import test from 'node:test';
import { hasCode, reasonOf, requestCancelled, unanswered } from '../src/protocol/protocol';

test('that the server ended is told in words, not in those of the client library', () => {
  const lost = Object.assign(new Error('Pending response rejected since connection got disposed'), { code: unanswered });
  assert.ok(hasCode(lost, unanswered) && !hasCode(lost, requestCancelled) && !hasCode({ code: unanswered }, unanswered));
  assert.equal(reasonOf(lost), 'The server ended before it answered.');
  assert.deepEqual([new Error('no test ran'), 'text'].map(reasonOf), ['no test ran', 'text']);
});
