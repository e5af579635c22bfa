import assert from 'node:assert/strict';
import { hover, lenses, runCommand } from '../rig/editor.ts';
import { savedScene as scene } from '../rig/scene.ts';
import { lensText, openFile, palette, report, waitForLens } from '../rig/ui.ts';
import { until } from '../rig/until.ts';

// Results are cleared: nothing of them is seen any more, and what was saved stays saved.

const marks = '.cgmr[class*="ced-"]';

scene('cleared, nothing is shown, and the report goes too', async (w) => {
  const { page, host } = w;
  await openFile(page, 'order.go');
  await page.locator('.statusbar-item', { hasText: 'spell: R' }).waitFor();
  await page.locator(marks).first().waitFor();
  await runCommand(host, 'spell.ranking.focus');
  await palette(page, 'SPELL: Show the Report');
  await report(page);
  await palette(page, 'SPELL: Clear the Results');
  await page.locator('.tab', { hasText: 'Energy Report' }).waitFor({ state: 'detached' });
  await page.locator('.statusbar-item', { hasText: /^ ?spell$/ }).waitFor();
  await page.locator('.pane-body', { hasText: 'Nothing has been measured yet.' }).waitFor();
  await until('the end of marks and lenses', async () => await page.locator(`${marks}, ${lensText}`).count() === 0);
  const problems = await host.run((vscode) => vscode.languages.getDiagnostics().flatMap(([, list]) => list).filter(({ source }) => source === 'spell').length);
  assert.equal(problems, 0, 'problems');
});

scene('a file that is opened then has nothing of them', async (w) => {
  const { page } = w;
  await openFile(page, 'park.go');
  assert.deepEqual(await lenses(w, 'park.go'), []); // the extension has asked the server for marks before
  assert.equal(await hover(w, 'park.go', 40, 17), '');
  assert.equal(await page.locator(`${marks}, ${lensText}`).count(), 0);
});

scene('a server that is started again shows what was saved', async ({ page, host }) => {
  await palette(page, 'SPELL: Restart the Server');
  await page.locator('.statusbar-item', { hasText: 'spell: R' }).waitFor();
  await page.locator(marks).first().waitFor();
  await waitForLens(host, page.locator(lensText).first());
});
