import * as vscode from 'vscode';
import { hasCode, reasonOf, unanswered } from '../protocol/protocol';

/** LSP's window/showMessage. */
interface Message {
  /** 1 error, 2 warning, 3 information. */
  type: number;
  message: string;
}

const showLog = 'Show the Log';

/** How long the answer to a request may come after the server's own message about it, in ms. */
const together = 3000;

/**
 * What the user is told in notifications. The server may tell of a failure
 * both by itself and in its answer to the request; the user reads it once.
 */
export class Notices {
  private last = { message: '', at: 0 };

  constructor(private readonly log: vscode.LogOutputChannel) {}

  /** Shows a message that the server sent by itself. */
  show({ type, message }: Message): void {
    this.last = { message, at: Date.now() };
    switch (type) {
      case 1:
        void vscode.window.showErrorMessage(message);
        break;
      case 2:
        void vscode.window.showWarningMessage(message);
        break;
      default:
        void vscode.window.showInformationMessage(message);
    }
  }

  /** Warns of something that the log has more about. */
  warn(message: string): void {
    void vscode.window.showWarningMessage(message, showLog).then((chosen) => {
      if (chosen === showLog) {
        this.log.show();
      }
    });
  }

  /** Shows why something failed, unless a message of the server has just said so, or its end, which is told by itself. */
  failed(what: string, error: unknown): void {
    const why = reasonOf(error);
    if (hasCode(error, unanswered)) {
      this.log.warn(`${what}: ${why}`);
    } else if (why === '' || !this.last.message.includes(why) || Date.now() - this.last.at > together) {
      void vscode.window.showErrorMessage(`${what}: ${why}`);
    }
    this.last = { message: '', at: 0 };
  }
}
