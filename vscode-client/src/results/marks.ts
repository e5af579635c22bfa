import * as vscode from 'vscode';
import type { Mark } from '../protocol/answers';
import { section } from '../server/configuration';
import { Later } from '../window/debounced';
import { markStates, palette, pictureAddress, shownMarks, letters, type Ground, type MarkState, type Palette } from '../text/markstate';
import type { Results } from './results';
import { psiText } from '../text/words';

/** How long nobody must have typed, in milliseconds. */
const pause = 250;

/** What the user wants to see. */
interface Wanted {
  marks: boolean;
  heat: boolean;
}

/** Marks of measured functions beside their lines, in the overview ruler, and behind the lines. */
class Marks implements vscode.Disposable {
  private wanted = wanted();
  private types: Record<MarkState, vscode.TextEditorDecorationType>;
  /** What was last told of each file, and the files that were edited since. */
  private readonly known = new Map<string, string>();
  private readonly touched = new Set<vscode.TextDocument>();
  private asked = 0;
  private readonly again = new Later(pause, () => { void this.refresh(); });

  constructor(private readonly results: Results, private readonly colours: Palette) {
    this.types = decorations(this.colours, this.wanted);
  }

  /** The results are others: what was told of them is no more. */
  async changed(): Promise<void> {
    this.known.clear();
    await this.refresh();
  }

  /** Asks for the marks of all files that can be seen or were edited. Of several questions on their way the last one counts. */
  async refresh(): Promise<void> {
    const asked = ++this.asked;
    const documents = new Set([...vscode.window.visibleTextEditors.map((editor) => editor.document), ...this.touched]);
    await Promise.all([...documents].filter(({ uri }) => uri.scheme === 'file').map((document) => this.show(document, asked)));
  }

  /** A rename or a replacement edits files that cannot be seen, too. */
  edited(document: vscode.TextDocument): void {
    if (document.uri.scheme === 'file') {
      this.touched.add(document);
      this.again.soon();
    }
  }

  /** What was not saved is gone: the file is as it was before. */
  closed(document: vscode.TextDocument): void {
    this.known.delete(document.uri.toString());
    if (this.touched.delete(document) || document.isDirty) {
      this.results.drifted();
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

  /** Shows what is answered. If nothing is, what is shown stays. */
  private async show(document: vscode.TextDocument, asked: number): Promise<void> {
    const version = document.version;
    const answer = await this.results.marks(document);
    if (answer === undefined || asked !== this.asked || document.version !== version || document.isClosed) {
      return; // it was, or will be, asked again
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
    const contentText = `${letters[state]} ${stale ? 'measured before this edit' : psiText(psi)}`;
    const color = new vscode.ThemeColor(stale ? 'spell.stale' : 'editor.foreground'); // on the heat that of the zone is hard to read
    return { range, renderOptions: { after: { contentText, color, margin: '0 0 0 2em' } } };
  }

  /** Tells of what an edit made stale or fresh: the server does not. */
  private compare(document: vscode.TextDocument, marks: Mark[]): void {
    const uri = document.uri.toString();
    const now = marks.map((m) => `${m.id} ${m.stale}`).join('\n');
    const before = this.known.get(uri) ?? (this.touched.has(document) ? '' : now);
    this.touched.delete(document);
    this.known.set(uri, now);
    if (before !== now) {
      this.results.drifted();
    }
  }
}

/** The server reads files of other languages from disk: what is not saved is stale. */
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

/** Keeps the marks of the editors that can be seen as the results and the texts are. */
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
