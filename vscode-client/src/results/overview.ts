import * as vscode from 'vscode';
import type { Row } from '../protocol/answers';
import type { Results } from './results';

/** How much of the ranking is looked at: for the worst, and whether the others are stale. */
const looked = 10;

/** The top of the newest result that has something to show. It is asked for again whenever that may be another. */
export class Overview implements vscode.Disposable {
  rows: Row[] = [];
  private asking: Promise<void> | undefined;
  private again = false;
  private readonly changed = new vscode.EventEmitter<Row[]>();
  private readonly listening: vscode.Disposable;

  /** Fires when what the server shows may be another. */
  readonly onChange = this.changed.event;

  constructor(private readonly results: Results) {
    this.listening = vscode.Disposable.from(results.onDidChange(() => this.refresh()), results.onDidDrift(() => this.refresh()));
  }

  /** Asks the server, and waits for the answer. While it is asked, one more time suffices for all. */
  refresh(): Promise<void> {
    this.again = true;
    return this.asking ??= this.ask();
  }

  /** Waits until the rows are of what the server told last. It tells before a command that changes results ends. */
  async settled(): Promise<void> {
    await this.asking;
  }

  dispose(): void {
    this.listening.dispose();
    this.changed.dispose();
  }

  private async ask(): Promise<void> {
    try {
      while (this.again) {
        this.again = false;
        const rows = await this.results.rows(looked, 'psi', '');
        if (rows !== undefined) { // psi and rank of one result say nothing beside those of another
          this.rows = rows.filter(({ run }) => run === rows[0]?.run);
        }
        this.changed.fire(this.rows);
        void vscode.commands.executeCommand('setContext', 'spell.results', this.rows.length > 0);
      }
    } finally {
      this.asking = undefined;
    }
  }
}
