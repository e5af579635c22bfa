import * as vscode from 'vscode';
import { ExecuteCommandRequest, type LanguageClient } from 'vscode-languageclient/node';
import type { Server } from './client';
import { parseRanking, serverCommands, type Place, type Row } from './protocol';
import { rankingItem } from './words';

/** How many rows the list has at most. */
const shown = 200;

/** The rows of the newest result, by rank; none if there is no result. */
export async function ranking(client: LanguageClient, top: number): Promise<Row[]> {
  return parseRanking(await client.sendRequest(
    ExecuteCommandRequest.type, { command: serverCommands.ranking, arguments: [{ top }] }));
}

/** Lets the user pick a function of the ranking, and goes to it. */
export async function showRanking(server: Server): Promise<void> {
  const client = await server.running();
  if (client === undefined) {
    return;
  }
  const rows = await ranking(client, shown);
  if (rows.length === 0) {
    await offerMeasuring();
    return;
  }
  const picked = await pick(rows);
  if (picked?.place !== undefined) {
    await reveal(picked.place);
  }
}

async function pick(rows: Row[]): Promise<Row | undefined> {
  const item = await vscode.window.showQuickPick(rows.map(rankingItem), {
    placeHolder: 'Functions by psi, the highest first; pick one to go to it',
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return item?.row;
}

async function reveal(place: Place): Promise<void> {
  const at = new vscode.Position(place.line, 0);
  await vscode.window.showTextDocument(vscode.Uri.parse(place.uri), { selection: new vscode.Range(at, at) });
}

async function offerMeasuring(): Promise<void> {
  const measure = 'Measure the Workspace';
  const chosen = await vscode.window.showInformationMessage('Nothing has been measured yet.', measure);
  if (chosen === measure) {
    await vscode.commands.executeCommand('spell.measureWorkspace');
  }
}
