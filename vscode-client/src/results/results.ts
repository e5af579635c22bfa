import * as vscode from 'vscode';
import { parseMarks, parseRanking, type Mark, type Row } from '../protocol/answers';
import { changedMethod, marksMethod, serverCommands } from '../protocol/protocol';
import type { Server } from '../server/client';
import type { Sorting } from '../text/rowtext';

/** The results that are shown. The server holds them: this asks it, and announces changes. */
export class Results implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly staleness = new vscode.EventEmitter<void>();
  private readonly listening: vscode.Disposable;

  /** The results changed, or the server was started or ended. */
  readonly onDidChange = this.changes.event;
  /** An edit made results of a file stale, or fresh again. */
  readonly onDidChangeStaleness = this.staleness.event;

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

  stalenessChanged(): void {
    this.staleness.fire();
  }

  dispose(): void {
    this.listening.dispose();
    this.changes.dispose();
    this.staleness.dispose();
  }

  /** A failure goes to the log only: the user did not request these. */
  private async ask<T>(method: string, params: object, parse: (answer: unknown) => T[]): Promise<T[] | undefined> {
    const condition = this.server.condition;
    try {
      const answer = await this.server.ask(method, params);
      return answer === undefined ? [] : parse(answer);
    } catch (error) {
      if (this.server.condition === condition) { // a server that ends leaves requests unanswered, as expected
        this.log.warn(`Results cannot be shown: ${String(error)}`);
      }
      return undefined;
    }
  }
}
