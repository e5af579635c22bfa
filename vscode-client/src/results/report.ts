import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Server } from '../server/client';
import type { Notices } from '../window/notices';
import type { Overview } from './overview';
import { forWebview, withoutNonces, openFile, parseReveal, type Reveal } from './reportpage';
import { parseText } from '../protocol/answers';
import { serverCommands } from '../protocol/protocol';
import { fetchRanking, reveal } from './ranking';

/** How long results must be unchanged before the report is generated again. */
const debounceMs = 1000;

/** The report of the newest result that has something to show, in a panel of its own. */
export class ReportView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private shown = '';
  /** The run of the report, and the URI of the folder to which its files are relative. */
  private origin: { run: string; root: string } | undefined;
  private outdated = false;
  private updating: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly listening: vscode.Disposable;

  constructor(
    private readonly server: Server, private readonly overview: Overview, private readonly notices: Notices,
  ) {
    this.listening = overview.onChange(() => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => { this.changed(); }, debounceMs);
    });
  }

  /** Shows the report, at the section of that name if one is given. */
  async show(section = ''): Promise<void> {
    const panel = this.panel ??= this.create();
    this.outdated = false; // it is generated below: becoming visible need not generate it again
    panel.reveal();
    await this.overview.settled();
    clearTimeout(this.timer);
    await this.update();
    if (section !== '' && this.panel === panel) {
      void panel.webview.postMessage({ type: 'show', section });
    }
  }

  /** Closes the report, as its results were cleared. */
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

  /** Generates the report again if results changed and it is visible. */
  private refresh(): void {
    if (this.outdated && this.panel?.visible && this.overview.rows.length > 0) {
      void this.update();
    }
  }

  /** Generates the report again. Calls while one is being generated share one more after it. */
  private async update(): Promise<void> {
    this.outdated = true;
    if (this.panel !== undefined) {
      await (this.updating ??= this.generate());
    }
  }

  private async generate(): Promise<void> {
    while (this.outdated && this.panel !== undefined) {
      this.outdated = false;
      await this.request(this.panel);
    }
    this.updating = undefined;
  }

  /** Requests the report, and shows it only if it differs: the page loses its state when it is set. */
  private async request(panel: vscode.WebviewPanel): Promise<void> {
    const run = this.overview.rows[0]?.run;
    try {
      const answer = await this.server.execute(serverCommands.report, { format: 'html', ...(run !== undefined && { run }) });
      const html = answer === undefined ? undefined : await readFile(parseText(answer, 'path'), 'utf8');
      if (html === undefined || panel !== this.panel) { // the panel was closed meanwhile
        return;
      }
      this.origin = { run: parseText(answer, 'run'), root: parseText(answer, 'root') };
      if (withoutNonces(html) !== this.shown) {
        panel.webview.html = forWebview(html, randomBytes(18).toString('base64'));
        this.shown = withoutNonces(html);
      }
    } catch (error) {
      if (panel === this.panel && !this.outdated) { // else it is about to be requested again
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
    const { origin } = this;
    const file = origin && openFile(vscode.Uri.parse(origin.root).fsPath, wanted.file, folders);
    if (file === undefined) {
      void vscode.window.showInformationMessage(`${wanted.file} is not in an open folder.`);
      return;
    }
    const uri = vscode.Uri.file(file);
    const first = vscode.ViewColumn.One;
    const viewColumn = this.panel?.viewColumn === first ? vscode.ViewColumn.Beside : first;
    const row = (await fetchRanking(this.server, { uri: uri.toString(), run: origin?.run, filter: wanted.id })).find(({ id }) => id === wanted.id);
    if (row !== undefined) {
      await reveal(row, { viewColumn });
      return;
    }
    const at = new vscode.Position(wanted.line, 0);
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at), viewColumn });
  }
}
