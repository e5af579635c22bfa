import * as vscode from 'vscode';
import { hasCode, reasonOf, unanswered } from '../protocol/protocol';

/** LSP's window/showMessage. */
interface Message {
  /** 1 error, 2 warning, 3 information. */
  type: number;
  message: string;
}

const showLog = 'Show the Log';

/** How long after the server's own message the same failure is taken for a duplicate. */
const duplicateMs = 3000;

/**
 * Notifications to the user. The server may report a failure both in a message and in
 * its answer to the request: the user sees it once.
 */
export class Notices {
  private last = { message: '', at: 0 };

  constructor(private readonly log: vscode.LogOutputChannel) {}

  /** Shows a message of the server. */
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

  /** Shows a warning with a button that opens the log. */
  warn(message: string): void {
    void vscode.window.showWarningMessage(message, showLog).then((chosen) => {
      if (chosen === showLog) {
        this.log.show();
      }
    });
  }

  /** Shows why something failed, unless a message of the server has just said so, or the server ended, which is reported separately. */
  failed(what: string, error: unknown): void {
    const why = reasonOf(error);
    if (hasCode(error, unanswered)) {
      this.log.warn(`${what}: ${why}`);
    } else if (why === '' || !this.last.message.includes(why) || Date.now() - this.last.at > duplicateMs) {
      void vscode.window.showErrorMessage(`${what}: ${why}`);
    }
    this.last = { message: '', at: 0 };
  }
}
