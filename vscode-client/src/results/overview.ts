import * as vscode from 'vscode';
import type { Row } from '../protocol/answers';
import type { Results } from './results';

/** How many rows are fetched: enough for the first one, and for the number of stale ones among the first. */
const topCount = 10;

/** The first rows of the newest result that has any; fetched again whenever they may have changed. */
export class Overview implements vscode.Disposable {
  rows: Row[] = [];
  private fetching: Promise<void> | undefined;
  private outdated = false;
  private readonly changed = new vscode.EventEmitter<Row[]>();
  private readonly listening: vscode.Disposable;

  /** Fires when the rows may have changed. */
  readonly onChange = this.changed.event;

  constructor(private readonly results: Results) {
    this.listening = vscode.Disposable.from(results.onDidChange(() => this.refresh()), results.onDidChangeStaleness(() => this.refresh()));
  }

  /** Fetches the rows. Calls during a fetch share one more fetch after it. */
  refresh(): Promise<void> {
    this.outdated = true;
    return this.fetching ??= this.fetch();
  }

  /** Waits until the rows include every change that the server has announced. It announces a change before the command that made it ends. */
  async settled(): Promise<void> {
    await this.fetching;
  }

  dispose(): void {
    this.listening.dispose();
    this.changed.dispose();
  }

  private async fetch(): Promise<void> {
    try {
      while (this.outdated) {
        this.outdated = false;
        const rows = await this.results.rows(topCount, 'rank', '');
        if (rows !== undefined) { // psi and rank of different results cannot be compared
          this.rows = rows.filter(({ run }) => run === rows[0]?.run);
        }
        this.changed.fire(this.rows);
        void vscode.commands.executeCommand('setContext', 'spell.results', this.rows.length > 0);
      }
    } finally {
      this.fetching = undefined;
    }
  }
}
