import assert from 'node:assert/strict';
import { themes, violations, setTheme } from '../rig/accessibility.ts';
import { runCommand } from '../rig/editor.ts';
import { savedScene as scene } from '../rig/scene.ts';
import { illustrate, lensText, openFile, palette, picture, report, waitForLens } from '../rig/ui.ts';

// What a saved run shows, in the four themes.

const ours = ['color-contrast', 'aria-command-name', 'button-name', 'image-alt'];

for (const theme of themes) {
  scene(`in the theme ${theme.name} what is shown can be read, and has names and roles`, async ({ page, host }) => {
    await setTheme(host, theme);
    await runCommand(host, 'workbench.action.closeAllEditors');
    await openFile(page, 'order.go');
    await waitForLens(host, page.locator(lensText).first());
    await runCommand(host, 'workbench.view.extension.spell'); // takes the focus: not before the lens is there
    await picture(page, `editor ${theme.name}`);
    if (theme.name === 'Dark Modern') {
      await illustrate(page, 'editor');
    }
    assert.deepEqual(await violations(page, '[id="spell-lsp.spell-lsp.spell.status"]', ours), [], 'the status bar');
    assert.deepEqual(await violations(page, '.pane-body .monaco-list-rows', ours), [], 'the tree');
  });

  scene(`in the theme ${theme.name} the report can be read, and has names and roles`, async ({ page }) => {
    await palette(page, 'SPELL: Show the Report');
    const view = await report(page);
    await picture(page, `report ${theme.name}`);
    assert.deepEqual(await violations(view, 'body'), []);
    await view.locator('nav a', { hasText: 'Growth with the size of the input' }).click();
    await view.locator('#growth canvas').waitFor();
    await picture(page, `growth ${theme.name}`); // what a canvas shows, no rule of accessibility checks
  });
}
