// A window of VS Code for a scene, with a copy of the example open in it.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { repository, spellServer, storeOf, type CodeServer } from './codeserver.ts';
import { filesOf } from './files.ts';
import type { Host } from './host.ts';
import type { Process } from './processes.ts';
import { until } from './until.ts';

/** The folder of screenshots, and of what is kept of a failed scene. */
export const evidence = process.env['SPELL_EVIDENCE'] ?? path.join(repository, 'bin/e2e');

export interface Options {
  /** Whether the folder is trusted; it is, if nothing is said. */
  trusted?: boolean;
  /** Settings of the machine: where VS Code is in a browser, those of the user cannot name a program. */
  settings?: Record<string, unknown>;
  /** Whether there is a saved run of the folder, that of parking.json: Sort is red, Oldest yellow. */
  saved?: boolean;
  /** What the folder is measured with on the command line before it is opened: arguments of spell-lsp measure. */
  measured?: string[];
  /** Files that are beside those of the example, by their names. */
  files?: Record<string, string>;
}

export interface Workbench {
  page: Page;
  host: Host;
  /** Everything that VS Code reads and writes is below it. */
  home: string;
  /** The copy of the example that is open. */
  folder: string;
  /** What was in it at first, by the files' names. */
  texts: Map<string, string>;
  /** The server's processes: each one that the extension started, and all that it started itself. */
  processes: () => Process[];
  /** Shows the window again, as after Reload Window. */
  reload: () => Promise<void>;
  /** Closes the window; the server must end with it. */
  close: () => Promise<void>;
}

export async function openWorkbench(code: CodeServer, { settings = {}, trusted = true, saved = false, measured, files = {} }: Options): Promise<Workbench> {
  const { page, host, home, processes } = code;
  const folder = path.join(mkdtempSync(path.join(home, 'window-')), 'parking');
  cpSync(path.join(repository, 'examples/parking'), folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  if (saved) {
    const record = readFileSync(path.join(import.meta.dirname, '../parking.json'));
    code.run(['go', 'run', './internal/savedrun', storeOf(home), folder], record);
  }
  if (measured !== undefined) {
    code.run([spellServer, 'measure', '-C', folder, ...measured]);
  }
  writeSettings(home, 'User', { ...quiet, 'security.workspace.trust.enabled': !trusted });
  writeSettings(home, 'Machine', settings);
  const show = async (): Promise<void> => {
    host.forget();
    await page.goto(`${code.address}?folder=${encodeURIComponent(folder)}`);
    await page.locator('.monaco-workbench .statusbar-item').first().waitFor();
    await host.started();
  };
  const close = async (): Promise<void> => {
    host.forget();
    await page.goto('about:blank');
    await until('the end of the server with its window', () => processes().length === 0);
  };
  await show();
  return { page, host, home, folder, texts: filesOf(folder), processes, reload: show, close };
}

/** The processes that the extension started, without all that these started themselves. */
export function servers({ processes }: Workbench): number[] {
  return processes().filter(({ command }) => command.at(-1) === 'serve').map(({ pid }) => pid);
}

const quiet = {
  'workbench.startupEditor': 'none',
  'workbench.reduceMotion': 'on',
  'editor.cursorBlinking': 'solid', // every blink would paint the page anew
  'editor.minimap.enabled': false,
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
