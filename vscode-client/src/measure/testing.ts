import * as vscode from 'vscode';
import { eachOnce, testsOf } from './gosource';
import type { Measurement, Outcome } from './measurement';
import type { Overview } from '../results/overview';
import type { Permission } from './permission';
import type { MeasureResult } from '../protocol/answers';
import { serverCommands, type MeasureArguments } from '../protocol/protocol';
import { outcomeOf, topLines, type Verdict } from './testoutcome';

/**
 * The tests of the packages that are open, in a controller of our own: that of the Go
 * extension takes no profiles of others. Its one profile measures their energy.
 */
export function registerTests(
  measurement: Measurement, permission: Permission, overview: Overview, log: vscode.LogOutputChannel,
): vscode.Disposable {
  const controller = vscode.tests.createTestController('spell.tests', 'Energy (SPELL)');
  const tests = new OpenPackages(controller, log);
  controller.resolveHandler = () => tests.update();
  controller.refreshHandler = () => tests.update();
  controller.createRunProfile('Energy', vscode.TestRunProfileKind.Run, async (request) => {
    if (await permission.given('measureTest')) {
      await new EnergyRun(controller, measurement, overview, request).run();
    }
  }, true);
  return vscode.Disposable.from(
    controller,
    vscode.window.onDidChangeVisibleTextEditors(() => tests.update()),
    vscode.workspace.onDidSaveTextDocument((document) => isGo(document) ? tests.update() : undefined),
  );
}

function isGo(document: vscode.TextDocument): boolean {
  return document.languageId === 'go' && document.uri.scheme === 'file';
}

/** The tree of the controller: packages of visible editors, and their tests. */
class OpenPackages {
  constructor(private readonly controller: vscode.TestController, private readonly log: vscode.LogOutputChannel) {}

  async update(): Promise<void> {
    const visible = vscode.window.visibleTextEditors.map((editor) => editor.document).filter(isGo);
    const known = [...this.controller.items].flatMap(([, item]) => item.uri ? [item.uri] : []);
    const folders = [...known, ...visible.map((document) => vscode.Uri.joinPath(document.uri, '..'))];
    for (const folder of new Map(folders.map((uri) => [uri.toString(), uri])).values()) {
      try {
        await this.updatePackage(folder);
      } catch (error) { // the other packages are looked at all the same
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

/** The chosen items, with a package in the place of all its tests. */
function whole(chosen: readonly vscode.TestItem[]): vscode.TestItem[] {
  const all = (parent: vscode.TestItem): boolean => [...parent.children].every(([, child]) => chosen.includes(child));
  return [...new Set(chosen.map((item) => item.parent && all(item.parent) ? item.parent : item))];
}

/** One run of chosen tests: a package that is chosen as a whole is measured at once. */
class EnergyRun {
  private readonly testRun: vscode.TestRun;
  private over = false;

  constructor(
    private readonly controller: vscode.TestController, private readonly measurement: Measurement,
    private readonly overview: Overview, private readonly request: vscode.TestRunRequest,
  ) {
    this.testRun = controller.createTestRun(request);
  }

  async run(): Promise<void> {
    const chosen = this.request.include ?? [...this.controller.items].map(([, item]) => item);
    try {
      for (const item of whole(chosen)) {
        await this.measure(item);
      }
    } finally {
      this.testRun.end();
    }
  }

  private async measure(item: vscode.TestItem): Promise<void> {
    const excluded = new Set(this.request.exclude);
    const tests = [...item.children].map(([, child]) => child).filter((child) => !excluded.has(child));
    if (excluded.has(item)) {
      return;
    }
    if (item.children.size > 0 && tests.length < item.children.size) {
      for (const test of tests) {
        await this.measure(test);
      }
      return;
    }
    const argument: MeasureArguments = item.children.size > 0
      ? { scope: 'package', uri: item.uri?.toString() ?? '' }
      : { scope: 'test', uri: item.uri?.toString() ?? '', name: item.label };
    await this.ask(argument, item.children.size > 0 ? tests : [item]);
  }

  /** Measures tests; once one measurement was cancelled or could not be, the rest of the run is skipped. */
  private async ask(argument: MeasureArguments, tests: vscode.TestItem[]): Promise<void> {
    if (this.over || this.testRun.token.isCancellationRequested) {
      for (const test of tests) {
        this.testRun.skipped(test);
      }
      return;
    }
    for (const test of tests) {
      this.testRun.started(test);
    }
    const began = performance.now();
    const outcome = await this.measurement.run({ command: serverCommands.measure, argument }, this.testRun.token);
    // A share each, so that the package has the whole.
    this.conclude(outcome, tests, (performance.now() - began) / tests.length);
  }

  private conclude(outcome: Outcome, tests: vscode.TestItem[], took: number): void {
    this.over = outcome.is === 'cancelled' || outcome.is === 'unable';
    for (const test of tests) {
      switch (outcome.is) {
        case 'done':
          this.judge(test, outcomeOf(test.label, outcome.result.outcomes), took);
          break;
        case 'failed':
          this.testRun.errored(test, new vscode.TestMessage(outcome.why), took);
          break;
        default:
          this.testRun.skipped(test);
      }
    }
    if (outcome.is === 'done') {
      this.print(outcome.result, tests[0]);
    }
  }

  private judge(test: vscode.TestItem, verdict: Verdict, took: number): void {
    switch (verdict.is) {
      case 'passed':
        this.testRun.passed(test, took);
        break;
      case 'skipped':
        this.testRun.skipped(test);
        break;
      default:
        this.testRun[verdict.is](test, new vscode.TestMessage(verdict.why), took);
    }
  }

  private print(result: MeasureResult, test: vscode.TestItem | undefined): void {
    this.testRun.appendOutput(topLines(result, this.overview.rows).map((line) => `${line}\r\n`).join(''), undefined, test);
  }
}
