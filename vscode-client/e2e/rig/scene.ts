// A test in VS Code. When it fails, what can be seen and the logs are kept.

import { cpSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { evidence, type Workbench } from './workbench.ts';

/** How long one test may take, on a machine that does other things as well. */
const limit = 600_000;

/** Declares a test that acts in a VS Code, which is made before. */
export function scene(name: string, workbench: () => Workbench, act: (w: Workbench, t: TestContext) => Promise<void>): void {
  void test(name, { timeout: limit }, async (t) => {
    const w = workbench();
    try {
      await act(w, t);
    } catch (error) {
      const kept = await keep(name, w).catch((why: unknown) => `not all of what was seen was kept: ${String(why)}`);
      throw new Error(`${error instanceof Error ? error.message : String(error)}\n${kept}`, { cause: error });
    }
  });
}

/** Keeps the logs and a picture, and says where, with the words of what lies above the editors. */
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
