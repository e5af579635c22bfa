import path from 'node:path';
import { savedScene as scene } from '../rig/scene.ts';
import { goTo, lensText, openFile, palette, picture, waitForLens } from '../rig/ui.ts';

// A saved run that compares functions: each has a lens, and a click on it shows the comparison.

const alternatives = path.join(import.meta.dirname, '../../../lsp/editors/neovim/alternatives.json');

scene('the lens of one of several alternatives opens the comparison', async ({ page, host }) => {
  await openFile(page, 'park.go');
  await goTo(page, 41, 17);
  await host.run((vscode, file) => vscode.commands.executeCommand('spell-lsp.load', { path: file }), alternatives);
  const lens = page.locator(lensText, { hasText: '3.00 times the time of Park.Find at n=64' });
  await waitForLens(host, lens);
  await lens.click();
  const hover = page.locator('.monaco-hover:visible', { hasText: 'Park.Find is best' });
  for (const text of ['rank', '3.00 (', 'mean of 8 rounds']) {
    await hover.getByText(text).first().waitFor();
  }
  await picture(page, 'alternatives');
  await page.keyboard.press('Escape');
});

scene('a server that is started again does not show what was loaded', async ({ page, host }) => {
  await palette(page, 'SPELL: Restart the Server');
  await page.locator('.statusbar-item', { hasText: 'spell: R' }).waitFor();
  await waitForLens(host, page.locator(lensText, { hasText: 'grows as n log n' }));
  await page.locator(lensText, { hasText: 'times the time of' }).waitFor({ state: 'detached' });
});
