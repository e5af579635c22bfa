import * as vscode from 'vscode';
import { changedMethod } from './answers';
import type { Server } from './client';
import type { Row } from './protocol';
import { ranking } from './ranking';

/** How much of the ranking is looked at: for the worst, and whether the others are stale. */
const looked = 10;

/** The top of what the server shows now. It is asked for again whenever that changes. */
export class Overview implements vscode.Disposable {
  rows: Row[] = [];
  private asking: Promise<void> | undefined;
  private again = false;
  private readonly changed = new vscode.EventEmitter<Row[]>();

  /** Fires when what the server shows may be another. */
  readonly onChange = this.changed.event;

  constructor(private readonly server: Server, private readonly log: vscode.LogOutputChannel) {
    server.onNotification(changedMethod, () => { void this.refresh(); });
    server.onCondition(() => { void this.refresh(); });
  }

  /** Asks the server, and waits for the answer. While it is asked, one more time suffices for all. */
  refresh(): Promise<void> {
    this.again = true;
    return this.asking ??= this.ask();
  }

  dispose(): void {
    this.changed.dispose();
  }

  private async ask(): Promise<void> {
    while (this.again) {
      this.again = false;
      try {
        this.rows = this.server.condition.is === 'running' ? await ranking(this.server, looked) : [];
      } catch (error) {
        this.log.warn(`Asking for the ranking: ${String(error)}`);
      }
      this.changed.fire(this.rows);
      await vscode.commands.executeCommand('setContext', 'spell.results', this.rows.length > 0);
    }
    this.asking = undefined;
  }
}
