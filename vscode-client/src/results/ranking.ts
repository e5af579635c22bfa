import * as vscode from 'vscode';
import { parseRanking, type Row } from '../protocol/answers';
import type { Server } from '../server/client';
import { serverCommands } from '../protocol/protocol';
import { lostText, pickItem, type PickItem } from '../text/rowtext';
import { groupBy, measuredText } from './treemodel';

/** The most rows that the list shows. */
const maxRows = 200;

/** Which rows to fetch. */
export interface RankingQuery {
  /** The most rows; all, if missing. */
  top?: number;
  /** Only rows of the result to which this file or folder belongs. */
  uri?: string | undefined;
  /** Only rows of this run, as long as it is shown. */
  run?: string | undefined;
  /** A text that the ID or the file must contain. */
  filter?: string;
}

/** Rows by rank, the newest result first; none if there is no result or no server. */
export async function fetchRanking(server: Server, { uri, run, ...asked }: RankingQuery): Promise<Row[]> {
  const scope = { ...(uri !== undefined && { uri }), ...(run !== undefined && { run }) };
  const answer = await server.execute(serverCommands.ranking, { ...asked, ...(uri === undefined && run === undefined ? { all: true } : scope) });
  return answer === undefined ? [] : parseRanking(answer);
}

/** Lets the user pick a row of the ranking, and goes to it. */
export async function showRanking(server: Server, uri?: string, run?: string): Promise<void> {
  const rows = await fetchRanking(server, { top: maxRows, uri, run });
  if (rows.length === 0) { // without a server, the user has been told
    await (await server.running() && vscode.window.showInformationMessage('The ranking is empty now.'));
    return;
  }
  const picked = await pick(rows, 'Choose a function to open it');
  await (picked && reveal(picked));
}

/** Lets the user pick a function of the ranking, and says if there is none. */
export async function pickFunction(server: Server, placeHolder: string): Promise<{ id: string; uri?: string } | undefined> {
  const functions = (await fetchRanking(server, {})).filter(({ kind }) => kind === 'function');
  if (functions.length === 0) {
    void vscode.window.showInformationMessage('The ranking has no functions, and only functions can be measured block by block.');
    return undefined;
  }
  const row = await pick(functions.slice(0, maxRows), placeHolder);
  return row && { id: row.id, ...(row.place && { uri: row.place.uri }) };
}

/** Lets the user pick a row. Each measurement has its own section, as ranks of different ones cannot be compared. */
async function pick(rows: Row[], placeHolder: string): Promise<Row | undefined> {
  const runs = [...groupBy(rows, (row) => row.run).values()];
  const items = runs.flatMap((members): (vscode.QuickPickItem & Partial<PickItem>)[] => [
    ...(runs.length > 1 ? [{ label: measuredText(members), kind: vscode.QuickPickItemKind.Separator }] : []), ...members.map(pickItem),
  ]);
  const item = await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true, matchOnDetail: true });
  return item?.row;
}

/** Opens the source of a row. If its function is gone, says so and opens the place where it was. */
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
    if (!row.gone) { // the file of a function that is gone may be gone too; the user has been told
      throw error;
    }
  }
}
