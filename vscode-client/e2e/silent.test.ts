import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

// The tests of a measurement must fail, and soon, if the server says nothing:
// otherwise their success says nothing.

test('with a server that says nothing, measuring fails soon', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'spell-e2e-silent-'));
  t.after(() => { rmSync(folder, { recursive: true }); });
  const server = path.join(folder, 'silent');
  writeFileSync(server, '#!/bin/sh\nexec sed -n d\n', { mode: 0o755 });
  const environment: NodeJS.ProcessEnv = { ...process.env, SPELL_SERVER: server, SPELL_PATIENCE: '2', SPELL_EVIDENCE: folder };
  delete environment['NODE_TEST_CONTEXT']; // or it would report to this test
  const { status, stdout } = spawnSync(
    process.execPath, ['--test', '--test-name-pattern=a measurement from the palette', path.join(import.meta.dirname, 'measure.test.ts')],
    { env: environment, encoding: 'utf8', timeout: 240_000 });
  assert.equal(status, 1, stdout);
  assert.match(stdout, /waiting for .*Measuring energy/);
});
