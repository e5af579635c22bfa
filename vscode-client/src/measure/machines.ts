import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { parseMachines, type Machines } from '../protocol/answers';
import { serverCommands } from '../protocol/protocol';
import { section } from '../server/configuration';
import type { Server } from '../server/client';
import type { Status } from '../window/status';

// The machine that measures: this one, or one that the user has given a name. The setting spell.machine has the name.

/** Lets the user choose a machine, and sets it; false if the user did not. */
export async function chooseMachine(server: Server): Promise<boolean> {
  const answer = await server.execute(serverCommands.machines);
  if (answer === undefined) {
    return false;
  }
  const known = parseMachines(answer);
  const chosen = await vscode.window.showQuickPick(itemsOf(known), {
    placeHolder: 'Choose the machine that measures the workspace, now and from now on', matchOnDescription: true,
  });
  if (chosen === undefined) {
    return false;
  }
  if (chosen.name === undefined) {
    await openMachines(known.file);
    return false;
  }
  await choose(server, chosen.name);
  return true;
}

interface Item extends vscode.QuickPickItem {
  /** Undefined to name machines; "" is this machine. */
  name?: string;
}

function itemsOf({ file, machines, chosen, problem }: Machines): Item[] {
  const mark = (on: boolean, text: string): string => on ? `${text} (chosen)` : text;
  return [
    { label: 'This machine', description: mark(chosen.length === 0, ''), name: '' },
    ...machines.map(({ name, host }) => ({ label: name, description: mark(chosen.includes(name), host), name })),
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label: '$(edit) Name machines...', description: file, ...(problem !== '' && { detail: problem }) },
  ];
}

/** Sets the machine. This one is set by removing the setting, unless .spell-lsp.yaml names another. */
async function choose(server: Server, name: string): Promise<void> {
  await set(server, name === '' ? undefined : name);
  if (name === '' && parseMachines(await server.execute(serverCommands.machines)).chosen.length > 0) {
    await set(server, name);
  }
}

/**
 * Changes the setting where it is set, else that of the user, whose names these are; the server knows it before the
 * next command.
 */
async function set(server: Server, name: string | undefined): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(section);
  const inWorkspace = configuration.inspect('machine')?.workspaceValue !== undefined;
  await configuration.update('machine', name, inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global);
  await server.configurationChanged();
}

const example = `# Machines that measure: a name of your choice, and what ssh connects to:
# a host, user@host, or a name of your ~/.ssh/config. ssh must not ask for
# a password. Then run "SPELL: Measure on..." again.
#
# lab: me@lab.example.org
`;

/** Opens the user's file, with an example if there is none yet. The server refuses one that other users can change. */
async function openMachines(file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, example, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
  });
  await vscode.window.showTextDocument(vscode.Uri.file(file));
}

/** Shows in the status bar which machines the settings choose. */
export class ChosenMachines implements vscode.Disposable {
  private asked = 0;
  private readonly listening: vscode.Disposable;

  constructor(private readonly server: Server, private readonly status: Status, private readonly log: vscode.LogOutputChannel) {
    const files = vscode.workspace.createFileSystemWatcher('**/.spell-lsp.yaml');
    const refresh = (): Promise<void> => this.refresh();
    this.listening = vscode.Disposable.from(
      files, files.onDidChange(refresh), files.onDidCreate(refresh), files.onDidDelete(refresh), server.onCondition(refresh));
  }

  /** Asks the server; of several answers that of the last question counts. */
  async refresh(): Promise<void> {
    const question = ++this.asked;
    try {
      const answer = await this.server.ask('workspace/executeCommand', { command: serverCommands.machines, arguments: [{}] });
      if (question === this.asked) {
        this.status.show({ machines: answer === undefined ? [] : parseMachines(answer).chosen });
      }
    } catch (error) {
      this.log.debug(`It is not known which machine measures: ${String(error)}`); // the server ends, or is an older one
    }
  }

  dispose(): void {
    this.listening.dispose();
  }
}
