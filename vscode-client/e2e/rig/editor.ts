// What the extension gave to VS Code, asked for through its API.

import path from 'node:path';
import type { Host } from './host.ts';
import { until } from './until.ts';
import { writeSettings, type Workbench } from './workbench.ts';

export interface Found {
  file: string;
  /** The text that the diagnostic stands on. */
  name: string;
  severity: string;
  message: string;
  source: string;
  code: string;
  /** Where its code leads; empty if nowhere. */
  link: string;
}

/** The diagnostics of all files. */
export function diagnostics(host: Host): Promise<Found[]> {
  return host.run(async (vscode) => {
    const found = [];
    for (const [uri, all] of vscode.languages.getDiagnostics()) {
      const document = await vscode.workspace.openTextDocument(uri);
      for (const { range, severity, message, source = '', code } of all) {
        const linked = typeof code === 'object' ? code : { value: code, target: '' };
        found.push({
          file: vscode.workspace.asRelativePath(uri), name: document.getText(range), severity: vscode.DiagnosticSeverity[severity],
          message, source, code: String(linked.value), link: String(linked.target),
        });
      }
    }
    return found;
  });
}

/** The text of the hover at a place of a file, which counts from 0. */
export function hover({ host, folder }: Workbench, file: string, line: number, character: number): Promise<string> {
  return host.run(async (vscode, name, ...at) => {
    const all = await vscode.commands.executeCommand<{ contents: (string | { value: string })[] }[]>(
      'vscode.executeHoverProvider', vscode.Uri.file(name), new vscode.Position(...at));
    return all.flatMap(({ contents }) => contents.map((part) => typeof part === 'string' ? part : part.value)).join('\n');
  }, path.join(folder, file), line, character);
}

/** The titles of a file's code lenses. */
export function lenses({ host, folder }: Workbench, file: string): Promise<string[]> {
  return host.run(async (vscode, name) => {
    const uri = vscode.Uri.file(name);
    const all = await vscode.commands.executeCommand<{ command?: { title: string } }[]>('vscode.executeCodeLensProvider', uri, 1000);
    return all.map(({ command }) => command?.title ?? '');
  }, path.join(folder, file));
}

/** Replaces lines of a file, from 0 and without the last, and does not save it. */
export async function edit({ host, folder }: Workbench, file: string, from: number, to: number, text: string): Promise<void> {
  await host.run(async (vscode, name, first, last, replacement) => {
    const change = new vscode.WorkspaceEdit();
    change.replace(vscode.Uri.file(name), new vscode.Range(first, 0, last, 0), replacement);
    await vscode.workspace.applyEdit(change);
  }, path.join(folder, file), from, to, text);
}

/** Replaces the settings of the machine, and waits until VS Code has read them. */
export async function configure({ host, home }: Workbench, settings: Record<string, string | number | boolean>): Promise<void> {
  writeSettings(home, 'Machine', settings);
  await until('the settings', () => host.run((vscode, wanted) =>
    Object.entries(wanted).every(([key, value]) => vscode.workspace.getConfiguration().get(key) === value), settings));
}

/** Runs a command of VS Code that answers nothing that matters. */
export async function runCommand(host: Host, command: string, ...args: unknown[]): Promise<void> {
  await host.run(async (vscode, id, given) => { await vscode.commands.executeCommand(id, ...given); }, command, args);
}
