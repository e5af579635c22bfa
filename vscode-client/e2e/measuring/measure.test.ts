import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { configure, diagnostics, hover, runCommand } from '../rig/editor.ts';
import { filesOf } from '../rig/files.ts';
import type { Host } from '../rig/host.ts';
import { measurementEnded } from '../rig/measuring.ts';
import { scenes } from '../rig/scene.ts';
import { answer, codeActions, goTo, lensText, notification, openFile, palette, picture, waitForLens } from '../rig/ui.ts';
import { isActive, startupTimes } from '../rig/startup.ts';
import { until } from '../rig/until.ts';

// A user opens the example, measures it, then a function of it, and cancels. The scenes
// go on from each other, as the user does.

/** The diagnostics of one file, which come together. */
async function ofOrder(host: Host): ReturnType<typeof diagnostics> {
  return (await diagnostics(host)).filter(({ file, code }) => file === 'order.go' && code === 'energy-leak');
}

const scene = scenes({ settings: { 'spell.rounds': 1, 'spell.warmup': 0 } });

scene('the extension is started by a Go file, not before; VS Code tells how long it took', async ({ page, host }, t) => {
  assert.equal(await isActive(host), false);
  await openFile(page, 'order.go');
  await until('the extension', () => isActive(host));
  const { load, activate, finish } = await startupTimes(host);
  t.diagnostic(`${load} ms to load, ${activate} ms to call, ${finish} ms until it was finished`);
  await runCommand(host, 'workbench.action.closeActiveEditor');
});

scene('a measurement from the palette shows its progress and says what came out', async (w) => {
  const { page, host } = w;
  await runCommand(host, 'notifications.clearAll');
  await palette(page, 'SPELL: Measure Energy of the Workspace');
  await notification(page, /Measuring energy: \S/).waitFor();
  await page.locator('.statusbar-item', { hasText: 'spell: measuring' }).waitFor();
  await picture(page, 'measuring');
  await notification(page, / holds? [\d.]+ % of the /).waitFor({ timeout: 200_000 });
  await page.locator('.statusbar-item', { hasText: /spell: \w \d+\.\d %/ }).waitFor();
  assert.ok((await diagnostics(host)).some(({ name }) => name === 'Sort'));
  await waitForLens(host, page.locator(lensText, { hasText: /#\d+ · psi 0\.\d{4} · E \d+\.\d %/ }).first());
  assert.match(await hover(w, 'order.go', 8, 17), /[Aa]llocates \d+\.\d % of the bytes/);
});

scene('a code action measures the function', async (w) => {
  const { page, host } = w;
  const before = new Set((await ofOrder(host)).map(({ message }) => message));
  await runCommand(host, 'notifications.clearAll');
  await goTo(page, 9, 17);
  const actions = await codeActions(page, 'Drill into blocks of (*Park).Sort');
  await picture(page, 'actions');
  await actions.filter({ hasText: 'Measure energy of (*Park).Sort' }).click();
  await measurementEnded(w);
  await until('its diagnostics, which may come after the message', async () => (await ofOrder(host)).every(({ message }) => !before.has(message)));
});

scene('code actions measure how a function grows, and keep its benchmark', async (w) => {
  const { page, host, folder } = w;
  const kept = path.join(folder, 'grow_parseregistration_test.go');
  await runCommand(host, 'notifications.clearAll');
  await openFile(page, 'car.go');
  await goTo(page, 35, 6);
  await (await codeActions(page, 'Measure how ParseRegistration grows')).filter({ hasText: 'Measure how ParseRegistration grows with its input' }).click();
  await notification(page, /ParseRegistration.* grows? .*with n, 16 to 65,536/).waitFor({ timeout: 200_000 });
  await picture(page, 'growth-measured');
  assert.ok(!existsSync(kept), 'the benchmark is not written before it is asked for');
  await (await codeActions(page, 'Keep this benchmark')).filter({ hasText: 'Keep this benchmark' }).click();
  await page.locator('.tab', { hasText: path.basename(kept) }).click();
  await page.locator('.view-line', { hasText: 'func BenchmarkGrow_ParseRegistration(' }).waitFor();
  await picture(page, 'growth-kept');
  await runCommand(host, 'workbench.action.files.save');
  await until('the file of the benchmark', () => Promise.resolve(readFileSync(kept, 'utf8').includes('func BenchmarkGrow_ParseRegistration(')));
  await runCommand(host, 'workbench.action.closeActiveEditor');
  rmSync(kept);
});

scene('cancelled by the button of its notification, a measurement leaves no process', async (w) => {
  const { page, host, processes } = w;
  await configure(w, { 'spell.rounds': 100, 'spell.warmup': 0 }); // it is not to end before the click
  await runCommand(host, 'notifications.clearAll');
  const shown = await ofOrder(host);
  await palette(page, 'SPELL: Measure Energy of the Workspace');
  await until('a test that runs', () => processes().some(({ command }) => command[0]?.endsWith('.test')));
  await answer(page, 'Measuring energy', 'Cancel');
  await page.locator('.statusbar-item', { hasText: 'Measurement cancelled' }).waitFor();
  await until('the end of its processes', () => processes().every(({ command }) => command.at(-1) === 'serve'));
  assert.deepEqual(await ofOrder(host), shown, 'what was shown stays');
});

scene('not a byte of the folder has changed', ({ folder, texts }) => {
  assert.deepEqual(filesOf(folder), texts);
  return Promise.resolve();
});
