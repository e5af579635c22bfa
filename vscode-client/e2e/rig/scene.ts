// Scenes are tests in a real VS Code. Those of a file act in one window, one after the
// other, as a user does; when one fails, what can be seen and the logs are kept.

import { cpSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { startCodeServer, type CodeServer } from './codeserver.ts';
import { evidence, openWorkbench, type Options, type Workbench } from './workbench.ts';

/** Catches a scene that hangs, also on a busy machine. */
const limit = 600_000;

type Act = (w: Workbench, t: TestContext) => Promise<void>;

let code: Promise<CodeServer> | undefined;
/** The open window, with the options it was opened with. */
let shown: { options: Options; workbench: Promise<Workbench> } | undefined;

after(async () => {
  try {
    await (await shown?.workbench.catch(() => undefined))?.close();
  } finally {
    await (await code)?.stop();
  }
});

/** Returns a function that declares scenes in one window, which is opened for the first of them. */
export function scenes(options: Options): (name: string, act: Act) => void {
  return (name, act) => {
    void test(name, { timeout: limit }, async (t) => {
      const w = await windowOf(options);
      try {
        await act(w, t);
      } catch (error) {
        const kept = await keep(name, w).catch((why: unknown) => `not all of what was seen was kept: ${String(why)}`);
        throw new Error(`${error instanceof Error ? error.message : String(error)}\n${kept}`, { cause: error });
      }
    });
  };
}

/** Declares a scene in the window that all files of the folder saved share: a saved run is shown before and after each. */
export const savedScene = scenes({ saved: true });

function windowOf(options: Options): Promise<Workbench> {
  if (shown?.options !== options) {
    const before = shown?.workbench;
    shown = { options, workbench: opened(options, before) }; // kept also if it fails, so that the window's other scenes fail at once
  }
  return shown.workbench;
}

async function opened(options: Options, before: Promise<Workbench> | undefined): Promise<Workbench> {
  await (await before?.catch(() => undefined))?.close();
  return openWorkbench(await (code ??= startCodeServer()), options);
}

/** Keeps the logs and a picture; returns where, with the text of dialogs and notifications. */
async function keep(name: string, w: Workbench): Promise<string> {
  const folder = path.join(evidence, `failed ${name}`.replaceAll(/\W+/g, '-'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const log of ['code-server.log', 'user/logs']) {
    cpSync(path.join(w.home, log), path.join(folder, path.basename(log)), { recursive: true });
  }
  await w.page.screenshot({ path: path.join(folder, 'window.png') });
  const above = await w.page.locator('.quick-input-widget:visible, .notifications-toasts:visible, .monaco-dialog-box:visible').allInnerTexts();
  return `above the editors: ${JSON.stringify(above)}\nwhat was seen and the logs are in ${folder}`;
}
