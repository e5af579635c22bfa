import assert from 'node:assert/strict';
import type { Frame, Page } from 'playwright-core';
import { runCommand } from '../rig/editor.ts';
import { savedScene as scene } from '../rig/scene.ts';
import { illustrate, openFile, palette, picture, report } from '../rig/ui.ts';
import { until } from '../rig/until.ts';

// The report of an earlier measurement: by mouse and by keyboard.

/** Waits until the editor shows a place, as the page writes it: order.go:9. */
async function shown(page: Page, place: string): Promise<void> {
  const [file, line] = place.split(':');
  assert.ok(file !== undefined && line !== undefined, `${place} is no place`);
  await page.locator('.tab.active', { hasText: file }).waitFor();
  await page.locator('.statusbar-item', { hasText: new RegExp(`^Ln ${line}, `) }).waitFor();
}

/** Opens the report by a command of the palette, and waits until keys go to it. */
async function opened(page: Page): Promise<Frame> {
  await palette(page, 'SPELL: Show the Report');
  return focused(page, '*');
}

/** Opens the flame graph of the report, and waits until the page has gone to it. */
async function openedFlame(page: Page): Promise<void> {
  await palette(page, 'SPELL: Open the Energy Flame Graph');
  await focused(page, '#flame-title');
}

/** Waits until something of the report's page has the focus; a page that has just been closed has not. */
function focused(page: Page, selector: string): Promise<Frame> {
  return until(`the focus of the report at ${selector}`, async () => {
    const view = await report(page);
    const there = view.evaluate((of) => document.hasFocus() && document.activeElement?.matches(of) === true, selector);
    return await there.catch(() => false) && view;
  });
}

/** Presses Tab until something has the focus; says whether it got it before the focus left the page. */
async function tab(page: Page, view: Frame, wanted: string): Promise<boolean> {
  const there = (selector: string): Promise<'there' | 'elsewhere' | 'left'> => view.evaluate((of) => {
    const at = document.activeElement;
    at?.setAttribute('data-reached', '');
    return at?.matches(of) === true ? 'there' : document.hasFocus() && at !== document.body ? 'elsewhere' : 'left';
  }, selector);
  let now: Awaited<ReturnType<typeof there>>;
  do {
    await page.keyboard.press('Tab');
    now = await there(wanted);
  } while (now === 'elsewhere');
  return now === 'there';
}

scene('the report opens with its flame graph, and leads to the function', async ({ page }) => {
  await openFile(page, 'order.go');
  await page.locator('.statusbar-item', { hasText: 'spell: R' }).waitFor();
  await palette(page, 'SPELL: Open the Energy Flame Graph');
  const view = await report(page);
  await view.locator('#flame canvas').first().waitFor();
  for (const section of ['ranking', 'time', 'flame', 'categories', 'matrix']) {
    assert.equal(await view.locator(`#${section} h2`).count(), 1, section);
  }
  await picture(page, 'flame');
  await illustrate(page, 'report');
  await view.locator('nav a', { hasText: 'What drives the rank' }).click();
  await view.locator('#categories .link', { hasText: '(*Park).Oldest' }).click();
  await shown(page, 'order.go:23');
});

scene('a click on a row, and on a frame of the flame graph, leads to the function', async ({ page }) => {
  const view = await opened(page);
  await view.locator('#ranking [role=gridcell]', { hasText: /^\(\*Park\)\.Add$/ }).click();
  await shown(page, 'park.go:41');
  await openedFlame(page);
  await view.locator('#flame canvas').click({ position: { x: 10, y: 30 } }); // the row of those that no function called
  const place = view.locator('#flame .chosen .link');
  await place.waitFor();
  const at = await place.innerText();
  await place.click();
  await shown(page, at);
});

scene('Tab reaches every control of the report', async ({ page, host }) => {
  await runCommand(host, 'workbench.action.closeAllEditors');
  const view = await opened(page);
  assert.equal(await tab(page, view, 'nowhere'), false);
  const controls = 'a[href], button, input, select, summary, [tabindex="0"]';
  const missed = await view.locator(controls).evaluateAll((all) =>
    all.filter((control) => control.checkVisibility() && !control.hasAttribute('data-reached')).map(({ outerHTML }) => outerHTML.slice(0, 200)));
  assert.deepEqual(missed, []);
  for (const [section, control] of [['ranking', '[role=grid]'], ['flame', 'canvas'], ['matrix', '[role=application]']] as const) {
    assert.equal(await view.locator(`#${section} ${control}[data-reached]`).count(), 1, section);
  }
});

scene('by keyboard alone, a row of the ranking and a frame of the flame graph lead to the function', async ({ page, host }) => {
  await runCommand(host, 'workbench.action.closeAllEditors');
  const view = await opened(page);
  assert.ok(await tab(page, view, '[role=grid]'));
  const row = view.locator('#ranking [role=row].active');
  const first = await row.innerText();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await row.innerText(), first);
  assert.equal(await view.locator('[role=grid]').getAttribute('aria-activedescendant'), await row.getAttribute('id'));
  await picture(page, 'report by keyboard');
  const place = await row.locator('[role=gridcell]').last().innerText();
  await page.keyboard.press('Enter');
  await shown(page, place);
  await openedFlame(page);
  assert.ok(await tab(page, view, '#flame canvas'));
  await page.keyboard.press('ArrowDown');
  const frame = await view.locator('#flame .chosen .link').innerText();
  await page.keyboard.press('o');
  await shown(page, frame);
});
