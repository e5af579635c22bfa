import * as vscode from 'vscode';
import type { Mark } from './answers';
import { section } from './configuration';
import { Later } from './later';
import { looks, palette, pictureAddress, seen, signs, type Ground, type Look, type Palette } from './looks';
import type { Results } from './results';
import { psiText } from './words';

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
  private types: Record<Look, vscode.TextEditorDecorationType>;
  private readonly known = new Map<string, string>();
  private readonly again = new Later(pause, () => { void this.refresh(); });

  constructor(private readonly results: Results, private readonly colours: Palette) {
    this.types = decorations(this.colours, this.wanted);
  }

  /** Asks for the marks of all files that can be seen. */
  async refresh(): Promise<void> {
    const documents = new Set(vscode.window.visibleTextEditors.map((editor) => editor.document));
    await Promise.all([...documents].filter(({ uri }) => uri.scheme === 'file').map((document) => this.show(document)));
  }

  edited(document: vscode.TextDocument): void {
    if (vscode.window.visibleTextEditors.some((editor) => editor.document === document)) {
      this.again.soon();
    }
  }

  closed(document: vscode.TextDocument): void {
    this.known.delete(document.uri.toString());
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
    for (const look of looks) {
      this.types[look].dispose();
    }
  }

  private async show(document: vscode.TextDocument): Promise<void> {
    const version = document.version;
    const marks = ofBuffer(document, await this.results.marks(document));
    if (document.version !== version || document.isClosed) {
      return; // it will be asked again
    }
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === document) {
        this.draw(editor, marks);
      }
    }
    this.compare(document.uri.toString(), marks);
  }

  private draw(editor: vscode.TextEditor, marks: Mark[]): void {
    for (const look of looks) {
      editor.setDecorations(this.types[look], seen(marks, look).map((mark) => this.option(mark, look)));
    }
  }

  private option({ range: { start, end }, psi }: Mark, look: Look): vscode.DecorationOptions {
    const range = new vscode.Range(start.line, start.character, end.line, end.character);
    if (!this.wanted.heat) {
      return { range };
    }
    const stale = look === 'stale';
    const contentText = `${signs[look]} ${stale ? 'measured before this edit' : psiText(psi)}`;
    const color = new vscode.ThemeColor(stale ? 'spell.stale' : 'editor.foreground'); // on the heat that of the zone is hard to read
    return { range, renderOptions: { after: { contentText, color, margin: '0 0 0 2em' } } };
  }

  /** Tells of what an edit made stale or fresh: the server does not. */
  private compare(uri: string, marks: Mark[]): void {
    const now = marks.map((m) => `${m.id} ${m.stale}`).join('\n');
    const before = this.known.get(uri);
    this.known.set(uri, now);
    if (before !== undefined && before !== now) {
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

function decorations(colours: Palette, of: Wanted): Record<Look, vscode.TextEditorDecorationType> {
  const type = (look: Look): vscode.TextEditorDecorationType => decoration(look, colours, of);
  return { red: type('red'), yellow: type('yellow'), green: type('green'), stale: type('stale') };
}

function decoration(look: Look, colours: Palette, { marks, heat }: Wanted): vscode.TextEditorDecorationType {
  const icon = (ground: Ground): vscode.ThemableDecorationRenderOptions =>
    ({ gutterIconPath: vscode.Uri.parse(pictureAddress(look, colours, ground)), gutterIconSize: 'contain' });
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: heat,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    ...(marks && {
      light: icon('light'), dark: icon('dark'),
      overviewRulerColor: new vscode.ThemeColor(`spell.${look}`), overviewRulerLane: vscode.OverviewRulerLane.Center,
    }),
    ...(heat && look !== 'stale' && { backgroundColor: new vscode.ThemeColor(`spell.${look}Background`) }),
  });
}

/** Keeps the marks of the editors that can be seen as the results and the texts are. */
export function registerMarks(results: Results, context: vscode.ExtensionContext): void {
  const marks = new Marks(results, palette(context.extension.packageJSON));
  context.subscriptions.push(
    marks,
    results.onDidChange(() => marks.refresh()),
    vscode.window.onDidChangeVisibleTextEditors(() => marks.refresh()),
    vscode.workspace.onDidChangeTextDocument(({ document }) => { marks.edited(document); }),
    vscode.workspace.onDidSaveTextDocument((document) => { marks.edited(document); }),
    vscode.workspace.onDidCloseTextDocument((document) => { marks.closed(document); }),
    vscode.workspace.onDidChangeConfiguration((change) =>
      change.affectsConfiguration('spell.marks') || change.affectsConfiguration('spell.heat') ? marks.configure() : undefined),
  );
}
