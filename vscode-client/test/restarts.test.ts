import assert from 'node:assert/strict';
import test from 'node:test';
import { endingText, StderrTail, Restarts } from '../src/server/restarts';
import { endTimeoutMs, ServerProcess } from '../src/server/serverprocess';

test('a server is started again five times within three minutes, and later again', () => {
  const restarts = new Restarts();
  const seconds = [0, 10, 20, 30, 40, 50, 179, 181];
  assert.deepEqual(seconds.map((s) => restarts.mayRestart(s * 1000)), [true, true, true, true, true, false, false, true]);
  restarts.forget();
  assert.equal(restarts.mayRestart(182_000), true);
});

test('the last words of a server that crashed begin where the crash does, not where the stacks end', () => {
  const words = new StderrTail();
  words.add('info: started\npanic: assignment to nil ma');
  words.add('p\n\ngoroutine 1 [running]:\nmain.main()\n\t/x/main.go:3\nexit status 2\n');
  assert.deepEqual(words.summary(), ['panic: assignment to nil map', 'goroutine 1 [running]:', 'main.main()']);
});

test('the last words of others are their last lines', () => {
  const words = new StderrTail();
  words.add('one\r\ntwo\n\nthree\nfour');
  assert.deepEqual(words.summary(), ['two', 'three', 'four']);
  words.add('x'.repeat(100_000) + '\nlast\n');
  assert.equal(words.summary().at(-1), 'last');
});

test('what the server logs when all is well is not why it ended', () => {
  const words = new StderrTail();
  words.add('2026-11-22T03:09:45.288Z\tinfo\tlsp/log.go:80\tstart\n2026-11-22T03:09:46.288Z\terror\tlsp/log.go:9\tdisk full\n');
  assert.deepEqual(words.summary(), ['2026-11-22T03:09:46.288Z\terror\tlsp/log.go:9\tdisk full']);
});

test('why it ended: an exit code, a signal, or that there was no start', () => {
  assert.equal(endingText({ code: 2, signal: null }, ['bad flag']), 'exit code 2. It said last: bad flag');
  assert.equal(endingText({ code: null, signal: 'SIGKILL' }, []), 'killed by SIGKILL.');
  assert.equal(endingText({ code: null, signal: null, error: 'EACCES' }, []), 'it could not be started (EACCES).');
});

test('a real process tells why it ended', async () => {
  const failing = new ServerProcess('/bin/sh', ['-c', 'echo no meter >&2; exit 3']);
  assert.equal(await failing.whyEnded(), 'exit code 3. It said last: no meter');
  const killed = new ServerProcess('/bin/sh', ['-c', 'kill -9 $$']);
  assert.equal(await killed.whyEnded(), 'killed by SIGKILL.');
  assert.match(await new ServerProcess('/nowhere/spell-lsp').whyEnded() ?? '', /^it could not be started \(.*ENOENT\)\.$/);
});

test('a process that does not end is killed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const deaf = new ServerProcess('/bin/sh', ['-c', 'trap "" TERM; exec sleep 600']);
  const why = deaf.whyEnded();
  t.mock.timers.tick(endTimeoutMs);
  assert.equal(await why, undefined);
  const ended = deaf.end();
  t.mock.timers.tick(endTimeoutMs);
  await ended;
  assert.equal(await deaf.whyEnded(), 'killed by SIGKILL.');
});
