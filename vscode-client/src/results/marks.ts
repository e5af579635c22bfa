import { similarity } from '../text/units';
import * as vscode from 'vscode';
import type { Mark } from '../protocol/answers';
import { section } from '../server/configuration';
import { Debounced } from '../window/debounced';
import { markStates, palette, pictureAddress, shownMarks, letters, type Ground, type MarkState, type Palette } from '../text/markstate';
import type { Results } from './results';

/** How long the user must not have typed. */
const debounceMs = 250;

/** The settings spell.marks and spell.heat. */
interface Wanted {
  marks: boolean;
  heat: boolean;
}

/** Marks of measured functions beside their lines, in the overview ruler, and behind the lines. */
class Marks implements vscode.Disposable {
  private wanted = wanted();
  private types: Record<MarkState, vscode.TextEditorDecorationType>;
  /** The marks last received of each file, as text to compare, and the documents that were edited since. */
  private readonly known = new Map<string, string>();
  private readonly touched = new Set<vscode.TextDocument>();
  private asked = 0;
  private readonly again = new Debounced(debounceMs, () => { void this.refresh(); });

  constructor(private readonly results: Results, private readonly colours: Palette) {
    this.types = decorations(this.colours, this.wanted);
  }

  /** The results changed: earlier marks no longer count. */
  async changed(): Promise<void> {
    this.known.clear();
    await this.refresh();
  }

  /** Requests the marks of all files that are visible or were edited. Only the answers to the latest call are used. */
  async refresh(): Promise<void> {
    const asked = ++this.asked;
    const documents = new Set([...vscode.window.visibleTextEditors.map((editor) => editor.document), ...this.touched]);
    await Promise.all([...documents].filter(({ uri }) => uri.scheme === 'file').map((document) => this.show(document, asked)));
  }

  /** A rename or a replacement also edits files that are not visible. */
  edited(document: vscode.TextDocument): void {
    if (document.uri.scheme === 'file') {
      this.touched.add(document);
      this.again.schedule();
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
    this.wanted = wanted();
    this.forget();
    this.types = decorations(this.colours, this.wanted);
    await this.refresh();
  }

  dispose(): void {
    this.again.dispose();
    this.forget();
  }

  private forget(): void {
    for (const state of markStates) {
      this.types[state].dispose();
    }
  }

  /** Draws the answer. Without one, the marks that are drawn stay. */
  private async show(document: vscode.TextDocument, asked: number): Promise<void> {
    const version = document.version;
    const answer = await this.results.marks(document);
    if (answer === undefined || asked !== this.asked || document.version !== version || document.isClosed) {
      return; // outdated: another request was, or will be, sent
    }
    const marks = ofBuffer(document, answer);
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === document) {
        this.draw(editor, marks);
      }
    }
    this.compare(document, marks);
  }

  private draw(editor: vscode.TextEditor, marks: Mark[]): void {
    for (const state of markStates) {
      editor.setDecorations(this.types[state], shownMarks(marks, state).map((mark) => this.option(mark, state)));
    }
  }

  private option({ range: { start, end }, psi }: Mark, state: MarkState): vscode.DecorationOptions {
    const range = new vscode.Range(start.line, start.character, end.line, end.character);
    if (!this.wanted.heat) {
      return { range };
    }
    const stale = state === 'stale';
    const contentText = `${letters[state]} ${stale ? 'measured before this edit' : similarity(psi)}`;
    const color = new vscode.ThemeColor(stale ? 'spell.stale' : 'editor.foreground'); // the zone's own colour is hard to read on its background
    return { range, renderOptions: { after: { contentText, color, margin: '0 0 0 2em' } } };
  }

  /** Announces that an edit made results stale or fresh again: the server sends no notification of that. */
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

/** The server reads files of other languages from disk, so unsaved edits make their marks stale. */
function ofBuffer(document: vscode.TextDocument, marks: Mark[]): Mark[] {
  return document.isDirty && document.languageId !== 'go' ? marks.map((m) => ({ ...m, stale: true })) : marks;
}

function wanted(): Wanted {
  const configuration = vscode.workspace.getConfiguration(section);
  return { marks: configuration.get('marks', true), heat: configuration.get('heat', false) };
}

function decorations(colours: Palette, of: Wanted): Record<MarkState, vscode.TextEditorDecorationType> {
  const type = (state: MarkState): vscode.TextEditorDecorationType => decoration(state, colours, of);
  return { red: type('red'), yellow: type('yellow'), green: type('green'), stale: type('stale') };
}

function decoration(state: MarkState, colours: Palette, { marks, heat }: Wanted): vscode.TextEditorDecorationType {
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
