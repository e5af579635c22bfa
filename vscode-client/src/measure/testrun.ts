import * as vscode from 'vscode';
import type { MeasureResult } from '../protocol/answers';
import { serverCommands, type MeasureArguments } from '../protocol/protocol';
import type { Overview } from '../results/overview';
import type { Measurement, Outcome } from './measurement';
import { outcomeOf, timeOf, topLines, type Verdict } from './testoutcome';

/** One run of chosen tests. A package whose tests are all chosen is measured at once. */
export class EnergyRun {
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
      for (const item of collapsePackages(chosen)) {
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

  /** Measures tests. After a measurement that was cancelled or could not run, the rest of the run is skipped. */
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
    this.conclude(await this.measurement.run({ command: serverCommands.measure, argument }, this.testRun.token), tests);
  }

  private conclude(outcome: Outcome, tests: vscode.TestItem[]): void {
    this.over = outcome.is === 'cancelled' || outcome.is === 'unable';
    for (const test of tests) {
      switch (outcome.is) {
        case 'done':
          this.reportVerdict(test, outcomeOf(test.label, outcome.result.outcomes), timeOf(test.label, outcome.result.outcomes));
          break;
        case 'failed':
          this.testRun.errored(test, new vscode.TestMessage(outcome.why));
          break;
        default:
          this.testRun.skipped(test);
      }
    }
    if (outcome.is === 'done') {
      this.print(outcome.result, tests[0]);
    }
  }

  private reportVerdict(test: vscode.TestItem, verdict: Verdict, durationMs: number | undefined): void {
    switch (verdict.is) {
      case 'passed':
        this.testRun.passed(test, durationMs);
        break;
      case 'skipped':
        this.testRun.skipped(test);
        break;
      default:
        this.testRun[verdict.is](test, new vscode.TestMessage(verdict.why), durationMs);
    }
  }

  private print(result: MeasureResult, test: vscode.TestItem | undefined): void {
    this.testRun.appendOutput(topLines(result, this.overview.rows).map((line) => `${line}\r\n`).join(''), undefined, test);
  }
}

/** The chosen items, with a package in place of its tests where all of them are chosen. */
function collapsePackages(chosen: readonly vscode.TestItem[]): vscode.TestItem[] {
  const all = (parent: vscode.TestItem): boolean => [...parent.children].every(([, child]) => chosen.includes(child));
  return [...new Set(chosen.map((item) => item.parent && all(item.parent) ? item.parent : item))];
}
