// What VS Code says of the start of the extension.

import { runCommand } from './editor.ts';
import type { Host } from './host.ts';
import { until } from './until.ts';

/** Milliseconds, as the page "Startup Performance" has them. A busy machine blurs them: they are for the reader. */
export interface Times { load: number; activate: number; finish: number }

export function isActive(host: Host): Promise<boolean | undefined> {
  return host.run((vscode) => vscode.extensions.getExtension('spell-lsp.spell-lsp')?.isActive);
}

/** Opens that page, and reads the row of the extension, which a Go file has started: | extension | eager | load code | call activate | finish activate | event | by | */
export async function startupTimes(host: Host): Promise<Times> {
  await runCommand(host, 'perfview.show');
  const row = await until('the times of the extension', async () => {
    const page = await host.run((vscode) => vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'perf')?.getText());
    return page?.split('\n').find((line) => line.startsWith('| spell-lsp.spell-lsp '));
  });
  const [, , , load, activate, finish, event] = row.split('|').map((cell) => cell.trim());
  if (event !== 'onLanguage:go') {
    throw new Error(`the extension was started by ${event ?? 'nothing'}`);
  }
  return { load: Number(load), activate: Number(activate), finish: Number(finish) };
}
