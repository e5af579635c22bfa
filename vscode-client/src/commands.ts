import * as vscode from 'vscode';
import { ExecuteCommandRequest } from 'vscode-languageclient/node';
import type { Server } from './client';
import { testAt } from './cursor';
import type { Measurement } from './measurement';
import { commandNames, type CommandName } from './names';
import { serverCommands, type MeasureArguments } from './protocol';
import { showRanking } from './ranking';

/** Registers the commands that package.json declares. */
export function registerCommands(server: Server, measurement: Measurement, log: vscode.LogOutputChannel): vscode.Disposable {
  const measure = (argument: MeasureArguments | undefined): Promise<unknown> | undefined =>
    argument && measurement.run(argument);
  const actions: Record<CommandName, () => unknown> = {
    measureWorkspace: async () => measure(await workspaceArgument()),
    measurePackage: () => measure(fileArgument('package')),
    measureFile: () => measure(fileArgument('file')),
    measureTest: () => measure(testArgument()),
    cancel: () => cancel(server, measurement),
    clear: async () => {
      measurement.clear();
      await ask(server, serverCommands.clear);
    },
    showRanking: () => showRanking(server),
    doctor: () => doctor(server, log),
    restart: async () => {
      measurement.cancel();
      measurement.clear(); // the server forgets its results
      await server.restart();
    },
  };
  const registered = commandNames.map((name) => vscode.commands.registerCommand(`spell.${name}`, actions[name]));
  return vscode.Disposable.from(...registered);
}

async function ask(server: Server, command: string): Promise<unknown> {
  const client = await server.running();
  return client?.sendRequest(ExecuteCommandRequest.type, { command, arguments: [{}] });
}

/** Writes what the server says about the meters into the log, and shows it. */
async function doctor(server: Server, log: vscode.LogOutputChannel): Promise<void> {
  const report = await ask(server, serverCommands.doctor);
  if (typeof report === 'string') {
    log.info(`Meters:\n${report}`);
    log.show();
  }
}

/** Cancels the measurement of this extension, or else those that the server knows of. */
async function cancel(server: Server, measurement: Measurement): Promise<void> {
  if (!measurement.cancel()) {
    await ask(server, serverCommands.cancel);
  }
}

/** The folder to measure: that of the active editor, the only one, or the one that the user picks. */
async function workspaceArgument(): Promise<MeasureArguments | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = (active && vscode.workspace.getWorkspaceFolder(active))
    ?? (folders.length > 1 ? await vscode.window.showWorkspaceFolderPick() : folders[0]);
  if (folder === undefined && folders.length === 0) {
    void vscode.window.showInformationMessage('Open a folder with a Go module first.');
  }
  return folder && { scope: 'workspace', uri: folder.uri.toString() };
}

function fileArgument(scope: 'package' | 'file'): MeasureArguments | undefined {
  const document = goDocument();
  return document && { scope, uri: document.uri.toString() };
}

function testArgument(): MeasureArguments | undefined {
  const document = goDocument();
  if (document === undefined) {
    return undefined;
  }
  const line = vscode.window.activeTextEditor?.selection.active.line ?? 0;
  const name = testAt(document.getText(), line);
  if (name === undefined) {
    void vscode.window.showInformationMessage('The cursor is in no Go test or benchmark.');
    return undefined;
  }
  return { scope: 'test', uri: document.uri.toString(), name };
}

function goDocument(): vscode.TextDocument | undefined {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId === 'go' && document.uri.scheme === 'file') {
    return document;
  }
  void vscode.window.showInformationMessage('Open a Go file from disk first.');
  return undefined;
}
