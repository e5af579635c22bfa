// Measurements as a user starts them.

import { say } from './editor.ts';
import { notification, palette } from './ui.ts';
import { patience } from './until.ts';
import type { Workbench } from './workbench.ts';

/** Measures by a command of the palette until the last word, with progress that must be seen to begin within a time. */
export async function measured(w: Workbench, title: string, tests: number, beginMs = patience): Promise<void> {
  await say(w.host, 'notifications.clearAll');
  await palette(w.page, title);
  await notification(w.page, /Measuring energy: \S/).waitFor({ timeout: beginMs });
  await toldOf(w, tests);
}

/** Waits for the last word of a measurement, on a machine that may do other things as well. */
export async function toldOf({ page }: Workbench, tests: number): Promise<void> {
  await notification(page, new RegExp(`Measured \\d+ components? in ${tests} tests?\\. `)).waitFor({ timeout: 200_000 });
}
