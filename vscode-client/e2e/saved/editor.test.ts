import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { configure, diagnostics, edit, hover, runCommand } from '../rig/editor.ts';
import { savedScene as scene } from '../rig/scene.ts';
import { goTo, lensText, openFile, palette, picture, report, waitForLens } from '../rig/ui.ts';
import { until } from '../rig/until.ts';

// What a saved run shows in the editor, and what an edit does to it.

scene('diagnostics have the three severities, say why, and link to what they mean', async ({ page, host }) => {
  await openFile(page, 'order.go');
  const found = await until('the diagnostics of this file, which VS Code asks for, and of others, which it gets', async () => {
    const all = (await diagnostics(host)).filter(({ code }) => code === 'energy-leak');
    return all.some(({ file }) => file === 'order.go') && all.some(({ file }) => file !== 'order.go') && all;
  });
  assert.deepEqual(new Set(found.map((d) => d.severity)), new Set(['Error', 'Warning', 'Hint']));
  assert.equal(found.find((d) => d.name === 'Sort')?.severity, 'Error');
  for (const d of found) {
    assert.match(d.message, /^#\d+ psi (?:\d\.\d{4}|<\.0001), [\d.]+ [mµn]?J( estimated)?/);
    assert.deepEqual([d.source, d.code], ['spell', 'energy-leak']);
    assert.match(d.link, /^https:/);
  }
});

scene('squiggles, lenses and the Problems view are seen', async ({ page, host }) => {
  await page.locator('.squiggly-error').first().waitFor();
  await page.locator('.squiggly-warning').first().waitFor();
  await waitForLens(host, page.locator(lensText, { hasText: /^RED #\d · psi 0\.\d{4} · E \d+\.\d %/ }));
  await palette(page, 'Problems: Focus on Problems View');
  const problems = page.locator('.markers-panel .monaco-list-row');
  await problems.filter({ hasText: /^#\d psi/ }).first().waitFor();
  assert.equal(await problems.filter({ hasText: 'There is little to gain' }).count(), 0, 'green functions are no problems');
  await picture(page, 'problems');
  await runCommand(host, 'workbench.action.closePanel');
  await openFile(page, 'car.go'); // all its functions are green
  await waitForLens(host, page.locator(lensText, { hasText: /^GREEN/ }).first());
  await openFile(page, 'order.go');
});

scene('a hover explains', async ({ page }) => {
  await goTo(page, 9, 17);
  await palette(page, 'Show or Focus Hover');
  const hover = page.locator('.monaco-hover:visible', { hasText: '(*Park).Sort' });
  for (const text of [/#\d of 15/, 'with callees', 'TestFestival', 'measured 20']) {
    await hover.getByText(text).first().waitFor();
  }
  await picture(page, 'hover');
  await page.keyboard.press('Escape');
});

scene('a hover leaves out what the problem above it says, unless VS Code is set to show none', async (w) => {
  const why = (await diagnostics(w.host)).find(({ name }) => name === 'Sort')?.message.split(': ')[1] ?? '';
  assert.match(why, /\w+ \w+/);
  const says = async (): Promise<boolean> => (await hover(w, 'order.go', 8, 16)).replaceAll('\\', '').includes(why);
  assert.equal(await says(), false);
  await configure(w, { 'problems.visibility': false });
  assert.equal(await says(), true);
  await configure(w, { 'problems.visibility': true });
});

scene('a lens, a hover and the report say how a function grows with its input', async (w) => {
  const { page, host } = w;
  await openFile(page, 'park.go');
  await goTo(page, 41, 17);
  await waitForLens(host, page.locator(lensText, { hasText: 'grows as n log n with len(p.cars)' }));
  const said = (await hover(w, 'park.go', 40, 17)).replaceAll('\\', '');
  assert.match(said, /Grows as n log n with len\(p\.cars\), 1 to 1,579 .*: time with callees per call\. Extrapolated: /);
  await picture(page, 'growth-lens');
  await palette(page, 'SPELL: Show the Report');
  const view = await report(page);
  await view.locator('nav a', { hasText: 'Growth with the size of the input' }).click();
  await view.locator('#growth canvas').waitFor();
  await view.locator('#growth .growth').focus();
  await page.keyboard.press('ArrowRight');
  await view.locator('#growth [role=status]', { hasText: 'len(p.cars) 1: ' }).waitFor();
  await picture(page, 'growth-plot');
  await runCommand(host, 'workbench.action.closeActiveEditor');
  await openFile(page, 'order.go');
});

scene('the ranking leads to the function', async ({ page }) => {
  await page.locator('.statusbar-item', { hasText: /spell: \w \d+\.\d %/ }).click();
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await rows.filter({ hasText: /\d\. R parking\.\(\*Park\)\.Sort/ }).waitFor();
  await picture(page, 'ranking-list');
  await page.locator('.quick-input-widget input').first().fill('Park).Add');
  await rows.first().filter({ hasText: 'parking.(*Park).Add' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.tab.active', { hasText: 'park.go' }).waitFor();
  await page.locator('.statusbar-item', { hasText: 'Ln 41' }).waitFor();
});

scene('an edit makes its function stale, takes the colour of its mark, and changes no other; undone, all is fresh again', async (w) => {
  const { page, host } = w;
  await openFile(page, 'order.go');
  const oldest = async (): Promise<string | undefined> => (await diagnostics(host)).find((d) => d.name === 'Oldest')?.message;
  const before = await oldest();
  const marks = page.locator('.cgmr[class*="ced-"]');
  await until('two marks', async () => await marks.count() === 2);
  const fresh = await backgrounds(marks);
  assert.equal(new Set(fresh).size, 2, 'a red and a yellow function look the same');
  await edit(w, 'order.go', 9, 9, '\tprintln("🚗")\n');
  await until('a stale result', async () => (await diagnostics(host)).some((d) =>
    d.name === 'Sort' && d.message.includes('measured before this edit') && d.severity === 'Hint'));
  assert.equal(await oldest(), before);
  await waitForLens(host, page.locator(lensText, { hasText: 'measured before this edit' }));
  await until('a mark that is stale', async () => {
    const now = await backgrounds(marks);
    return now[0] !== fresh[0] && now[1] === fresh[1];
  });
  await picture(page, 'stale');
  for (const back of ['undo', 'workbench.action.files.revert']) {
    await runCommand(host, back);
    await until('the fresh result', async () => (await diagnostics(host)).some((d) => d.name === 'Sort' && d.severity === 'Error'));
    await until('the mark as it was', async () => (await backgrounds(marks))[0] === fresh[0]);
    await edit(w, 'order.go', 9, 9, '\tprintln()\n');
    await until('a mark that is stale', async () => (await backgrounds(marks))[0] !== fresh[0]);
  }
  await runCommand(host, 'workbench.action.files.revert');
});

scene('with heat, the costliest lines say what they hold', async (w) => {
  const { page } = w;
  await openFile(page, 'order.go');
  await configure(w, { 'spell.heat': true });
  const behind = (text: string): Promise<boolean> => page.evaluate((wanted) =>
    [...document.querySelectorAll('.view-line span')].some((span) => getComputedStyle(span, '::after').content.includes(wanted)), text);
  await until('the text behind a line', () => behind('of the self time'));
  await picture(page, 'heat');
  await configure(w, { 'spell.heat': false });
  await until('no text behind a line', async () => !await behind('of the self time'));
});

/** What each of some elements has as its background. */
function backgrounds(elements: Locator): Promise<string[]> {
  return elements.evaluateAll((all) => all.map((element) => getComputedStyle(element).backgroundImage));
}
