import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Server } from '../server/client';
import type { Notices } from '../window/notices';
import type { Overview } from './overview';
import { hosted, lasting, openFile, parseReveal, type Reveal } from './reportpage';
import { parseText } from '../protocol/answers';
import { serverCommands } from '../protocol/protocol';
import { ranking, reveal } from './ranking';

/** How long results must have stayed as they are before the report is made anew. */
const calmMs = 1000;

/** The report of the newest result that has something to show, in a panel of its own. */
export class ReportView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private shown = '';
  /** What the report is of: a run, and the URI of the folder that its files are relative to. */
  private of: { run: string; root: string } | undefined;
  private outdated = false;
  private updating: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly listening: vscode.Disposable;

  constructor(
    private readonly server: Server, private readonly overview: Overview, private readonly notices: Notices,
  ) {
    this.listening = overview.onChange(() => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => { this.changed(); }, calmMs);
    });
  }

  /** Shows the report, at the section of that name if one is given. */
  async show(section = ''): Promise<void> {
    const panel = this.panel ??= this.create();
    this.outdated = false; // it is made anew below: to be seen is no cause
    panel.reveal();
    await this.overview.settled();
    clearTimeout(this.timer);
    await this.update();
    if (section !== '' && this.panel === panel) {
      void panel.webview.postMessage({ type: 'show', section });
    }
  }

  /** Takes the report away: what it shows was cleared. */
  close(): void {
    this.panel?.dispose();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listening.dispose();
    this.close();
  }

  private create(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel('spell.report', 'Energy Report', vscode.ViewColumn.Active, {
      enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true,
    });
    panel.webview.onDidReceiveMessage((message) => this.received(message));
    panel.onDidChangeViewState(() => { this.refresh(); });
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.shown = '';
    });
    return panel;
  }

  private changed(): void {
    this.outdated = true;
    this.refresh();
  }

  /** Makes the report anew where results changed and it can be seen. */
  private refresh(): void {
    if (this.outdated && this.panel?.visible && this.overview.rows.length > 0) {
      void this.update();
    }
  }

  /** Makes the report anew. While one is on its way, one more suffices for all. */
  private async update(): Promise<void> {
    this.outdated = true;
    if (this.panel !== undefined) {
      await (this.updating ??= this.make());
    }
  }

  private async make(): Promise<void> {
    while (this.outdated && this.panel !== undefined) {
      this.outdated = false;
      await this.ask(this.panel);
    }
    this.updating = undefined;
  }

  /** Asks for the report, and shows it if it is another one: the page would lose what was chosen in it. */
  private async ask(panel: vscode.WebviewPanel): Promise<void> {
    const run = this.overview.rows[0]?.run;
    try {
      const answer = await this.server.execute(serverCommands.report, { format: 'html', ...(run !== undefined && { run }) });
      const html = answer === undefined ? undefined : await readFile(parseText(answer, 'path'), 'utf8');
      if (html === undefined || panel !== this.panel) { // closed, it is for nobody
        return;
      }
      this.of = { run: parseText(answer, 'run'), root: parseText(answer, 'root') };
      if (lasting(html) !== this.shown) {
        panel.webview.html = hosted(html, randomBytes(18).toString('base64'));
        this.shown = lasting(html);
      }
    } catch (error) {
      if (panel === this.panel && !this.outdated) { // else it is asked for again
        this.notices.failed('The report cannot be shown', error);
      }
    }
  }

  private async received(message: unknown): Promise<void> {
    const wanted = parseReveal(message);
    try {
      await (wanted && this.reveal(wanted));
    } catch (error) {
      this.notices.failed(`${wanted?.file} cannot be shown`, error);
    }
  }

  private async reveal(wanted: Reveal): Promise<void> {
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    const { of } = this;
    const file = of && openFile(vscode.Uri.parse(of.root).fsPath, wanted.file, folders);
    if (file === undefined) {
      void vscode.window.showInformationMessage(`${wanted.file} is not in an open folder.`);
      return;
    }
    const uri = vscode.Uri.file(file);
    const first = vscode.ViewColumn.One;
    const viewColumn = this.panel?.viewColumn === first ? vscode.ViewColumn.Beside : first;
    const row = (await ranking(this.server, { uri: uri.toString(), run: of?.run, filter: wanted.id })).find(({ id }) => id === wanted.id);
    if (row !== undefined) {
      await reveal(row, { viewColumn });
      return;
    }
    const at = new vscode.Position(wanted.line, 0);
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at), viewColumn });
  }
}
