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

test('the last output of a server that crashed begins where the crash does, not where the stacks end', () => {
  const tail = new StderrTail();
  tail.add('info: started\npanic: assignment to nil ma');
  tail.add('p\n\ngoroutine 1 [running]:\nmain.main()\n\t/x/main.go:3\nexit status 2\n');
  assert.deepEqual(tail.summary(), ['panic: assignment to nil map', 'goroutine 1 [running]:', 'main.main()']);
});

test('the last output of others is their last lines', () => {
  const tail = new StderrTail();
  tail.add('one\r\ntwo\n\nthree\nfour');
  assert.deepEqual(tail.summary(), ['two', 'three', 'four']);
  tail.add('x'.repeat(100_000) + '\nlast\n');
  assert.equal(tail.summary().at(-1), 'last');
});

test('a server does not end for the reason that its debug and info lines say', () => {
  const tail = new StderrTail();
  tail.add('2026-11-22T03:09:45.288Z\tinfo\tlsp/log.go:80\tstart\n2026-11-22T03:09:46.288Z\terror\tlsp/log.go:9\tdisk full\n');
  assert.deepEqual(tail.summary(), ['2026-11-22T03:09:46.288Z\terror\tlsp/log.go:9\tdisk full']);
});

test('the reason of an end is an exit code, a signal, or that the process could not be started', () => {
  assert.equal(endingText({ code: 2, signal: null }, ['bad flag']), 'exit code 2. Its last output: bad flag');
  assert.equal(endingText({ code: null, signal: 'SIGKILL' }, []), 'killed by SIGKILL.');
  assert.equal(endingText({ code: null, signal: null, error: 'EACCES' }, []), 'it could not be started (EACCES).');
});

test('the reason of the end of a real process is known', async () => {
  const failing = new ServerProcess('/bin/sh', ['-c', 'echo no meter >&2; exit 3']);
  assert.equal(await failing.whyEnded(), 'exit code 3. Its last output: no meter');
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
