import * as vscode from 'vscode';
import { parseMarks, parseRanking, type Mark, type Row } from '../protocol/answers';
import { changedMethod, marksMethod, serverCommands } from '../protocol/protocol';
import type { Server } from '../server/client';
import type { Sorting } from '../text/rowtext';

/** What is shown now: asked of the server, which holds it, and heard of when it changes. */
export class Results implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly drifts = new vscode.EventEmitter<void>();
  private readonly listening: vscode.Disposable;

  /** The results are others, or there is another server. */
  readonly onDidChange = this.changes.event;
  /** An edit made results of a file stale, or fresh again. */
  readonly onDidDrift = this.drifts.event;

  constructor(private readonly server: Server, private readonly log: vscode.LogOutputChannel) {
    server.onNotification(changedMethod, () => { this.changes.fire(); });
    this.listening = server.onCondition(() => { this.changes.fire(); });
  }

  /** The marks of a file; none if there is no server, undefined if it does not answer. */
  async marks(document: vscode.TextDocument): Promise<Mark[] | undefined> {
    return this.ask(marksMethod, { textDocument: { uri: document.uri.toString() } }, parseMarks);
  }

  /** The first rows of all that is shown; none if there is no server, undefined if it does not answer. */
  async rows(top: number, sort: Sorting, filter: string): Promise<Row[] | undefined> {
    const argument = { top, sort, filter, all: true };
    return this.ask('workspace/executeCommand', { command: serverCommands.ranking, arguments: [argument] }, parseRanking);
  }

  drifted(): void {
    this.drifts.fire();
  }

  dispose(): void {
    this.listening.dispose();
    this.changes.dispose();
    this.drifts.dispose();
  }

  /** Nobody asked for what is shown by itself, so that it fails is told in the log only. */
  private async ask<T>(method: string, params: object, parse: (answer: unknown) => T[]): Promise<T[] | undefined> {
    const condition = this.server.condition;
    try {
      const answer = await this.server.ask(method, params);
      return answer === undefined ? [] : parse(answer);
    } catch (error) {
      if (this.server.condition === condition) { // one that ends may leave questions without an answer
        this.log.warn(`Results cannot be shown: ${String(error)}`);
      }
      return undefined;
    }
  }
}
