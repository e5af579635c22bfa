import * as vscode from 'vscode';
import { MessageType, type ShowMessageParams } from 'vscode-languageclient/node';

/**
 * What the user is told in notifications. The server may tell of a failure
 * both by itself and in its answer to the request; the user reads it once.
 */
export class Notices {
  private last = '';

  /** Shows a message that the server sent by itself. */
  show({ type, message }: ShowMessageParams): void {
    this.last = message;
    switch (type) {
      case MessageType.Error:
        void vscode.window.showErrorMessage(message);
        break;
      case MessageType.Warning:
        void vscode.window.showWarningMessage(message);
        break;
      default:
        void vscode.window.showInformationMessage(message);
    }
  }

  /** Shows why something failed, unless the server's last message said so. */
  failed(what: string, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    if (!this.last.includes(why)) {
      void vscode.window.showErrorMessage(`${what}: ${why}`);
    }
    this.last = '';
  }
}
