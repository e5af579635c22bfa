import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { diagnostics, say } from './rig/editor.ts';
import type { Host } from './rig/host.ts';
import { during } from './rig/processes.ts';
import { scene } from './rig/scene.ts';
import { answer, notification, openFile, palette, picture } from './rig/ui.ts';
import { until } from './rig/until.ts';
import { openWorkbench, type Workbench } from './rig/workbench.ts';

// A folder that was measured is opened in Restricted Mode.

let workbench: Workbench;
before(async () => { workbench = await openWorkbench({ trusted: false, measured: true, settings: { 'spell.rounds': 2, 'spell.warmup': 0 } }); });
after(() => workbench.stop());

scene('saved results are seen in Restricted Mode', () => workbench, async ({ page, host }) => {
  assert.equal(await host.run((vscode) => vscode.workspace.isTrusted), false);
  await openFile(page, 'order.go');
  await until('diagnostics', async () => (await diagnostics(host)).some((d) => d.name === 'Sort' && d.severity === 'Error'));
  await page.locator('.codelens-decoration a', { hasText: /^RED #\d/ }).waitFor();
  await picture(page, 'restricted');
});

/** Runs a command that measures, and waits until it is said that it may not; that message goes by itself. */
async function refused(page: Page, host: Host, command: string): Promise<void> {
  await say(host, 'notifications.clearAll');
  await host.run((vscode, id) => { void vscode.commands.executeCommand(id, { scope: 'workspace' }); }, command);
  await notification(page, 'the workspace is not trusted').getByText('Manage Workspace Trust').waitFor();
}

scene('nothing runs in Restricted Mode, whoever asks', () => workbench, async ({ page, host, processes }) => {
  const ran = await during(processes, async () => {
    for (const command of ['spell.measureWorkspace', 'spell-lsp.measure']) { // the second is what a lens calls
      await refused(page, host, command);
    }
    await sleep(1000); // what is started against the rule may take a while
  });
  assert.equal(ran.length, 1, ran.join('\n'));
  assert.match(ran[0] ?? '', /spell-lsp serve$/);
});

scene('once the folder is trusted it can be measured', () => workbench, async ({ page, host, processes }) => {
  await refused(page, host, 'spell.measureWorkspace');
  await answer(page, 'the workspace is not trusted', 'Manage Workspace Trust');
  await page.locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ }).click();
  await until('trust', () => host.run((vscode) => vscode.workspace.isTrusted));
  const ran = await during(processes, async () => {
    await palette(page, 'SPELL: Measure Energy of the Workspace');
    await notification(page, /Measured \d+ components? in 5 tests/).waitFor({ timeout: 200_000 });
  });
  assert.ok(ran.some((line) => line.includes('.test ')), `no test was seen to run:\n${ran.join('\n')}`);
});
