import * as vscode from 'vscode';
import { parseRanking, type Row } from '../protocol/answers';
import type { Server } from '../server/client';
import { serverCommands } from '../protocol/protocol';
import { lostText, pickItem, type PickItem } from '../text/rowtext';
import { by, measured } from './treemodel';

/** How many rows the list has at most. */
const shown = 200;

/** Which rows are asked for. */
export interface Asked {
  /** How many at most; all, if nothing is said. */
  top?: number;
  /** A file or folder: of the result that it belongs to. Otherwise of all that is shown. */
  uri?: string | undefined;
  /** Of the result of this run, as long as it is shown. */
  run?: string | undefined;
  /** What the ID or the file must have in it. */
  filter?: string;
}

/** Rows by rank, the newest result first. None if there is no result, or no server. */
export async function ranking(server: Server, { uri, run, ...asked }: Asked): Promise<Row[]> {
  const of = { ...(uri !== undefined && { uri }), ...(run !== undefined && { run }) };
  const answer = await server.execute(serverCommands.ranking, { ...asked, ...(uri === undefined && run === undefined ? { all: true } : of) });
  return answer === undefined ? [] : parseRanking(answer);
}

/** Lets the user pick a row of the ranking, and goes to it. */
export async function showRanking(server: Server, uri?: string, run?: string): Promise<void> {
  const rows = await ranking(server, { top: shown, uri, run });
  if (rows.length === 0) { // where there is no server it was said
    await (await server.running() && vscode.window.showInformationMessage('The ranking is empty now.'));
    return;
  }
  const picked = await pick(rows, 'Sorted by psi, highest first; choose one to open it');
  await (picked && reveal(picked));
}

/** Lets the user pick a function of the ranking. If there is none it says so. */
export async function pickFunction(server: Server, placeHolder: string): Promise<{ id: string; uri?: string } | undefined> {
  const functions = (await ranking(server, {})).filter(({ kind }) => kind === 'function');
  if (functions.length === 0) {
    void vscode.window.showInformationMessage('The ranking has no functions, and only functions can be measured block by block.');
    return undefined;
  }
  const row = await pick(functions.slice(0, shown), placeHolder);
  return row && { id: row.id, ...(row.place && { uri: row.place.uri }) };
}

/** Several measurements stand apart: ranks of one say nothing beside those of another. */
async function pick(rows: Row[], placeHolder: string): Promise<Row | undefined> {
  const runs = [...by(rows, (row) => row.run).values()];
  const items = runs.flatMap((members): (vscode.QuickPickItem & Partial<PickItem>)[] => [
    ...(runs.length > 1 ? [{ label: measured(members), kind: vscode.QuickPickItemKind.Separator }] : []), ...members.map(pickItem),
  ]);
  const item = await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true, matchOnDetail: true });
  return item?.row;
}

/** Goes to where a row is. Of one that is nowhere any more it says so, and goes to where it was. */
export async function reveal(row: Row, options: vscode.TextDocumentShowOptions = {}): Promise<void> {
  const lost = lostText(row);
  if (lost !== undefined) {
    void vscode.window.showInformationMessage(lost);
  }
  if (row.place === undefined) {
    return;
  }
  const at = new vscode.Position(row.place.line, 0);
  try {
    await vscode.window.showTextDocument(vscode.Uri.parse(row.place.uri), { selection: new vscode.Range(at, at), ...options });
  } catch (error) {
    if (!row.gone) { // or else its file may be gone as well, and it was said
      throw error;
    }
  }
}
