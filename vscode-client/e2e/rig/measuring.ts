// Measurements as a user starts them.

import { runCommand } from './editor.ts';
import { notification, palette } from './ui.ts';
import { patience } from './until.ts';
import type { Workbench } from './workbench.ts';

/** Measures by a command of the palette, sees its progress begin within a time, and waits for its end. */
export async function measured(w: Workbench, title: string, beginMs = patience): Promise<void> {
  await runCommand(w.host, 'notifications.clearAll');
  await palette(w.page, title);
  await notification(w.page, /Measuring energy: \S/).waitFor({ timeout: beginMs });
  await measurementEnded(w);
}

/** Waits for the message at the end of a measurement. */
export async function measurementEnded({ page }: Workbench): Promise<void> {
  await notification(page, / holds? [\d.]+ % of the /).waitFor({ timeout: 200_000 });
}
