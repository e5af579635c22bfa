import assert from 'node:assert/strict';
import childProcess from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import manifest from '../package.json';
import { anything, partly, provideVSCode } from './fakevscode';

// A server that does not start, or is stopped or restarted before it has started.

const folder = mkdtempSync(path.join(tmpdir(), 'spell-stop-'));
after(() => { rmSync(folder, { recursive: true }); });

/** A server that says nothing. */
const silent = 'exec sed -n d';

/** A server that answers every request, and offers nothing; the text of this function is a script. */
function answering(): void {
  let input = '';
  process.stdin.setEncoding('latin1').on('data', (text: string) => {
    input += text;
    for (let head; (head = /^Content-Length: (\d+)\r\n\r\n/.exec(input)) !== null && input.length >= head[0].length + Number(head[1]);) {
      const end = head[0].length + Number(head[1]);
      const { id } = JSON.parse(input.slice(head[0].length, end)) as { id?: number };
      input = input.slice(end);
      const answer = JSON.stringify({ jsonrpc: '2.0', id, result: { capabilities: {} } });
      process.stdout.write(id === undefined ? '' : `Content-Length: ${answer.length}\r\n\r\n${answer}`);
    }
  });
}

let binary = '';
let setting: () => string;
let conditions: string[] = [];
let messages: string[] = [];
beforeEach(() => {
  setting = () => binary;
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
  workspace: partly({ getConfiguration: () => partly({ get: () => setting() }) }),
}));

/** Makes a script the binary of servers that start from now on. */
function exchange(script: string, interpreter = '/bin/sh'): void {
  binary = path.join(mkdtempSync(path.join(folder, 'bin-')), 'server');
  writeFileSync(binary, `#!${interpreter}\n${script}\n`, { mode: 0o755 });
}

/** The server of a window whose binary is a script. */
async function serverOf(script: string, interpreter?: string): Promise<import('../src/server/client').Server> {
  exchange(script, interpreter);
  const { Server } = await import('../src/server/client'); // loads the module "vscode"
  return new Server({ packageJSON: manifest, extensionPath: folder } as never, anything as never, anything as never, anything as never);
}

// The test fails after the limit if the server does not start, instead of waiting for good.
test('stopping ends a start at once: a server that does not answer is killed, and nothing is shown', { timeout: 60_000 }, async () => {
  const pidFile = path.join(folder, 'pid');
  const server = await serverOf(`echo $$ >'${pidFile}.new'; mv '${pidFile}.new' '${pidFile}'; ${silent}`);
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

test('a start that is stopped before its process runs does not run it', async (t) => {
  const spawn = t.mock.method(childProcess, 'spawn');
  const server = await serverOf(silent);
  const running = server.running();
  await server.stop();
  assert.equal(await running, undefined);
  assert.equal(spawn.mock.callCount(), 0);
  assert.deepEqual(conditions, ['spell.server starting', 'spell.server stopped']);
});

test('a command that waits for a server gets the one that a restart starts, which another restart may replace', async () => {
  const server = await serverOf(silent);
  const waiting = server.running();
  exchange(silent);
  const restarted = server.restart();
  exchange(`(${answering.toString()})();`, process.execPath);
  await server.restart();
  const client = await waiting;
  assert.ok(client !== undefined);
  assert.equal(await server.running(), client);
  await restarted;
  await server.stop();
  assert.deepEqual(messages, []);
});

test('a restart that is stopped starts no server', async (t) => {
  const spawn = t.mock.method(childProcess, 'spawn');
  const server = await serverOf(silent);
  const restarted = server.restart();
  await server.stop();
  await restarted;
  assert.equal(spawn.mock.callCount(), 0);
  assert.equal(server.condition.is, 'stopped');
});

test('a start that throws does not keep its server from being restarted', async () => {
  const server = await serverOf(`(${answering.toString()})();`, process.execPath);
  setting = () => { throw new Error('no settings'); };
  await assert.rejects(server.running(), /no settings/);
  setting = () => binary;
  await server.restart();
  assert.equal(server.condition.is, 'running');
  await server.stop();
});

test('a program that ends instead of answering is told once, with the reason', async () => {
  const server = await serverOf('echo no such command >&2; exit 3');
  assert.equal(await server.running(), undefined);
  assert.deepEqual(messages, [`${binary} did not start as a language server: exit code 3. Its last output: no such command`]);
  assert.deepEqual(conditions, ['spell.server starting', 'spell.server broken']);
});
