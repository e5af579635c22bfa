import * as vscode from 'vscode';
import { statusLabel, type Activity } from './words';

/** The item in the status bar: idle, measuring, or the highest psi. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('spell.status', vscode.StatusBarAlignment.Right, 10);

  constructor() {
    this.item.name = 'SPELL';
    this.show({ state: 'idle' });
    this.item.show();
  }

  show(activity: Activity): void {
    Object.assign(this.item, statusLabel(activity));
  }

  dispose(): void {
    this.item.dispose();
  }
}
