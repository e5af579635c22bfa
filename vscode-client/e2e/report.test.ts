import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { themes, violations, wear } from './rig/accessibility.ts';
import { scene } from './rig/scene.ts';
import { illustrate, openFile, palette, picture, report } from './rig/ui.ts';
import { until } from './rig/until.ts';
import { openWorkbench, type Workbench } from './rig/workbench.ts';

// The report of an earlier measurement, in the four themes.

let workbench: Workbench;
before(async () => { workbench = await openWorkbench({ measured: true }); });
after(() => workbench.stop());

scene('the report opens with its flame graph, and leads to the function', () => workbench, async ({ page }) => {
  await openFile(page, 'order.go');
  await page.locator('.statusbar-item', { hasText: 'spell: R' }).waitFor();
  await palette(page, 'SPELL: Open the Energy Flame Graph');
  const view = await report(page);
  await view.locator('#flame canvas').first().waitFor();
  for (const section of ['ranking', 'time', 'flame', 'categories', 'matrix']) {
    assert.equal(await view.locator(`#${section} h2`).count(), 1, section);
  }
  await picture(page, 'flame');
  await illustrate(page, 'report');
  await view.locator('nav a', { hasText: 'What makes the rank' }).click();
  await view.locator('#categories .link', { hasText: '(*Park).Oldest' }).click();
  await page.locator('.tab.active', { hasText: 'order.go' }).waitFor();
  await page.locator('.statusbar-item', { hasText: 'Ln 23' }).waitFor();
});

for (const theme of themes) {
  scene(`in the theme ${theme.name} the report can be read, and has names and roles`, () => workbench, async ({ page, host }) => {
    await wear(host, theme);
    await palette(page, 'SPELL: Show the Report');
    const view = await report(page);
    await picture(page, `report ${theme.name}`);
    assert.deepEqual(await violations(view, 'body'), []);
  });
}

scene('cleared, the report goes too', () => workbench, async ({ page }) => {
  await palette(page, 'SPELL: Show the Report');
  await report(page);
  const tab = page.locator('.tab', { hasText: 'Energy Report' });
  await palette(page, 'SPELL: Clear the Results');
  await until('the end of the report', async () => await tab.count() === 0);
});
