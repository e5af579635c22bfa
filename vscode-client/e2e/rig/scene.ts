// A test in VS Code. When it fails, what can be seen and the logs are kept.

import { cpSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { evidence, type Workbench } from './workbench.ts';

/** How long one test may take, on a machine that does other things as well. */
const limit = 300_000;

/** Declares a test that acts in a VS Code, which is made before. */
export function scene(name: string, workbench: () => Workbench, act: (w: Workbench, t: TestContext) => Promise<void>): void {
  void test(name, { timeout: limit }, async (t) => {
    const w = workbench();
    try {
      await act(w, t);
    } catch (error) {
      const kept = await keep(name, w);
      throw new Error(`${error instanceof Error ? error.message : String(error)}\nwhat was seen and the logs are in ${kept}`, { cause: error });
    }
  });
}

async function keep(name: string, w: Workbench): Promise<string> {
  const folder = path.join(evidence, `failed ${name}`.replaceAll(/\W+/g, '-'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const log of ['code-server.log', 'user/logs']) {
    cpSync(path.join(w.home, log), path.join(folder, path.basename(log)), { recursive: true });
  }
  await w.page.screenshot({ path: path.join(folder, 'window.png') });
  return folder;
}
