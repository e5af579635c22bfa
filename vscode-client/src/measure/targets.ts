import * as vscode from 'vscode';
import { markAt } from '../protocol/answers';
import { declarationAt, testAt } from './gosource';
import type { MeasureArguments } from '../protocol/protocol';
import type { Results } from '../results/results';

// The target of a command: its argument, or else the declaration around the cursor. If
// there is neither, the user is told what to do, and the target is undefined.

/** A measured function, as the ranking's view passes it to a command. */
export interface Item {
  id: string;
  name?: string;
  uri?: string;
}

export function isItem(argument: unknown): argument is Item {
  return typeof (argument as Item | undefined)?.id === 'string';
}

/** The measured function at the cursor; undefined if there is none. */
export async function itemAtCursor(results: Results): Promise<Item | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  const mark = document && markAt(await results.marks(document) ?? [], cursorLine());
  return document && mark && { id: mark.function ?? mark.id, uri: document.uri.toString() };
}

/** The folder to measure: the active editor's, the only one, or the one that the user picks. */
export async function workspaceTarget(): Promise<MeasureArguments | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = (active && vscode.workspace.getWorkspaceFolder(active))
    ?? (folders.length > 1 ? await vscode.window.showWorkspaceFolderPick() : folders[0]);
  if (folder === undefined && folders.length === 0) {
    tell('Open a folder with a Go module first.');
  }
  return folder && { scope: 'workspace', uri: folder.uri.toString() };
}

/** The package or file that the explorer gives, or the active editor's. */
export function fileTarget(scope: 'package' | 'file', argument: unknown): MeasureArguments | undefined {
  const uri = argument instanceof vscode.Uri && argument.scheme === 'file' ? argument : goDocument()?.uri;
  return uri && { scope, uri: uri.toString() };
}

export function testTarget(): MeasureArguments | undefined {
  const document = goDocument();
  const name = document && testAt(document.getText(), cursorLine());
  if (document !== undefined && name === undefined) {
    tell('The cursor is not in a Go test or benchmark.');
  }
  return document && name !== undefined ? { scope: 'test', uri: document.uri.toString(), name } : undefined;
}

/** The function of an item, or the function at the cursor. */
export function functionTarget(argument: unknown): MeasureArguments | undefined {
  if (isItem(argument) && argument.uri !== undefined && argument.name !== undefined) {
    return { scope: 'function', uri: argument.uri, name: argument.name };
  }
  const document = goDocument();
  const at = document && declarationAt(document.getText(), cursorLine());
  if (document !== undefined && at === undefined) {
    tell('The cursor is not in a Go function.');
  }
  return document && at && { scope: 'function', uri: document.uri.toString(), name: at.name };
}

function cursorLine(): number {
  return vscode.window.activeTextEditor?.selection.active.line ?? 0;
}

function goDocument(): vscode.TextDocument | undefined {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId === 'go' && document.uri.scheme === 'file') {
    return document;
  }
  tell('Open a Go file from disk first.');
  return undefined;
}

function tell(message: string): void {
  void vscode.window.showInformationMessage(message);
}
