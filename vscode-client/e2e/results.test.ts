import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { themes, violations, wear } from './rig/accessibility.ts';
import { configure, diagnostics, edit, hover, say } from './rig/editor.ts';
import { scene } from './rig/scene.ts';
import { illustrate, openFile, palette, picture } from './rig/ui.ts';
import { until } from './rig/until.ts';
import { openWorkbench, type Workbench } from './rig/workbench.ts';

// The tree and the marks of an earlier measurement, in the four themes.

let workbench: Workbench;
before(async () => { workbench = await openWorkbench({ measured: true }); });
after(() => workbench.stop());

const rows = '.pane-body .monaco-list-row';

/** What each of some elements has as its background. */
function backgrounds(elements: Locator): Promise<string[]> {
  return elements.evaluateAll((all) => all.map((element) => getComputedStyle(element).backgroundImage));
}

scene('the tree shows the ranking, in words as well', () => workbench, async ({ page }) => {
  await openFile(page, 'order.go');
  await page.locator('.activitybar .action-item', { has: page.getByLabel('SPELL') }).click();
  const sort = page.locator(rows, { hasText: '(*Park).Sort' });
  await sort.waitFor();
  assert.match(await sort.getAttribute('aria-label') ?? '', /^Rank \d, parking\.\(\*Park\)\.Sort, red zone, psi 0\.\d\d, [\d.]+ [mµ]?J( estimated)?, 55 calls, [\d.]+ m?s/);
  assert.equal(await page.locator(rows).count(), 15);
  await illustrate(page, 'ranking');
});

scene('the tree is walked by keyboard, and leads to the function', () => workbench, async ({ page, host }) => {
  await say(host, 'spell.ranking.focus');
  await page.keyboard.press('Home');
  await until('the row of Add', async () => {
    const there = await page.locator(`${rows}.focused`, { hasText: /\(\*Park\)\.Add(?!All)/ }).count() === 1;
    await page.keyboard.press(there ? 'Enter' : 'ArrowDown');
    return there;
  });
  await page.locator('.tab.active', { hasText: 'park.go' }).waitFor();
  await page.locator('.statusbar-item', { hasText: 'Ln 41' }).waitFor();
});

scene('the tree is grouped and filtered', () => workbench, async ({ page }) => {
  await palette(page, 'SPELL: Group the Ranking...');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'By file' }).click();
  await page.locator(rows, { hasText: 'order.go' }).waitFor();
  await palette(page, 'SPELL: Filter the Ranking...');
  await page.locator('.quick-input-widget input').first().fill('Oldest');
  await page.keyboard.press('Enter');
  await until('the filter', async () => await page.locator(rows).count() === 2);
  await palette(page, 'SPELL: Clear the Filter of the Ranking');
  await until('all rows', async () => await page.locator(rows).count() > 15);
});

scene('marks stand beside measured functions; an edit takes their colour', () => workbench, async (w) => {
  const { page, host } = w;
  await openFile(page, 'order.go');
  const marks = page.locator('.cgmr[class*="ced-"]');
  await until('two marks', async () => await marks.count() === 2);
  const fresh = await backgrounds(marks);
  assert.equal(new Set(fresh).size, 2, 'a red and a yellow function look the same');
  await edit(w, 'order.go', 9, 9, '\tprintln()\n');
  await until('a mark that is stale', async () => {
    const now = await backgrounds(marks);
    return now[0] !== fresh[0] && now[1] === fresh[1];
  });
  await say(host, 'workbench.action.files.revert');
  await until('the mark as it was', async () => (await backgrounds(marks))[0] === fresh[0]);
});

scene('a hover leaves out what the problem above it says, unless VS Code is set to show none', () => workbench, async (w) => {
  const problem = await until('the fresh result', async () =>
    (await diagnostics(w.host)).find(({ name, severity }) => name === 'Sort' && severity === 'Error'));
  const why = problem.message.split(': ')[1] ?? '';
  assert.match(why, /\w+ \w+/);
  const says = async (): Promise<boolean> => (await hover(w, 'order.go', 8, 16)).replaceAll('\\', '').includes(why);
  assert.equal(await says(), false);
  await configure(w, { 'problems.visibility': false });
  assert.equal(await says(), true);
  await configure(w, { 'problems.visibility': true });
});

for (const theme of themes) {
  scene(`in the theme ${theme.name} what is shown can be read, and has names and roles`, () => workbench, async ({ page, host }) => {
    await wear(host, theme);
    await say(host, 'workbench.action.closeAllEditors');
    await openFile(page, 'order.go');
    await page.locator('.codelens-decoration a').first().waitFor();
    await picture(page, `editor ${theme.name}`);
    if (theme.name === 'Dark Modern') {
      await illustrate(page, 'editor');
    }
    const ours = ['color-contrast', 'aria-command-name', 'button-name', 'image-alt'];
    assert.deepEqual(await violations(page, '[id="spell-lsp.spell-lsp.spell.status"]', ours), [], 'the status bar');
    assert.deepEqual(await violations(page, '.pane-body .monaco-list-rows', ours), [], 'the tree');
  });
}

scene('cleared, nothing is shown', () => workbench, async ({ page, host }) => {
  await say(host, 'workbench.action.closeAllEditors');
  await palette(page, 'SPELL: Clear the Results');
  await page.locator('.statusbar-item', { hasText: /^ ?spell$/ }).waitFor();
  await page.locator('.pane-body', { hasText: 'Nothing has been measured yet.' }).waitFor();
  await openFile(page, 'order.go');
  await page.waitForTimeout(3000); // what is still drawn comes within that
  assert.equal(await page.locator('.cgmr[class*="ced-"]').count(), 0, 'marks');
  assert.equal(await page.locator('.codelens-decoration a').count(), 0, 'lenses');
  const problems = await host.run((vscode) => vscode.languages.getDiagnostics().flatMap(([, list]) => list).filter(({ source }) => source === 'spell').length);
  assert.equal(problems, 0, 'problems');
});

scene('a run of a folder that is not open is shown by its ranking once it is loaded', () => workbench, async ({ page, home }) => {
  const elsewhere = path.join(home, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(path.join(elsewhere, 'slow.py'), 'pass\n');
  writeFileSync(path.join(elsewhere, 'matrix.csv'), 'test,component,file,line,cpu_J,n,time_ms\nall,slow,slow.py,1,2,1,10\n');
  await palette(page, 'SPELL: Load a Saved Run or a Matrix...');
  const list = page.locator('.quick-input-list .monaco-list-row');
  await list.filter({ hasText: 'order.go' }).waitFor(); // before it lists the open folder, it takes no other
  await page.locator('.quick-input-widget input').first().fill(`${elsewhere}/`);
  await list.filter({ hasText: 'matrix.csv' }).click();
  const slow = list.filter({ hasText: '1. R slow' });
  await slow.waitFor();
  assert.doesNotMatch(await slow.innerText(), /before an edit/);
  await picture(page, 'loaded from elsewhere');
  await slow.click();
  await page.locator('.tab.active', { hasText: 'slow.py' }).waitFor();
  await page.getByRole('treeitem', { name: /^Rank 1, slow,/ }).waitFor();
  await page.locator('.statusbar-item', { hasText: 'spell: R' }).waitFor();
});
