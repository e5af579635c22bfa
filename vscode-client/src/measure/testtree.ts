import * as vscode from 'vscode';
import { eachOnce, testsOf } from './gosource';

/** The tree of the test controller: packages that were visible in an editor, and their tests. */
export class OpenPackages {
  constructor(private readonly controller: vscode.TestController, private readonly log: vscode.LogOutputChannel) {}

  async update(): Promise<void> {
    const visible = vscode.window.visibleTextEditors.map((editor) => editor.document).filter(isGo);
    const known = [...this.controller.items].flatMap(([, item]) => item.uri ? [item.uri] : []);
    const folders = [...known, ...visible.map((document) => vscode.Uri.joinPath(document.uri, '..'))];
    for (const folder of new Map(folders.map((uri) => [uri.toString(), uri])).values()) {
      try {
        await this.updatePackage(folder);
      } catch (error) { // the other packages are updated all the same
        this.log.warn(`The tests of ${folder.fsPath} cannot be shown: ${String(error)}`);
      }
    }
  }

  private async updatePackage(folder: vscode.Uri): Promise<void> {
    const tests = await testsIn(this.controller, folder);
    const id = folder.toString();
    if (tests.length === 0) {
      this.controller.items.delete(id);
      return;
    }
    const item = this.controller.items.get(id)
      ?? this.controller.createTestItem(id, title(folder), folder);
    item.children.replace(tests);
    this.controller.items.add(item);
  }
}

/** The folder as seen from the workspace. */
function title(folder: vscode.Uri): string {
  const root = vscode.workspace.getWorkspaceFolder(folder);
  return root?.uri.toString() === folder.toString() ? root.name : vscode.workspace.asRelativePath(folder);
}

async function testsIn(controller: vscode.TestController, folder: vscode.Uri): Promise<vscode.TestItem[]> {
  const names = await entries(folder);
  const files = names.filter((name) => name.endsWith('_test.go')).map((name) => vscode.Uri.joinPath(folder, name));
  const lists = await Promise.all(files.map(async (uri) => eachOnce(testsOf(await text(uri))).map(({ name, line }) => {
    const item = controller.createTestItem(`${uri.toString()}#${name}`, name, uri);
    item.range = new vscode.Range(line, 0, line, 0);
    return item;
  })));
  return lists.flat();
}

async function entries(folder: vscode.Uri): Promise<string[]> {
  try {
    return (await vscode.workspace.fs.readDirectory(folder)).map(([name]) => name).sort();
  } catch {
    return []; // it was deleted
  }
}

/** A file as it stands in the editor, or else on disk. */
async function text(uri: vscode.Uri): Promise<string> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open !== undefined) {
    return open.getText();
  }
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return ''; // it was deleted meanwhile
  }
}

export function isGo(document: vscode.TextDocument): boolean {
  return document.languageId === 'go' && document.uri.scheme === 'file';
}
