import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { say } from './rig/editor.ts';
import type { Host } from './rig/host.ts';
import { scene } from './rig/scene.ts';
import { openFile } from './rig/ui.ts';
import { until } from './rig/until.ts';
import { openWorkbench, type Workbench } from './rig/workbench.ts';

// When the extension is started, and what VS Code says of how long that took. A busy
// machine blurs the times: they are for the reader, nothing depends on them. VS Code may
// open the file again itself when its window is shown anew.

let workbench: Workbench;
before(async () => { workbench = await openWorkbench(); });
after(() => workbench.stop());

const starts = 5;

/** The bar, on a quiet machine. */
const barMs = 150;

/** Milliseconds, as the page "Startup Performance" has them. */
interface Times { load: number; activate: number; finish: number }

function isActive(host: Host): Promise<boolean | undefined> {
  return host.run((vscode) => vscode.extensions.getExtension('spell-lsp.spell-lsp')?.isActive);
}

/** Its row in the table of VS Code: | extension | eager | load code | call activate | finish activate | event | by | */
async function times(host: Host): Promise<Times> {
  await say(host, 'perfview.show');
  const row = await until('the times of the extension', async () => {
    const page = await host.run((vscode) => vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'perf')?.getText());
    return page?.split('\n').find((line) => line.startsWith('| spell-lsp.spell-lsp '));
  });
  const [, , , load, activate, finish, event] = row.split('|').map((cell) => cell.trim());
  assert.equal(event, 'onLanguage:go');
  return { load: Number(load), activate: Number(activate), finish: Number(finish) };
}

function median(numbers: number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}

scene('the extension is started by a Go file, not before; VS Code tells how long it took', () => workbench, async ({ page, host, reload }, t) => {
  assert.equal(await isActive(host), false);
  const list: Times[] = [];
  for (let start = 0; start < starts; start++) {
    if (start > 0) {
      await say(host, 'workbench.action.closeAllEditors');
      await reload();
    }
    await openFile(page, 'order.go');
    await until('the extension', () => isActive(host));
    list.push(await times(host));
  }
  const tell = (...cells: (string | number)[]): void => { t.diagnostic(cells.map((cell) => String(cell).padStart(14)).join('')); };
  const medianOf = (of: (row: Times) => number): number => median(list.map(of));
  const both = ({ load, activate }: Times): number => load + activate;
  tell('start', 'load code', 'call activate', 'finish', 'load and call');
  list.forEach((row, i) => { tell(i + 1, row.load, row.activate, row.finish, both(row)); });
  tell('median', medianOf(({ load }) => load), medianOf(({ activate }) => activate), medianOf(({ finish }) => finish), medianOf(both));
  t.diagnostic(`the bar of load and call is ${barMs} ms on a quiet machine`);
});
