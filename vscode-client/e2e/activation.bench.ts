import { test } from 'node:test';
import { startCodeServer } from './rig/codeserver.ts';
import { runCommand } from './rig/editor.ts';
import { isActive, startupTimes, type Times } from './rig/startup.ts';
import { openFile } from './rig/ui.ts';
import { until } from './rig/until.ts';
import { openWorkbench } from './rig/workbench.ts';

// How long the extension takes to start, five times in one VS Code. VS Code may open the
// file again itself when its window is shown anew.

const starts = 5;

/** The bar, on a quiet machine. */
const barMs = 150;

function median(numbers: number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}

test('the start of the extension', async (t) => {
  const code = await startCodeServer();
  t.after(() => code.stop());
  const { page, host, reload } = await openWorkbench(code, {});
  const list: Times[] = [];
  for (let start = 0; start < starts; start++) {
    if (start > 0) {
      await runCommand(host, 'workbench.action.closeAllEditors');
      await reload();
    }
    await openFile(page, 'order.go');
    await until('the extension', () => isActive(host));
    list.push(await startupTimes(host));
  }
  const tell = (...cells: (string | number)[]): void => { t.diagnostic(cells.map((cell) => String(cell).padStart(14)).join('')); };
  const medianOf = (of: (row: Times) => number): number => median(list.map(of));
  const both = ({ load, activate }: Times): number => load + activate;
  tell('start', 'load code', 'call activate', 'finish', 'load and call');
  list.forEach((row, i) => { tell(i + 1, row.load, row.activate, row.finish, both(row)); });
  tell('median', medianOf(({ load }) => load), medianOf(({ activate }) => activate), medianOf(({ finish }) => finish), medianOf(both));
  t.diagnostic(`the bar of load and call is ${barMs} ms on a quiet machine`);
});
