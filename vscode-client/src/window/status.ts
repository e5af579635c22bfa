import * as vscode from 'vscode';
import { linked, statusLabel, type Standing } from '../text/statuslabel';

/** The item in the status bar: what goes on, or the highest psi. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('spell.status', vscode.StatusBarAlignment.Right, 10);
  private standing: Standing = { trusted: vscode.workspace.isTrusted, rows: [] };

  constructor() {
    this.item.name = 'SPELL';
    this.show({});
    this.item.show();
  }

  /** Shows what is new; the rest stays. */
  show(news: Partial<Standing>): void {
    this.standing = { ...this.standing, ...news, trusted: vscode.workspace.isTrusted };
    const { text, tooltip, command, spoken, alarm } = statusLabel(this.standing);
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
