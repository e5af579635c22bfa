import * as vscode from 'vscode';
import { linked, statusLabel, type StatusFacts } from '../text/statuslabel';

/** The item in the status bar: the state of server and measurement, or the first of the ranking. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('spell.status', vscode.StatusBarAlignment.Right, 10);
  private facts: StatusFacts = { trusted: vscode.workspace.isTrusted, rows: [] };

  constructor() {
    this.item.name = 'SPELL';
    this.show({});
    this.item.show();
  }

  /** Updates some of the facts. */
  show(changed: Partial<StatusFacts>): void {
    this.facts = { ...this.facts, ...changed, trusted: vscode.workspace.isTrusted };
    const { text, tooltip, command, spoken, alarm } = statusLabel(this.facts);
    const markdown = new vscode.MarkdownString(tooltip);
    markdown.isTrusted = { enabledCommands: linked };
    Object.assign(this.item, {
      text, command, tooltip: markdown,
      accessibilityInformation: { label: spoken },
      backgroundColor: alarm ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined,
    });
  }

  dispose(): void {
    this.item.dispose();
  }
}
