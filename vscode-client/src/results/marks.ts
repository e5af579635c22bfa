import * as vscode from 'vscode';
import type { LineShare, Mark } from '../protocol/answers';
import { section } from '../server/configuration';
import { Debounced } from '../window/debounced';
import { heatBar, markStates, palette, pictureAddress, shownMarks, letters, type Ground, type MarkState, type Palette } from '../text/markstate';
import { similarity } from '../text/units';
import type { Results } from './results';

/** How long after the last edit the marks are requested. */
const debounceMs = 250;

/** The settings spell.marks and spell.heat. */
interface Settings {
  marks: boolean;
  heat: boolean;
}

/** Marks of measured functions beside their lines, in the overview ruler, and behind the lines. */
class Marks implements vscode.Disposable {
  private settings = currentSettings();
  private types: Record<MarkState, vscode.TextEditorDecorationType>;
  private readonly lineType = vscode.window.createTextEditorDecorationType({ rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed });
  /** The marks last received for each file, as text to compare. */
  private readonly known = new Map<string, string>();
  /** The documents that were edited since their marks were received. */
  private readonly touched = new Set<vscode.TextDocument>();
  private requests = 0;
  private readonly refreshLater = new Debounced(debounceMs, () => { void this.refresh(); });

  constructor(private readonly results: Results, private readonly colours: Palette) {
    this.types = decorations(this.colours, this.settings);
  }

  /** The results changed: earlier marks no longer count. */
  async changed(): Promise<void> {
    this.known.clear();
    await this.refresh();
  }

  /** Requests the marks of all files that are visible or were edited. Only the answers to the latest call are used. */
  async refresh(): Promise<void> {
    const request = ++this.requests;
    const documents = new Set([...vscode.window.visibleTextEditors.map((editor) => editor.document), ...this.touched]);
    await Promise.all([...documents].filter(({ uri }) => uri.scheme === 'file').map((document) => this.show(document, request)));
  }

  /** A rename or a replacement also edits files that are not visible. */
  edited(document: vscode.TextDocument): void {
    if (document.uri.scheme === 'file') {
      this.touched.add(document);
      this.refreshLater.schedule();
    }
  }

  /** Unsaved edits are gone: the marks are again those of the saved file. */
  closed(document: vscode.TextDocument): void {
    this.known.delete(document.uri.toString());
    if (this.touched.delete(document) || document.isDirty) {
      this.results.stalenessChanged();
    }
  }

  async configure(): Promise<void> {
    this.settings = currentSettings();
    this.forget();
    this.types = decorations(this.colours, this.settings);
    await this.refresh();
  }

  dispose(): void {
    this.refreshLater.dispose();
    this.lineType.dispose();
    this.forget();
  }

  private forget(): void {
    for (const state of markStates) {
      this.types[state].dispose();
    }
  }

  /** Draws the answer. Without one, the marks that are drawn stay. */
  private async show(document: vscode.TextDocument, request: number): Promise<void> {
    const version = document.version;
    const answer = await this.results.marks(document);
    if (answer === undefined || request !== this.requests || document.version !== version || document.isClosed) {
      return; // outdated: another request was, or will be, sent
    }
    const marks = staleIfUnsaved(document, answer);
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === document) {
        this.draw(editor, marks);
      }
    }
    this.compare(document, marks);
  }

  private draw(editor: vscode.TextEditor, marks: Mark[]): void {
    const lines = this.settings.heat ? marks.filter(({ level }) => level !== 'off').flatMap((mark) => mark.lines.filter((l) => l.line !== mark.range.start.line)) : [];
    editor.setDecorations(this.lineType, lines.map(lineOption));
    for (const state of markStates) {
      editor.setDecorations(this.types[state], shownMarks(marks, state).map((mark) => this.option(mark, state)));
    }
  }

  private option({ range: { start, end }, psi }: Mark, state: MarkState): vscode.DecorationOptions {
    const range = new vscode.Range(start.line, start.character, end.line, end.character);
    if (!this.settings.heat) {
      return { range };
    }
    const stale = state === 'stale';
    const contentText = `${letters[state]} ${stale ? 'measured before this edit' : `psi ${similarity(psi)}`}`;
    const color = new vscode.ThemeColor(stale ? 'spell.stale' : 'editor.foreground'); // the zone's own colour is hard to read on its background
    return { range, renderOptions: { after: { contentText, color, margin: '0 0 0 2em' } } };
  }

  /** Announces that an edit made results stale or fresh again: the server sends no notification about that. */
  private compare(document: vscode.TextDocument, marks: Mark[]): void {
    const uri = document.uri.toString();
    const now = marks.map((m) => `${m.id} ${m.stale}`).join('\n');
    const before = this.known.get(uri) ?? (this.touched.has(document) ? '' : now);
    this.touched.delete(document);
    this.known.set(uri, now);
    if (before !== now) {
      this.results.stalenessChanged();
    }
  }
}

/** What a line of a function holds, behind the line. */
function lineOption({ line, share, text }: LineShare): vscode.DecorationOptions {
  const after = { contentText: `${heatBar(share)} ${text}`, color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 2em' };
  return { range: new vscode.Range(line, Number.MAX_SAFE_INTEGER, line, Number.MAX_SAFE_INTEGER), renderOptions: { after } };
}

/** The server reads files of other languages from disk, so unsaved edits make their marks stale. */
function staleIfUnsaved(document: vscode.TextDocument, marks: Mark[]): Mark[] {
  return document.isDirty && document.languageId !== 'go' ? marks.map((m) => ({ ...m, stale: true, lines: [] })) : marks;
}

function currentSettings(): Settings {
  const configuration = vscode.workspace.getConfiguration(section);
  return { marks: configuration.get('marks', true), heat: configuration.get('heat', false) };
}

function decorations(colours: Palette, settings: Settings): Record<MarkState, vscode.TextEditorDecorationType> {
  const type = (state: MarkState): vscode.TextEditorDecorationType => decoration(state, colours, settings);
  return { red: type('red'), yellow: type('yellow'), green: type('green'), stale: type('stale') };
}

function decoration(state: MarkState, colours: Palette, { marks, heat }: Settings): vscode.TextEditorDecorationType {
  const icon = (ground: Ground): vscode.ThemableDecorationRenderOptions =>
    ({ gutterIconPath: vscode.Uri.parse(pictureAddress(state, colours, ground)), gutterIconSize: 'contain' });
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: heat,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    ...(marks && {
      light: icon('light'), dark: icon('dark'),
      overviewRulerColor: new vscode.ThemeColor(`spell.${state}`), overviewRulerLane: vscode.OverviewRulerLane.Center,
    }),
    ...(heat && state !== 'stale' && { backgroundColor: new vscode.ThemeColor(`spell.${state}Background`) }),
  });
}

/** Keeps the marks of visible editors up to date with results, texts and settings. */
export function registerMarks(results: Results, extension: vscode.Extension<unknown>): vscode.Disposable {
  const marks = new Marks(results, palette(extension.packageJSON));
  return vscode.Disposable.from(
    marks,
    results.onDidChange(() => marks.changed()),
    vscode.window.onDidChangeVisibleTextEditors(() => marks.refresh()),
    vscode.workspace.onDidChangeTextDocument(({ document }) => { marks.edited(document); }),
    vscode.workspace.onDidSaveTextDocument((document) => { marks.edited(document); }),
    vscode.workspace.onDidCloseTextDocument((document) => { marks.closed(document); }),
    vscode.workspace.onDidChangeConfiguration((change) =>
      change.affectsConfiguration('spell.marks') || change.affectsConfiguration('spell.heat') ? marks.configure() : undefined),
  );
}
