import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { diagnostics, runCommand } from '../rig/editor.ts';
import type { Host } from '../rig/host.ts';
import { measured } from '../rig/measuring.ts';
import { during } from '../rig/processes.ts';
import { scenes } from '../rig/scene.ts';
import { answer, lensText, notification, openFile, picture, waitForLens } from '../rig/ui.ts';
import { until } from '../rig/until.ts';

// A folder that was measured on the command line is opened in Restricted Mode.

const scene = scenes({
  trusted: false, settings: { 'spell.rounds': 1, 'spell.warmup': 0, 'spell.run': 'TestQuietSunday' },
  measured: ['--rounds', '1', '--warmup', '0', '--run', 'TestQuietSunday'],
});

scene('saved results are seen in Restricted Mode', async ({ page, host }) => {
  assert.equal(await host.run((vscode) => vscode.workspace.isTrusted), false);
  await openFile(page, 'order.go');
  await until('the diagnostics', async () => (await diagnostics(host)).some((d) => d.name === 'Sort'));
  await waitForLens(host, page.locator(lensText, { hasText: /^(RED|YELLOW|GREEN) #\d/ }).first());
  await picture(page, 'restricted');
});

/** Runs a command that measures until it ends, and waits until it is said that it may not: in the list, as VS Code lets few messages come up in a second. */
async function refused(page: Page, host: Host, command: string): Promise<void> {
  await runCommand(host, 'notifications.clearAll');
  await runCommand(host, command, { scope: 'workspace' });
  await runCommand(host, 'notifications.showList');
  await notification(page, 'the workspace is not trusted').getByText('Manage Workspace Trust').waitFor();
}

scene('nothing runs in Restricted Mode, whoever asks', async ({ page, host, processes }) => {
  const ran = await during(processes, async () => {
    for (const command of ['spell.measureWorkspace', 'spell-lsp.measure']) { // the second is what a lens calls
      await refused(page, host, command);
    }
  });
  assert.equal(ran.length, 1, ran.join('\n'));
  assert.match(ran[0] ?? '', /spell-lsp serve$/);
});

scene('once the folder is trusted it can be measured', async (w) => {
  const { page, host, processes } = w;
  await refused(page, host, 'spell.measureWorkspace');
  await answer(page, 'the workspace is not trusted', 'Manage Workspace Trust');
  await page.locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ }).click();
  await until('trust', () => host.run((vscode) => vscode.workspace.isTrusted));
  const ran = await during(processes, () => measured(w, 'SPELL: Measure Energy of the Workspace'));
  assert.ok(ran.some((line) => line.includes('.test ')), `no test was seen to run:\n${ran.join('\n')}`);
});
