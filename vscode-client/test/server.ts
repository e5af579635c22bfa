// The real server, built from this repository, and a small module to measure.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection, ExecuteCommandRequest, InitializedNotification, InitializeRequest,
  type InitializeResult, type ProtocolConnection, ShutdownRequest, ExitNotification, StreamMessageReader, StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';

export interface Session {
  connection: ProtocolConnection;
  initialized: InitializeResult;
  uri: string;
  execute: (command: string, argument: object, workDoneToken?: string) => Promise<unknown>;
}

const files = {
  'matrix.csv': 'test,component,file,line,cpu_J,n,time_ms\nTestSum,Sum,sum.go,3,2,1,10\nTestSum,twice,sum.go,11,1,1000,10\n',
  'go.mod': 'module example.com/small\n\ngo 1.26\n',
  'sum.go': 'package small\n\nfunc Sum(n int) int {\n\tsum := 0\n\tfor i := range n {\n\t\tsum += twice(i)\n\t}\n\treturn sum\n}\n\nfunc twice(i int) int { return 2 * i }\n',
  'sum_test.go': 'package small\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tif got := Sum(1000); got != 999000 {\n\t\tt.Error(got)\n\t}\n}\n',
};

/** Builds the server once for all tests of a file. */
export function buildServer(): string {
  const binary = path.resolve('dist/test/spell-lsp');
  mkdirSync(path.dirname(binary), { recursive: true });
  execFileSync('go', ['build', '-o', binary, './cmd/spell-lsp'], { cwd: '..', stdio: ['ignore', 'inherit', 'inherit'] });
  return binary;
}

/** Starts the server on a fresh copy of the module, as the extension does. */
export async function startServer(t: TestContext, binary: string, trusted: boolean): Promise<Session> {
  const folder = mkdtempSync(path.join(tmpdir(), 'spell-vscode-'));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(folder, name), text);
  }
  const env = { ...process.env, SPELL_LSP_DATA: path.join(folder, '.data'), XDG_CONFIG_HOME: path.join(folder, '.config') };
  const server = spawn(binary, ['serve'], { stdio: ['pipe', 'pipe', 'inherit'], env });
  const ended = once(server, 'exit');
  const connection = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  connection.listen();
  t.after(async () => {
    await connection.sendRequest(ShutdownRequest.type);
    await connection.sendNotification(ExitNotification.type);
    await ended;
    connection.dispose();
    rmSync(folder, { recursive: true });
  });
  const uri = pathToFileURL(folder).href;
  const initialized = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid, capabilities: {}, workspaceFolders: [{ uri, name: 'small' }], initializationOptions: { trusted, changes: true },
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the protocol's type requires it
    rootUri: null,
  });
  await connection.sendNotification(InitializedNotification.type, {});
  return {
    connection, initialized, uri,
    execute: (command, argument, workDoneToken) => connection.sendRequest(ExecuteCommandRequest.type, {
      command, arguments: [argument], ...(workDoneToken !== undefined && { workDoneToken }),
    }),
  };
}
