// What a user does with keyboard and mouse, and what is seen then.

import path from 'node:path';
import { errors, type Frame, type Locator, type Page } from 'playwright-core';
import { runCommand } from './editor.ts';
import type { Host } from './host.ts';
import { until } from './until.ts';
import { evidence } from './workbench.ts';

/** How long a step may take, in ms, before what led to it is done again. */
const shortly = { timeout: 5000 };

/** Whether a step was done; not if it took too long. */
export async function done(step: (limit: { timeout: number }) => Promise<void>): Promise<boolean> {
  try {
    await step(shortly);
    return true;
  } catch (error) {
    if (error instanceof errors.TimeoutError) {
      return false;
    }
    throw error;
  }
}

/** The input of the palette, and of all that looks like it. */
function quickInput(page: Page): Locator {
  return page.locator('.quick-input-widget input').first();
}

/**
 * Opens a list by a key, types what makes a row the one to choose, and chooses it. The list is opened once
 * more where something took the focus, which closes it, or where the row is not there: a list of commands
 * that was opened before VS Code knows those of the extension stays without them.
 */
async function choose(page: Page, key: string, typed: string, row: string | RegExp): Promise<void> {
  const chosen = page.locator('.quick-input-list .monaco-list-row.focused', { hasText: row }); // the one that Enter would choose
  let again = false;
  await until(`${typed}, typed after ${key}`, async () => {
    if (again) {
      await page.keyboard.press('Escape');
    }
    again = true;
    await page.keyboard.press(key);
    return await done((limit) => quickInput(page).fill(typed, limit)) && await done((limit) => chosen.waitFor(limit));
  });
  await page.keyboard.press('Enter');
}

/** Runs a command by its title in the palette. */
export function palette(page: Page, title: string): Promise<void> {
  return choose(page, 'F1', `>${title}`, title);
}

/** Opens a file of the folder, and waits until its text can be edited. */
export async function openFile(page: Page, name: string): Promise<void> {
  await choose(page, 'Control+P', name, name);
  await page.locator('.tab.active', { hasText: name }).waitFor();
  await page.locator('.editor-instance .view-line').first().waitFor();
}

/** Opens the code actions at the cursor, once more where something took the focus, which closes them; gives their rows. */
export async function codeActions(page: Page, wanted: string): Promise<Locator> {
  const rows = page.locator('.action-widget .monaco-list-row');
  await until(`the code action ${wanted}`, async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+.');
    return await done((limit) => rows.filter({ hasText: wanted }).waitFor(limit));
  });
  return rows;
}

/** Moves the cursor to a line of the open file, from 1, and waits until it is there. */
export async function goTo(page: Page, line: number, column: number): Promise<void> {
  await choose(page, 'Control+G', `:${line}:${column}`, new RegExp(`line ${line}\\b`));
  await page.locator('.statusbar-item', { hasText: new RegExp(`^Ln ${line}, Col ${column}$`) }).waitFor();
}

/**
 * Code lenses that can be seen and run a command. VS Code keeps others in its page, and draws those that it
 * remembers of a file as mere text until it has asked for them again. Wait for one by waitForLens.
 */
export const lensText = '.codelens-decoration a:visible';

/**
 * Waits for a code lens of the active editor, with the focus in its text. VS Code asks for the lenses of a file a
 * quarter of a second or more after it was opened; if the text loses the focus before that, VS Code does not ask
 * until the text has the focus again.
 */
export async function waitForLens(host: Host, lens: Locator): Promise<void> {
  await until(`the code lens ${String(lens)}`, async () => {
    await runCommand(host, 'workbench.action.focusActiveEditorGroup');
    return done((limit) => lens.waitFor(limit));
  });
}

/** Rows of the ranking as a tree. */
export const treeRows = '.pane-body .monaco-list-row';

/** A notification, as it comes up or in the list of all. */
export function notification(page: Page, text: string | RegExp): Locator {
  return page.locator(':is(.notifications-toasts, .notifications-center) .notification-list-item', { hasText: text });
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

/** How many there are of something in a frame, which may go while it is asked. */
export function countInFrame(wanted: Locator): Promise<number> {
  return wanted.count().catch(() => 0);
}

/** The page of the report, which stands in frames of its own. */
export function report(page: Page): Promise<Frame> {
  return until('the report', async () => {
    for (const frame of page.frames()) {
      if (await countInFrame(frame.locator('main nav')) > 0) {
        return frame;
      }
    }
    return undefined;
  });
}
