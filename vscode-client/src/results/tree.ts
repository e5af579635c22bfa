import * as vscode from 'vscode';
import { markAt, type Row } from '../protocol/answers';
import { description, label, spoken, summary, tooltip, type Sorting } from '../text/rowtext';
import { Debounced } from '../window/debounced';
import { markStateOf, palette, pictureAddress, type Ground, type MarkState, type Palette } from '../text/markstate';
import { findRow, isFunction, buildTree, pageSize, type Group, type Grouping, type Leaf, type Node } from './treemodel';
import { reveal } from './ranking';
import { groupings, remembered, sortings, viewCommandNames, viewId, type ViewCommandName } from './treechoices';
import type { Results } from './results';

/** How long changes are collected before the rows are fetched. */
const debounceMs = 300;

/** The command of rows whose function is gone; VS Code opens the others itself. */
const lostCommand = `${viewId}.lost`;

/** The ranking of all results, as a tree. */
class Tree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly loadLater = new Debounced(debounceMs, () => { void this.load(); });

  private rows: Row[] = [];
  private nodes: Node[] = [];
  private limit = pageSize;
  private filter = '';
  private requests = 0;
  private outdated = true; // the rows may have changed since they were fetched

  constructor(private readonly results: Results, private readonly memory: vscode.Memento, private readonly colours: Palette) {
    this.view = vscode.window.createTreeView(viewId, { treeDataProvider: this, showCollapseAll: true });
    this.view.onDidChangeVisibility(({ visible }) => visible && this.outdated ? this.load() : undefined);
  }

  /** Fetches the rows soon, or when the view becomes visible. */
  changed(): void {
    this.outdated = true;
    if (this.view.visible) {
      this.loadLater.schedule();
    }
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined && this.outdated && this.requests === 0) {
      void this.load(); // the view is seen for the first time
    }
    return node === undefined ? this.nodes : node.type === 'group' ? node.children : [];
  }

  getParent(node: Node): Group | undefined {
    return node.type === 'more' ? undefined : node.parent;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.type) {
      case 'group':
        return this.groupItem(node);
      case 'row':
        return this.rowItem(node);
      case 'more': {
        const item = new vscode.TreeItem(node.label);
        item.id = node.key;
        item.iconPath = new vscode.ThemeIcon('ellipsis');
        item.command = { command: `${viewId}.more`, title: node.label };
        return item;
      }
    }
  }

  dispose(): void {
    this.loadLater.dispose();
    this.view.dispose();
    this.changes.dispose();
  }

  async chooseGrouping(): Promise<void> {
    await this.choose('group', groupings, this.grouping);
    this.draw();
  }

  async chooseSorting(): Promise<void> {
    if (await this.choose('sort', sortings, this.sorting)) {
      await this.load();
    }
  }

  async chooseFilter(): Promise<void> {
    const text = await vscode.window.showInputBox({
      title: 'Filter the Ranking', value: this.filter, prompt: 'Show only components whose name or file contains this text. Leave empty to show all.',
    });
    if (text !== undefined) {
      await this.filterBy(text.trim());
    }
  }

  async filterBy(text: string): Promise<void> {
    this.filter = text;
    this.limit = pageSize;
    await vscode.commands.executeCommand('setContext', 'spell.ranking.filtered', text !== '');
    await this.load();
  }

  async more(): Promise<void> {
    this.limit += pageSize;
    await this.load();
  }

  /** Shows the function at the cursor in the tree, however far down it is. */
  async reveal(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const mark = editor && markAt(await this.results.marks(editor.document) ?? [], editor.selection.active.line);
    if (editor === undefined || mark === undefined) {
      void vscode.window.showInformationMessage('No measured function is at the cursor.');
      return;
    }
    const uri = editor.document.uri.toString();
    if (this.outdated) {
      await this.load();
    }
    let found = findRow(this.nodes, mark.id, uri);
    if (found === undefined && this.filter !== '') {
      await this.filterBy('');
      found = findRow(this.nodes, mark.id, uri);
    }
    while (found === undefined && this.rows.length > this.limit) {
      this.limit *= 4;
      await this.load();
      found = findRow(this.nodes, mark.id, uri);
    }
    if (found === undefined) {
      void vscode.window.showInformationMessage(`${mark.name} is no longer in the ranking.`);
      return;
    }
    await this.view.reveal(found, { select: true, focus: true });
  }

  private get grouping(): Grouping {
    return remembered(this.memory.get('spell.ranking.group'), groupings);
  }

  private get sorting(): Sorting {
    return remembered(this.memory.get('spell.ranking.sort'), sortings);
  }

  private async choose<T extends string>(what: 'group' | 'sort', choices: Record<T, string>, now: T): Promise<boolean> {
    const items = (Object.keys(choices) as T[]).map((name) => (
      { label: choices[name], name, ...(name === now && { description: 'current' }) }));
    const chosen = await vscode.window.showQuickPick(items, { title: `${what === 'group' ? 'Group' : 'Sort'} the Ranking` });
    if (chosen !== undefined) {
      await this.memory.update(`spell.ranking.${what}`, chosen.name);
    }
    return chosen !== undefined;
  }

  /** Fetches the rows. Only the answer to the latest call is used; if it fails, the tree stays as it is. */
  private async load(): Promise<void> {
    this.loadLater.dispose();
    this.outdated = false;
    const request = ++this.requests;
    const rows = await this.results.rows(this.limit + 1, this.sorting, this.filter);
    if (request !== this.requests) {
      return;
    }
    if (rows === undefined) {
      this.outdated = true;
    } else {
      this.rows = rows;
      this.draw();
    }
  }

  private draw(): void {
    this.nodes = buildTree(this.rows, this.grouping, this.limit);
    const message = summary(this.rows.slice(0, this.limit), this.filter);
    this.view.message = this.rows.length === 0 ? '' : message;
    this.view.description = this.sorting === 'rank' ? '' : sortings[this.sorting].toLowerCase();
    this.changes.fire();
  }

  private groupItem(node: Group): vscode.TreeItem {
    const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.Expanded);
    item.id = node.key;
    item.description = node.description;
    item.contextValue = 'spell.group';
    item.accessibilityInformation = { label: `${node.label}, ${node.description.replaceAll(' · ', ', ')}` };
    if (node.state !== undefined) {
      item.iconPath = this.icon(node.state);
    }
    return item;
  }

  private rowItem(node: Leaf): vscode.TreeItem {
    const item = new vscode.TreeItem(label(node.row, node.qualified));
    item.id = node.key;
    item.description = description(node.row, this.sorting);
    item.tooltip = new vscode.MarkdownString(tooltip(node.row));
    item.iconPath = this.icon(markStateOf(node.row));
    item.contextValue = isFunction(node) ? 'spell.function' : 'spell.component';
    item.accessibilityInformation = { label: spoken(node.row) };
    if (node.row.gone) {
      item.command = { command: lostCommand, title: 'Show Where It Was', arguments: [node.row] };
    } else if (node.row.place !== undefined) {
      const at = new vscode.Position(node.row.place.line, 0);
      const options: vscode.TextDocumentShowOptions = { selection: new vscode.Range(at, at) };
      item.command = { command: 'vscode.open', title: 'Open', arguments: [vscode.Uri.parse(node.row.place.uri), options] };
    }
    return item;
  }

  private icon(state: MarkState): Record<Ground, vscode.Uri> {
    const on = (ground: Ground): vscode.Uri => vscode.Uri.parse(pictureAddress(state, this.colours, ground));
    return { light: on('light'), dark: on('dark') };
  }
}

/** Shows the ranking in its view, with the commands that package.json declares for it. */
export function registerTree(results: Results, context: vscode.ExtensionContext): vscode.Disposable {
  const tree = new Tree(results, context.workspaceState, palette(context.extension.packageJSON));
  const actions: Record<ViewCommandName, () => Promise<void>> = {
    group: () => tree.chooseGrouping(),
    sort: () => tree.chooseSorting(),
    filter: () => tree.chooseFilter(),
    clearFilter: () => tree.filterBy(''),
    more: () => tree.more(),
    reveal: () => tree.reveal(),
  };
  return vscode.Disposable.from(
    tree, results.onDidChange(() => { tree.changed(); }), results.onDidChangeStaleness(() => { tree.changed(); }),
    vscode.commands.registerCommand(lostCommand, (row: Row) => reveal(row)),
    ...viewCommandNames.map((name) => vscode.commands.registerCommand(`${viewId}.${name}`, actions[name])),
  );
}
