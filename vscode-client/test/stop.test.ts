import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import manifest from '../package.json';
import { anything, partly, provideVSCode } from './fakevscode';

// A server that does not start, or is stopped before it has started.

const folder = mkdtempSync(path.join(tmpdir(), 'spell-stop-'));
after(() => { rmSync(folder, { recursive: true }); });

let binary = '';
let conditions: string[] = [];
let messages: string[] = [];
beforeEach(() => {
  conditions = [];
  messages = [];
});

function show(message: string): Promise<undefined> {
  messages.push(message);
  return Promise.resolve(undefined);
}

provideVSCode(partly({
  version: '1.91.0',
  commands: partly({ executeCommand: (_: string, key: string, value: string) => { conditions.push(`${key} ${value}`); } }),
  window: partly({ showErrorMessage: show, showWarningMessage: show }),
  workspace: partly({ getConfiguration: () => partly({ get: () => binary }) }),
}));

/** The server of a window whose binary is a shell script. */
async function serverOf(script: string): Promise<import('../src/server/client').Server> {
  binary = path.join(folder, 'server');
  writeFileSync(binary, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const { Server } = await import('../src/server/client'); // loads the module "vscode"
  return new Server({ packageJSON: manifest, extensionPath: folder } as never, anything as never, anything as never, anything as never);
}

test('stopping ends a start at once: a server that does not answer is killed, and nothing is shown', async () => {
  const pidFile = path.join(folder, 'pid');
  const server = await serverOf(`echo $$ >'${pidFile}.new'; mv '${pidFile}.new' '${pidFile}'; exec sed -n d`);
  const running = server.running();
  while (!existsSync(pidFile)) {
    await setImmediate();
  }
  await server.stop();
  assert.equal(await running, undefined);
  assert.throws(() => process.kill(Number(readFileSync(pidFile, 'utf8')), 0), { code: 'ESRCH' });
  assert.deepEqual(conditions, ['spell.server starting', 'spell.server stopped']);
  assert.deepEqual(messages, []);
});

test('a start can be stopped before its process runs', async () => {
  const server = await serverOf('exec sed -n d');
  const running = server.running();
  await server.stop();
  assert.equal(await running, undefined);
  assert.deepEqual(conditions, ['spell.server starting', 'spell.server stopped']);
});

test('a program that ends instead of answering is told once, with the reason', async () => {
  const server = await serverOf('echo no such command >&2; exit 3');
  assert.equal(await server.running(), undefined);
  assert.deepEqual(messages, [`${binary} did not start as a language server: exit code 3. Its last output: no such command`]);
  assert.deepEqual(conditions, ['spell.server starting', 'spell.server broken']);
});
