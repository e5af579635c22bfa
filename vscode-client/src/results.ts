import * as vscode from 'vscode';
import { ExecuteCommandRequest, State, type LanguageClient } from 'vscode-languageclient/node';
import { changedMethod, marksMethod, parseListing, parseMarks, type ListedRow, type Mark } from './answers';
import type { Server } from './client';
import type { Sorting } from './describe';
import { registerMarks } from './marks';
import { serverCommands } from './protocol';
import { registerTree } from './tree';

/** What is shown now: asked of the server, which holds it, and heard of when it changes. */
export class Results implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly drifts = new vscode.EventEmitter<void>();
  private readonly listening: vscode.Disposable;
  private client: LanguageClient | undefined;

  /** The results are others, or there is another server. */
  readonly onDidChange = this.changes.event;
  /** An edit made results of a file stale, or fresh again. */
  readonly onDidDrift = this.drifts.event;

  constructor(server: Server) {
    this.listening = server.onDidCreateClient((client) => { this.follow(client); });
  }

  /** The marks of a file; none if there is no server. */
  async marks(document: vscode.TextDocument): Promise<Mark[]> {
    const client = this.client;
    return await this.ask(client, async () => parseMarks(
      await client?.sendRequest(marksMethod, { textDocument: { uri: document.uri.toString() } }))) ?? [];
  }

  /** The first rows of all that is shown; none if there is no server. */
  async rows(top: number, sort: Sorting, filter: string): Promise<ListedRow[]> {
    const client = this.client;
    const argument = { top, sort, filter, all: true };
    return await this.ask(client, async () => parseListing(
      await client?.sendRequest(ExecuteCommandRequest.type, { command: serverCommands.ranking, arguments: [argument] }))) ?? [];
  }

  drifted(): void {
    this.drifts.fire();
  }

  dispose(): void {
    this.listening.dispose();
    this.changes.dispose();
    this.drifts.dispose();
  }

  private follow(client: LanguageClient): void {
    client.onNotification(changedMethod, () => { this.changes.fire(); });
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.client = client;
        serverIs('running');
      } else if (newState === State.Stopped && (this.client === undefined || this.client === client)) {
        this.client = undefined;
        serverIs('stopped');
      }
      this.changes.fire();
    });
  }

  /** Nobody asked for what is shown by itself, so that it fails is told in the log only. */
  private async ask<T>(client: LanguageClient | undefined, question: () => Promise<T>): Promise<T | undefined> {
    if (client === undefined) {
      return undefined;
    }
    try {
      return await question();
    } catch (error) {
      if (this.client === client) { // one that ends may leave questions without an answer
        client.warn(`Results cannot be shown: ${String(error)}`);
      }
      return undefined;
    }
  }
}

/** The welcome of the view depends on it. */
function serverIs(state: 'running' | 'stopped'): void {
  void vscode.commands.executeCommand('setContext', 'spell.server', state);
}

/** Shows what was measured beside the lines and as a tree. */
export function registerResults(server: Server, context: vscode.ExtensionContext): void {
  const results = new Results(server);
  context.subscriptions.push(results);
  registerMarks(results, context);
  registerTree(results, context);
  void server.running().then((client) => {
    if (client === undefined) {
      serverIs('stopped');
    }
  });
}
