import * as vscode from 'vscode';
import type { Server } from './client';
import { parseRanking, serverCommands, type Place, type Row } from './protocol';
import { rankingItem } from './words';

/** How many rows the list has at most. */
const shown = 200;

/**
 * The rows of a result, by rank: of that of a run as long as it is shown, of the one
 * that a file or folder belongs to, or of the newest. None if there is no result, or no server.
 */
export async function ranking(server: Server, top: number, uri?: string, run?: string): Promise<Row[]> {
  const answer = await server.execute(serverCommands.ranking, { top, ...(uri !== undefined && { uri }), ...(run !== undefined && { run }) });
  return answer === undefined ? [] : parseRanking(answer);
}

/** Lets the user pick a function of the ranking, and goes to it. */
export async function showRanking(server: Server, uri?: string, run?: string): Promise<void> {
  const picked = await pick(await ranking(server, shown, uri, run), 'Functions by psi, the highest first; pick one to go to it');
  if (picked?.place !== undefined) {
    await reveal(picked.place);
  }
}

/** Lets the user pick a function of the newest result. */
export async function pickFunction(server: Server, placeHolder: string): Promise<{ id: string; uri?: string } | undefined> {
  const row = await pick(await ranking(server, shown), placeHolder);
  return row && { id: row.id, ...(row.place && { uri: row.place.uri }) };
}

async function pick(rows: Row[], placeHolder: string): Promise<Row | undefined> {
  const item = await vscode.window.showQuickPick(rows.map(rankingItem), { placeHolder, matchOnDescription: true, matchOnDetail: true });
  return item?.row;
}

async function reveal(place: Place): Promise<void> {
  const at = new vscode.Position(place.line, 0);
  await vscode.window.showTextDocument(vscode.Uri.parse(place.uri), { selection: new vscode.Range(at, at) });
}
