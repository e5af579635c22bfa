import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { configure, diagnostics, edit, lenses, runCommand } from '../rig/editor.ts';
import { filesOf } from '../rig/files.ts';
import type { Host } from '../rig/host.ts';
import { measured } from '../rig/measuring.ts';
import { scenes } from '../rig/scene.ts';
import { goTo, lensText, notification, openFile, palette, picture, report, treeRows, waitForLens } from '../rig/ui.ts';
import { until } from '../rig/until.ts';

// A user makes a run the baseline, looks into a function, repairs it,
// measures again and compares; then loads what another tool measured.

/** What Sort could do instead. */
const repaired = `\tslices.SortFunc(p.cars, func(a, b Car) int {
\t\treturn strings.Compare(strings.ToUpper(string(a.Registration)), strings.ToUpper(string(b.Registration)))
\t})
`;

const depot = `def count(boxes):
    return len(boxes)


def shelve(boxes):
    return sorted(boxes, key=count)
`;

const matrix = `# energy: measured
test,component,file,line,cpu_J,n,time_ms
year,shelve,depot.py,5,4.2,10,800
year,count,depot.py,1,0.1,10,20
`;

/** A change is significant only with many rounds. */
const settings = { 'spell.run': 'TestStocktaking', 'spell.rounds': 10, 'spell.warmup': 0 };

const scene = scenes({ settings, files: { 'depot.py': depot, 'matrix.csv': matrix } });

scene('a run becomes the baseline', async (w) => {
  const { page, host } = w;
  await openFile(page, 'order.go');
  await runCommand(host, 'workbench.view.extension.spell');
  await measured(w, 'SPELL: Measure Energy of the Workspace');
  await until('the functions', async () => (await marked(host)).join() === 'Oldest,Sort');
  await palette(page, 'SPELL: Set the Last Run as Baseline');
  await notification(page, /Run \S+ is now the baseline\./).waitFor();
});

/** What has a diagnostic in order.go. */
async function marked(host: Host): Promise<string[]> {
  return (await diagnostics(host)).filter(({ file, code }) => file === 'order.go' && code === 'energy-leak').map(({ name }) => name).sort();
}

scene('drilled into, a function has diagnostics, lenses, marks and rows for its blocks', async (w) => {
  const { page, host } = w;
  await configure(w, { ...settings, 'spell.rounds': 1 });
  await goTo(page, 13, 1); // the function is that around the cursor
  await measured(w, 'SPELL: Drill into the Blocks of a Function');
  await until('the blocks', async () => (await marked(host)).join() === 'Oldest,Sort,for,for,if');
  assert.equal((await lenses(w, 'order.go')).length, 5);
  await until('a mark for each', async () => await page.locator('.cgmr[class*="ced-"]').count() === 5);
  await page.locator(treeRows, { hasText: 'Sort#for1.for1.if1' }).waitFor();
  await picture(page, 'blocks');
  await configure(w, settings);
});

scene('measured after a repair that is not saved, it says how much less energy is used than in the baseline', async (w) => {
  const { page, host, folder, texts } = w;
  await edit(w, 'order.go', 9, 18, repaired);
  await measured(w, 'SPELL: Measure Energy of the Workspace');
  await notification(page, /this run uses [\d.]+ % less energy.* than the baseline/).waitFor();
  await waitForLens(host, page.locator(lensText, { hasText: /psi.* [\d.]+ % less energy, significant$/ }).first());
  await page.locator(treeRows, { hasText: /Sort.*[\d.]+ % less energy, significant/ }).waitFor();
  await picture(page, 'compared');
  await saysAll(page, host);
  assert.deepEqual(filesOf(folder), texts, 'not a byte of the folder has changed');
});

/** Opens the comparison as a page, which tells of the whole and of each function. */
async function saysAll(page: Page, host: Host): Promise<void> {
  await palette(page, 'SPELL: Compare with the Baseline');
  await page.locator('.tab.active', { hasText: 'Energy Comparison' }).waitFor();
  const text = await until('the comparison', async () => {
    const active = await host.run((vscode) => vscode.window.activeTextEditor?.document.getText() ?? '');
    return /^HEAD uses [\d.]+ % less energy/.test(active) && active;
  });
  assert.match(text, /^better .*\(\*Park\)\.Sort$/m);
  await picture(page, 'comparison');
}

scene('a matrix of another language is loaded, and leads to its source', async ({ page, host }) => {
  await palette(page, 'SPELL: Load a Saved Run or a Matrix...');
  const list = page.locator('.quick-input-list .monaco-list-row');
  await list.filter({ hasText: 'matrix.csv' }).click();
  const shelve = list.filter({ hasText: 'shelve' });
  await shelve.waitFor();
  assert.match(await shelve.innerText(), /psi 0\.9994, 4\.20 J/);
  await shelve.click();
  await page.locator('.tab.active', { hasText: 'depot.py' }).waitFor();
  await page.locator('.statusbar-item', { hasText: 'Ln 5' }).waitFor();
  await waitForLens(host, page.locator(lensText, { hasText: /^RED #1 · psi 0\.9994/ }));
  await picture(page, 'loaded');
});

scene('a report that is opened at once after loading is of what was loaded', async ({ page, host, folder }) => {
  const file = path.join(folder, 'label.csv');
  writeFileSync(file, matrix.replaceAll('shelve', 'label'));
  await loadedAndShown(host, file);
  assert.match(await (await report(page)).locator('#ranking').innerText(), /label/);
});

scene('cleared while it is made, a report can be opened again', async ({ page, host, folder }) => {
  await host.run(async (vscode) => {
    const shown = vscode.commands.executeCommand('spell.showReport');
    await vscode.commands.executeCommand('spell.clear');
    await shown;
  });
  await page.locator('.tab', { hasText: 'Energy Report' }).waitFor({ state: 'detached' }); // or its frame is taken for that of the new one
  assert.equal(await notification(page, 'The report cannot be shown').count(), 0, 'nobody wants to know about a report that is cleared');
  await loadedAndShown(host, path.join(folder, 'label.csv'));
  assert.match(await (await report(page)).locator('#ranking').innerText(), /label/);
});

/** Loads a matrix and opens the report before anything else can happen. */
async function loadedAndShown(host: Host, file: string): Promise<void> {
  await host.run(async (vscode, name) => {
    await vscode.commands.executeCommand('spell-lsp.load', { path: name });
    await vscode.commands.executeCommand('spell.showReport');
  }, file);
}

scene('a run of a folder that is not open is shown by its ranking once it is loaded', async ({ page, host, home }) => {
  // A report that is open is made again after a load, and VS Code then closes the list, because its frame takes the focus.
  await host.run(async (vscode) => { await vscode.commands.executeCommand('workbench.action.closeActiveEditor'); });
  await page.locator('.tab', { hasText: 'Energy Report' }).waitFor({ state: 'detached' });
  const elsewhere = path.join(home, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(path.join(elsewhere, 'slow.py'), 'pass\n');
  writeFileSync(path.join(elsewhere, 'slow.csv'), 'test,component,file,line,cpu_J,n,time_ms\nall,slow,slow.py,1,2,1,10\n');
  await palette(page, 'SPELL: Load a Saved Run or a Matrix...');
  const list = page.locator('.quick-input-list .monaco-list-row');
  await list.filter({ hasText: 'order.go' }).waitFor(); // before it lists the open folder, it takes no other
  await page.locator('.quick-input-widget input').first().fill(`${elsewhere}/`);
  await list.filter({ hasText: 'slow.csv' }).click();
  const slow = list.filter({ hasText: '1. R slow' });
  await slow.waitFor();
  assert.doesNotMatch(await slow.innerText(), /before an edit/);
  await picture(page, 'loaded from elsewhere');
  await slow.click();
  await page.locator('.tab.active', { hasText: 'slow.py' }).waitFor();
  await page.getByRole('treeitem', { name: /^Rank 1, slow,/ }).waitFor();
  await page.locator('.statusbar-item', { hasText: 'spell: R' }).waitFor();
});
