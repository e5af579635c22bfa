import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { diagnostics, edit, measuredWell, say } from './rig/editor.ts';
import { filesOf } from './rig/files.ts';
import { scene } from './rig/scene.ts';
import { answer, goTo, notification, openFile, palette, picture } from './rig/ui.ts';
import { until } from './rig/until.ts';
import { openWorkbench, type Workbench } from './rig/workbench.ts';

// A user opens the example, measures, looks at what came out, edits, measures a
// function, and cancels. The tests go on from each other, as the user does.

let workbench: Workbench;
let texts: Map<string, string>;

/** How long the server may take to begin; a server that says nothing is not waited for. */
const patience = 1000 * Number(process.env['SPELL_PATIENCE'] ?? '60');

const settings = { 'spell.rounds': 3, 'spell.warmup': 0, 'spell.server.path': process.env['SPELL_SERVER'] ?? '' };

before(async () => {
  workbench = await openWorkbench({ settings });
  texts = filesOf(workbench.folder);
});
after(() => workbench.stop());

scene('a measurement from the palette shows its progress and says what came out', () => workbench, async ({ page, host }) => {
  await openFile(page, 'order.go');
  await measuredWell(host, async () => {
    await say(host, 'notifications.clearAll');
    await palette(page, 'SPELL: Measure Energy of the Workspace');
    await notification(page, /Measuring energy: \S/).waitFor({ timeout: patience });
    await page.locator('.statusbar-item', { hasText: 'spell: measuring' }).waitFor();
    await picture(page, 'measuring');
    await notification(page, /Measured \d+ components? in 5 tests\. Highest psi: /).waitFor({ timeout: 200_000 });
  });
  await page.locator('.statusbar-item', { hasText: /spell: \w \d\.\d\d/ }).waitFor();
});

scene('diagnostics have the three severities, say why, and link to what they mean', () => workbench, async ({ host }) => {
  const found = await diagnostics(host);
  assert.deepEqual(new Set(found.map((d) => d.severity)), new Set(['Error', 'Warning', 'Hint']));
  assert.equal(found.find((d) => d.name === 'Sort')?.severity, 'Error');
  for (const d of found) {
    assert.match(d.message, /^#\d+ psi <?\d\.\d\d, [\d.]+ [mµn]?J( estimated)?/);
    assert.deepEqual([d.source, d.code], ['spell', 'energy-leak']);
    assert.match(d.link, /^https:/);
  }
});

scene('squiggles, lenses and the Problems view are seen', () => workbench, async ({ page, host }) => {
  await page.locator('.squiggly-error').first().waitFor();
  await page.locator('.squiggly-warning').first().waitFor();
  await page.locator('.codelens-decoration a', { hasText: /^RED #\d · psi 0\.\d\d · E 0\.\d\d/ }).waitFor();
  await palette(page, 'Problems: Focus on Problems View');
  const problems = page.locator('.markers-panel .monaco-list-row');
  await problems.filter({ hasText: /^#\d psi/ }).first().waitFor();
  assert.equal(await problems.filter({ hasText: 'There is little to gain' }).count(), 0, 'green functions are no problems');
  await picture(page, 'problems');
  await say(host, 'workbench.action.closePanel');
  await openFile(page, 'car.go'); // all its functions are green
  await page.locator('.codelens-decoration a', { hasText: /^GREEN/ }).first().waitFor();
  await openFile(page, 'order.go');
});

scene('a hover explains, and a code action measures the function', () => workbench, async ({ page, host }) => {
  await goTo(page, 9, 17);
  await palette(page, 'Show or Focus Hover');
  const hover = page.locator('.monaco-hover:visible', { hasText: '(*Park).Sort' });
  for (const text of [/#\d of 15/, 'with callees', 'TestFestival', 'measured 20']) {
    await hover.getByText(text).first().waitFor();
  }
  await picture(page, 'hover');
  await page.keyboard.press('Escape');
  await measuredWell(host, async () => {
    await say(host, 'notifications.clearAll');
    await goTo(page, 9, 17);
    await page.keyboard.press('Control+.');
    const actions = page.locator('.action-widget .monaco-list-row');
    await actions.filter({ hasText: 'Drill into blocks of (*Park).Sort' }).waitFor();
    await picture(page, 'actions');
    await actions.filter({ hasText: 'Measure energy of (*Park).Sort' }).click();
    await notification(page, /Measured \d+ components? in 5 tests/).waitFor({ timeout: 200_000 });
  });
});

scene('the ranking leads to the function', () => workbench, async ({ page }) => {
  await page.locator('.statusbar-item', { hasText: /spell: \w \d/ }).click();
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await rows.filter({ hasText: /\d\. R parking\.\(\*Park\)\.Sort/ }).waitFor();
  await picture(page, 'ranking-list');
  await page.locator('.quick-input-widget input').first().fill('Park).Add');
  await rows.first().filter({ hasText: 'parking.(*Park).Add' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.tab.active', { hasText: 'park.go' }).waitFor();
  await page.locator('.statusbar-item', { hasText: 'Ln 41' }).waitFor();
});

scene('an edit makes its function stale and no other; undone, it is fresh again', () => workbench, async (w) => {
  const { page, host } = w;
  await openFile(page, 'order.go');
  const oldest = async (): Promise<string | undefined> => (await diagnostics(host)).find((d) => d.name === 'Oldest')?.message;
  const before = await oldest();
  await edit(w, 'order.go', 9, 9, '\tprintln("🚗")\n');
  await until('a stale result', async () => (await diagnostics(host)).some((d) =>
    d.name === 'Sort' && d.message.includes('measured before this edit') && d.severity === 'Hint'));
  assert.equal(await oldest(), before);
  await page.locator('.codelens-decoration a', { hasText: 'measured before this edit' }).waitFor();
  await picture(page, 'stale');
  await host.run((vscode) => vscode.commands.executeCommand('undo'));
  await until('the fresh result', async () => (await diagnostics(host)).some((d) => d.name === 'Sort' && d.severity === 'Error'));
});

scene('cancelled by the button of its notification, a measurement leaves no process', () => workbench, async ({ page, host, processes }) => {
  await say(host, 'notifications.clearAll');
  const shown = await diagnostics(host);
  await palette(page, 'SPELL: Measure Energy of the Workspace');
  await until('a test that runs', () => processes().some(({ command }) => command[0]?.endsWith('.test')));
  await answer(page, 'Measuring energy', 'Cancel');
  await page.locator('.statusbar-item', { hasText: 'Measurement cancelled' }).waitFor();
  await until('the end of its processes', () => processes().every(({ command }) => command.at(-1) === 'serve'));
  assert.deepEqual(await diagnostics(host), shown, 'what was shown stays');
});

scene('not a byte of the folder has changed', () => workbench, ({ folder }) => {
  assert.deepEqual(filesOf(folder), texts);
  return Promise.resolve();
});
