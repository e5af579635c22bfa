import * as vscode from 'vscode';
import { parsePrograms, type Programs, type Scenario } from '../protocol/answers';
import { serverCommands, type MeasureArguments } from '../protocol/protocol';
import { groupBy } from '../results/treemodel';
import type { Server } from '../server/client';

// The programs and scenarios that a command can measure: the user picks one, unless there is only one.

/** A program of the workspace. */
export async function programTarget(server: Server): Promise<MeasureArguments | undefined> {
  const found = await listed(server);
  if (found?.programs.length === 0) {
    void vscode.window.showInformationMessage('There is no program here: no folder has a package main.');
  }
  const active = vscode.window.activeTextEditor?.document.uri;
  const here = active && vscode.Uri.joinPath(active, '..').toString();
  const items = (found?.programs ?? []).map(({ name, uri }) => ({
    label: name, description: folderOf(uri), argument: { scope: 'program' as const, uri },
    first: vscode.Uri.parse(uri).toString() === here,
  }));
  return pick(items.sort((a, b) => Number(b.first) - Number(a.first)), 'Choose the program to measure; it runs without arguments');
}

/** A scenario of the settings, or all those of a folder. */
export async function scenarioTarget(server: Server): Promise<MeasureArguments | undefined> {
  const found = await listed(server);
  if (found?.scenarios.length === 0) {
    await offerSettings();
  }
  const folders = groupBy(found?.scenarios ?? [], ({ uri }) => uri);
  return pick([...folders.values()].flatMap(itemsOf), 'Choose the scenario to measure');
}

interface Item extends vscode.QuickPickItem {
  argument: MeasureArguments;
}

function itemsOf(scenarios: Scenario[]): Item[] {
  const items = scenarios.map(({ name, exec, uri }): Item => ({ label: name, description: exec, detail: folderOf(uri), argument: { scope: 'scenario', uri, name } }));
  const [first, second] = scenarios;
  return first === undefined || second === undefined ? items : [
    ...items, { label: 'all', description: `all ${scenarios.length}, one after the other`, detail: folderOf(first.uri), argument: { scope: 'scenario', uri: first.uri, name: 'all' } },
  ];
}

async function listed(server: Server): Promise<Programs | undefined> {
  const answer = await server.execute(serverCommands.programs);
  return answer === undefined ? undefined : parsePrograms(answer);
}

async function pick(items: Item[], placeHolder: string): Promise<MeasureArguments | undefined> {
  const item = items.length > 1 ? await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }) : items[0];
  return item?.argument;
}

async function offerSettings(): Promise<void> {
  const open = 'Open the Setting';
  const chosen = await vscode.window.showInformationMessage('No scenario is named: name programs with their arguments in the setting spell.scenarios, or under scenarios: in .spell-lsp.yaml.', open);
  if (chosen === open) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'spell.scenarios');
  }
}

function folderOf(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
}
