import * as vscode from 'vscode';
import { hasCode, reasonOf, unanswered, wasShown } from '../protocol/protocol';

/** LSP's window/showMessage. */
interface Message {
  /** 1 error, 2 warning, 3 information. */
  type: number;
  message: string;
}

const showLog = 'Show the Log';

/** Notifications to the user. */
export class Notices {
  constructor(private readonly log: vscode.LogOutputChannel) {}

  /** Shows a message of the server. */
  show({ type, message }: Message): void {
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

  /** Shows why something failed, unless a message of the server said so, or the server ended, which is reported separately. */
  failed(what: string, error: unknown): void {
    const why = reasonOf(error);
    if (hasCode(error, unanswered)) {
      this.log.warn(`${what}: ${why}`);
    } else if (!wasShown(error)) {
      void vscode.window.showErrorMessage(`${what}: ${why}`);
    }
  }
}
