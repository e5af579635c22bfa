import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { repository } from '../rig/codeserver.ts';
import { diagnostics, hover, runCommand } from '../rig/editor.ts';
import { filesOf } from '../rig/files.ts';
import type { Host } from '../rig/host.ts';
import { scenes } from '../rig/scene.ts';
import { lensText, notification, openFile, palette, picture, waitForLens } from '../rig/ui.ts';
import { until } from '../rig/until.ts';
import type { Workbench } from '../rig/workbench.ts';

// A user names a machine and measures on it. It is this one behind a real sshd, with one processor.

const scene = scenes({ settings: { 'spell.rounds': 1, 'spell.warmup': 0 } });

const measureOn = 'SPELL: Measure on...';

function row(page: Page, text: string): Locator {
  return page.locator('.quick-input-list .monaco-list-row', { hasText: text });
}

function status(page: Page, text: RegExp): Locator {
  return page.locator('.statusbar-item', { hasText: text });
}

/** Waits until the status bar, under this name, has shown a measurement and its end; returns the record, as far as it is looked at. */
async function ended({ page, host }: Workbench, named: string): Promise<{ host: { cores: number }; settings: { machine: string } }> {
  await status(page, new RegExp(`${named}: measuring`)).waitFor();
  await status(page, new RegExp(`${named}: \\w \\d+\\.\\d %`)).waitFor({ timeout: 200_000 });
  const file = await host.run(async (vscode) => (await vscode.commands.executeCommand<{ path: string }>('spell-lsp.report', { format: 'json' })).path);
  return JSON.parse(readFileSync(file, 'utf8')) as Awaited<ReturnType<typeof ended>>;
}

/** The setting spell.machine of the user; null if there is none. */
function setting({ host }: Workbench): Promise<string | null> {
  return host.run((vscode) => vscode.workspace.getConfiguration('spell').inspect<string>('machine')?.globalValue ?? null);
}

scene('the list of machines opens the file that names them, with an example where there is none', async (w) => {
  const { page, host, home } = w;
  execFileSync(path.join(repository, 'internal/editorrig/target'), [home]);
  await openFile(page, 'order.go');
  await opened(page, '');
  await picture(page, 'machines-file');
  const file = path.join(home, 'config/spell-lsp/machines.yaml');
  assert.match(readFileSync(file, 'utf8'), /^# lab: me@lab\.example\.org$/m);
  assert.equal(statSync(file).mode & 0o777, 0o600, 'the server takes no file that others can change');
  await append(host, file, 'lab: -x\n');
  await opened(page, 'a machine cannot begin with -');
  assert.match(readFileSync(file, 'utf8'), /^lab: -x$/m, 'a file that is there stays');
  writeFileSync(file, 'lab: target\n');
});

/** Opens the file from the list, which says what is wrong with it. */
async function opened(page: Page, problem: string): Promise<void> {
  await palette(page, measureOn);
  await row(page, 'This machine').waitFor();
  await row(page, 'Name machines...').filter({ hasText: problem }).click();
  await page.locator('.tab.active', { hasText: 'machines.yaml' }).waitFor();
}

/** Adds lines to the open file, saves it, and closes it. */
async function append(host: Host, file: string, lines: string): Promise<void> {
  await host.run(async (vscode, name, text) => {
    const document = await vscode.workspace.openTextDocument(name);
    const change = new vscode.WorkspaceEdit();
    change.insert(document.uri, new vscode.Position(document.lineCount, 0), text);
    await vscode.workspace.applyEdit(change);
    await document.save();
  }, file, lines);
  await runCommand(host, 'workbench.action.closeActiveEditor');
}

scene('the workspace is measured on the machine that is chosen', async (w) => {
  const { page, host } = w;
  await runCommand(host, 'workbench.action.closeActiveEditor');
  await runCommand(host, 'notifications.clearAll');
  await palette(page, measureOn);
  const lab = row(page, 'lab').filter({ hasText: 'target' });
  await lab.waitFor();
  await picture(page, 'machines');
  await lab.click();
  await notification(page, /Measuring energy: (connecting to|sending spell-lsp to|listing the files for) lab/).waitFor();
  await picture(page, 'on-lab-measuring');
  const run = await ended(w, 'spell on lab');
  assert.deepEqual([run.settings.machine, run.host.cores], ['lab', 1]);
  assert.ok((await diagnostics(host)).some(({ name }) => name === 'Sort'));
  await waitForLens(host, page.locator(lensText, { hasText: /#\d+ · psi/ }).first());
  assert.match(await hover(w, 'order.go', 8, 17), / round on lab, measured /);
  await status(page, /spell on lab/).hover();
  await page.locator('.monaco-hover:visible', { hasText: 'Measurements run on lab.' }).waitFor();
  await picture(page, 'on-lab');
});

scene('the choice stays, as the setting of the user: other commands measure there too', async (w) => {
  assert.equal(await setting(w), 'lab');
  await palette(w.page, 'SPELL: Measure Energy of This Package');
  assert.equal((await ended(w, 'spell on lab')).settings.machine, 'lab');
});

scene('this machine can be chosen again, also where the folder names another', async (w) => {
  const { page, host, folder } = w;
  const file = path.join(folder, '.spell-lsp.yaml');
  await palette(page, measureOn);
  await row(page, 'This machine').click();
  assert.equal((await ended(w, 'spell')).settings.machine, '');
  assert.equal(await setting(w), null, 'no setting is left behind');
  writeFileSync(file, 'machine: lab\n');
  await status(page, /spell on lab: \w \d+\.\d %/).waitFor();
  await palette(page, measureOn);
  await row(page, 'This machine').click();
  await status(page, /spell: measuring/).waitFor();
  await until('the cancelled measurement', async () => {
    await runCommand(host, 'spell.cancel');
    return await status(page, /spell: \w \d+\.\d %/).count() > 0;
  });
  assert.equal(await setting(w), '');
  rmSync(file);
});

scene('not a byte of the folder has changed', ({ folder, texts }) => {
  assert.deepEqual(filesOf(folder), texts);
  return Promise.resolve();
});
