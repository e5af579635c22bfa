import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { runCommand } from '../rig/editor.ts';
import { measurementEnded } from '../rig/measuring.ts';
import { scenes } from '../rig/scene.ts';
import { countInFrame, notification, palette, picture } from '../rig/ui.ts';
import { until } from '../rig/until.ts';
import { servers } from '../rig/workbench.ts';

// A new user goes through the walkthrough, and presses its buttons.

const scene = scenes({ settings: { 'spell.rounds': 1, 'spell.warmup': 0, 'spell.run': 'TestQuietSunday' } });

interface Manifest { contributes: { walkthroughs: { title: string; steps: { title: string }[] }[] } }

function manifest(): Manifest {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8')) as Manifest;
}

const steps = '.gettingStartedContainer .getting-started-step';

function step(page: Page, title: string): Locator {
  return page.locator(steps, { has: page.locator('.step-title', { hasText: new RegExp(`^${title}$`) }) });
}

/** Opens the walkthrough, or goes back to it. */
async function open(page: Page): Promise<void> {
  await palette(page, 'Welcome: Open Walkthrough...');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Find the Code that Wastes Energy' }).click();
  await page.locator(steps).first().waitFor();
}

/** Presses a button of a step. */
async function press(page: Page, title: string, button: string): Promise<void> {
  await step(page, title).click();
  await step(page, title).locator('.monaco-button', { hasText: button }).click();
}

async function ticked(page: Page, title: string): Promise<void> {
  await step(page, title).locator('[role=checkbox][aria-checked=true]').waitFor();
}

scene('the walkthrough opens with all its steps, each with its text', async ({ page, host }) => {
  await runCommand(host, 'workbench.action.closeSidebar'); // a narrow page has no texts beside the steps
  await open(page);
  const [walkthrough] = manifest().contributes.walkthroughs;
  assert.deepEqual(await page.locator(`${steps} .step-title`).allInnerTexts(), walkthrough?.steps.map(({ title }) => title));
  await step(page, 'Check the Meter').click();
  await until('the text of a step', async () => {
    const counts = await Promise.all(page.frames().map((frame) => countInFrame(frame.getByRole('heading', { name: 'Check the meter', exact: true }))));
    return counts.includes(1);
  });
  await picture(page, 'walkthrough');
});

scene('the button of the meter lists the meters', async ({ page, host }) => {
  await press(page, 'Check the Meter', 'Show Which Meters Work Here');
  await page.locator('.tab.active', { hasText: 'Energy Meters' }).waitFor();
  await page.locator('.view-line', { hasText: /^auto\s+takes\s\w/ }).waitFor();
  const listed = await host.run((vscode) => vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'spell')?.getText() ?? '');
  for (const meter of ['rapl', 'perf', 'gpu', 'model', 'none']) {
    assert.match(listed, new RegExp(`^${meter} `, 'm'));
  }
  await picture(page, 'meters');
  await runCommand(host, 'workbench.action.closeActiveEditor');
  await ticked(page, 'Check the Meter');
});

scene('the button of the server starts it anew', async (w) => {
  const [old] = servers(w);
  assert.ok(old !== undefined);
  await press(w.page, 'Get the Server', 'Look for It Again');
  await until('another server', () => servers(w).length === 1 && !servers(w).includes(old));
  await ticked(w.page, 'Get the Server');
});

scene('before the first measurement, the button of the report says that there is none', async ({ page }) => {
  await press(page, 'Read the Ranking', 'Show the Report');
  await notification(page, 'There are no results: nothing has been measured yet').getByText('Measure the Workspace').waitFor();
});

scene('the button of the first measurement measures', async (w) => {
  const { page, host } = w;
  await runCommand(host, 'notifications.clearAll');
  await press(page, 'Measure', 'Measure the Workspace');
  await notification(page, /Measuring energy: \S/).waitFor();
  await measurementEnded(w);
  await ticked(page, 'Measure');
  await picture(page, 'walkthrough measured');
});

scene('the buttons of the results show them', async ({ page, host }) => {
  const list = page.locator('.quick-input-list .monaco-list-row', { hasText: /\d\. \w parking\.\(\*Park\)\.Sort/ });
  for (const [title, button] of [['Read the Ranking', 'Show the Ranking'], ['Find What to Change', 'Drill into a Function']] as const) {
    await press(page, title, button);
    await list.waitFor();
    await page.keyboard.press('Escape');
    await ticked(page, title);
  }
  await runCommand(host, 'notifications.clearAll');
  await press(page, 'Compare', 'Set the Last Run as Baseline');
  await notification(page, /Run \S+ is now the baseline\./).waitFor();
  await press(page, 'Read the Ranking', 'Show the Report');
  await page.locator('.tab.active', { hasText: 'Energy Report' }).waitFor();
});
