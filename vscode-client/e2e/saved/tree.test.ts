import assert from 'node:assert/strict';
import { runCommand } from '../rig/editor.ts';
import { savedScene as scene } from '../rig/scene.ts';
import { illustrate, openFile, palette, treeRows } from '../rig/ui.ts';
import { until } from '../rig/until.ts';

// The ranking of a saved run as a tree.

scene('the tree shows the ranking, in words as well', async ({ page, host }) => {
  await openFile(page, 'order.go');
  await runCommand(host, 'workbench.view.explorer');
  await page.locator('.activitybar .action-item', { has: page.getByLabel('SPELL') }).click();
  const sort = page.locator(treeRows, { hasText: '(*Park).Sort' });
  await sort.waitFor();
  assert.match(await sort.getAttribute('aria-label') ?? '', /^Rank \d, parking\.\(\*Park\)\.Sort, red zone, psi 0\.\d{4}, [\d.]+ [mµ]?J( estimated)?, 55 calls, [\d.]+ m?s/);
  assert.equal(await page.locator(treeRows).count(), 15);
  await illustrate(page, 'ranking');
});

scene('the tree is walked by keyboard, and leads to the function', async ({ page, host }) => {
  await runCommand(host, 'spell.ranking.focus');
  await page.keyboard.press('Home');
  await until('the row of Add', async () => {
    const there = await page.locator(`${treeRows}.focused`, { hasText: /\(\*Park\)\.Add(?!All)/ }).count() === 1;
    await page.keyboard.press(there ? 'Enter' : 'ArrowDown');
    return there;
  });
  await page.locator('.tab.active', { hasText: 'park.go' }).waitFor();
  await page.locator('.statusbar-item', { hasText: 'Ln 41' }).waitFor();
});

scene('the tree is grouped and filtered', async ({ page }) => {
  await palette(page, 'SPELL: Group the Ranking...');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'By file' }).click();
  await page.locator(treeRows, { hasText: 'order.go' }).waitFor();
  await palette(page, 'SPELL: Filter the Ranking...');
  await page.locator('.quick-input-widget input').first().fill('Oldest');
  await page.keyboard.press('Enter');
  await until('the filter', async () => await page.locator(treeRows).count() === 2);
  await palette(page, 'SPELL: Clear the Filter of the Ranking');
  await until('all rows', async () => await page.locator(treeRows).count() > 15);
});
