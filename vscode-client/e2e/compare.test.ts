import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { diagnostics, edit, lenses, say } from './rig/editor.ts';
import { filesOf } from './rig/files.ts';
import type { Host } from './rig/host.ts';
import { scene } from './rig/scene.ts';
import { goTo, notification, openFile, palette, picture, report } from './rig/ui.ts';
import { until } from './rig/until.ts';
import { openWorkbench, type Workbench } from './rig/workbench.ts';

// A user looks into a function, makes the run the baseline, repairs the function,
// measures again and compares; then loads what another tool measured.

let workbench: Workbench;
let texts: Map<string, string>;
before(async () => {
  workbench = await openWorkbench({ settings: { 'spell.run': 'TestStocktaking', 'spell.rounds': 10, 'spell.warmup': 0 } });
  writeFileSync(path.join(workbench.folder, 'depot.py'), depot);
  writeFileSync(path.join(workbench.folder, 'matrix.csv'), matrix);
  texts = filesOf(workbench.folder);
});
after(() => workbench.stop());

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

const rows = '.pane-body .monaco-list-row';

/** Runs a command that measures, and waits for what it says at the end. */
async function measured({ page, host }: Workbench, title: string): Promise<void> {
  await say(host, 'notifications.clearAll');
  await palette(page, title);
  await notification(page, /Measured \d+ components? in 1 test/).waitFor({ timeout: 200_000 });
}

scene('drilled into, a function has diagnostics, lenses, marks and rows for its blocks', () => workbench, async (w) => {
  const { page, host } = w;
  await openFile(page, 'order.go');
  await page.locator('.activitybar .action-item', { has: page.getByLabel('SPELL') }).click();
  await measured(w, 'SPELL: Measure Energy of the Workspace');
  await until('the functions', async () => (await marked(host)).join() === 'Oldest,Sort');
  await goTo(page, 13, 1); // the function is that around the cursor
  await measured(w, 'SPELL: Drill into the Blocks of a Function');
  await until('the blocks', async () => (await marked(host)).join() === 'Oldest,Sort,for,for,if');
  assert.equal((await lenses(w, 'order.go')).length, 5);
  await until('a mark for each', async () => await page.locator('.cgmr[class*="ced-"]').count() === 5);
  await page.locator(rows, { hasText: 'Sort#for1.for1.if1' }).waitFor();
  await picture(page, 'blocks');
});

/** What has a diagnostic in order.go. */
async function marked(host: Host): Promise<string[]> {
  return (await diagnostics(host)).filter(({ file }) => file === 'order.go').map(({ name }) => name).sort();
}

scene('a run becomes the baseline', () => workbench, async ({ page }) => {
  await palette(page, 'SPELL: Set the Last Run as Baseline');
  await notification(page, /The run \S+ is what others are compared with from now on\./).waitFor();
});

scene('measured after a repair that is not saved, it says how much less energy is used than in the baseline', () => workbench, async (w) => {
  const { page, folder } = w;
  await edit(w, 'order.go', 9, 18, repaired);
  await measured(w, 'SPELL: Measure Energy of the Workspace');
  await notification(page, /this run uses [\d.]+ % less energy.* than the baseline/).waitFor();
  await page.locator('.codelens-decoration a', { hasText: /psi.* [\d.]+ % less energy, significant$/ }).first().waitFor();
  await page.locator(rows, { hasText: /Sort.*[\d.]+ % less energy, significant/ }).waitFor();
  await picture(page, 'compared');
  await saysAll(page, w.host);
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

scene('a matrix of another language is loaded, and leads to its source', () => workbench, async ({ page }) => {
  await palette(page, 'SPELL: Load a Saved Run or a Matrix...');
  const list = page.locator('.quick-input-list .monaco-list-row');
  await list.filter({ hasText: 'matrix.csv' }).click();
  const shelve = list.filter({ hasText: 'shelve' });
  await shelve.waitFor();
  assert.match(await shelve.innerText(), /psi 1\.00, 4\.20 J/);
  await shelve.click();
  await page.locator('.tab.active', { hasText: 'depot.py' }).waitFor();
  await page.locator('.statusbar-item', { hasText: 'Ln 5' }).waitFor();
  await page.locator('.codelens-decoration a', { hasText: /^RED #1 · psi 1\.00/ }).waitFor();
  await picture(page, 'loaded');
});

scene('a report that is opened at once after loading is of what was loaded', () => workbench, async ({ page, host, folder }) => {
  const file = path.join(folder, 'label.csv');
  writeFileSync(file, matrix.replaceAll('shelve', 'label'));
  await loadedAndShown(host, file);
  assert.match(await (await report(page)).locator('#ranking').innerText(), /label/);
});

scene('cleared while it is made, a report can be opened again', () => workbench, async ({ page, host, folder }) => {
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
