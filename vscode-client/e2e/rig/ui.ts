// What a user does with keyboard and mouse, and what is seen then.

import path from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { until } from './until.ts';
import { evidence } from './workbench.ts';

/** Runs a command by its title in the palette. */
export async function palette(page: Page, title: string): Promise<void> {
  const input = page.locator('.quick-input-widget input').first();
  await until('the palette', async () => { // a window that has just changed may take the focus back
    await page.keyboard.press('F1');
    return await input.waitFor({ timeout: 1000 }).then(() => true, () => false);
  });
  await input.fill(`>${title}`);
  await chosen(page, title).waitFor();
  await page.keyboard.press('Enter');
}

/** The row of a list that Enter would choose. */
function chosen(page: Page, text: string): Locator {
  return page.locator('.quick-input-list .monaco-list-row.focused', { hasText: text });
}

/** Opens a file of the folder, and waits until its text can be edited. */
export async function openFile(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+P');
  await page.locator('.quick-input-widget input').first().fill(name);
  await chosen(page, name).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.tab.active', { hasText: name }).waitFor();
  await page.locator('.editor-instance .view-line').first().waitFor();
}

/** Moves the cursor to a line of the open file, from 1, and waits until it is there. */
export async function goTo(page: Page, line: number, column: number): Promise<void> {
  await page.keyboard.press('Control+G');
  await page.locator('.quick-input-widget input').first().fill(`:${line}:${column}`);
  await page.keyboard.press('Enter');
  await page.locator('.statusbar-item', { hasText: `Ln ${line}, Col ${column}` }).waitFor();
}

export function notification(page: Page, text: string | RegExp): Locator {
  return page.locator('.notifications-toasts .notification-list-item', { hasText: text });
}

/** Presses a button of a notification. */
export async function answer(page: Page, text: string | RegExp, button: string): Promise<void> {
  await notification(page, text).locator('.monaco-button', { hasText: button }).click();
}

/** A picture of the window in the folder of the evidence. */
export async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: path.join(evidence, `${name}.png`) });
}

/** A picture for the README of the extension, where they are to be made anew. */
export async function illustrate(page: Page, name: string): Promise<void> {
  if (process.env['SPELL_SCREENSHOTS'] === '1') {
    await page.screenshot({ path: path.join(import.meta.dirname, '../../images', `${name}.png`) });
  }
}

/** The page of the report, which stands in frames of its own. */
export function report(page: Page): Promise<Frame> {
  return until('the report', async () => {
    for (const frame of page.frames()) {
      if (await frame.locator('main nav').count() > 0) {
        return frame;
      }
    }
    return undefined;
  });
}
