import assert from 'node:assert/strict';
import { themes, violations, wear } from '../rig/accessibility.ts';
import { say } from '../rig/editor.ts';
import { savedScene as scene } from '../rig/scene.ts';
import { illustrate, lensText, openFile, palette, picture, report } from '../rig/ui.ts';

// What a saved run shows, in the four themes.

const ours = ['color-contrast', 'aria-command-name', 'button-name', 'image-alt'];

for (const theme of themes) {
  scene(`in the theme ${theme.name} what is shown can be read, and has names and roles`, async ({ page, host }) => {
    await wear(host, theme);
    await say(host, 'workbench.action.closeAllEditors');
    await openFile(page, 'order.go');
    await say(host, 'workbench.view.extension.spell');
    await page.locator(lensText).first().waitFor();
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
  });
}
