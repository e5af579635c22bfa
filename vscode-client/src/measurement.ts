import * as vscode from 'vscode';
import { ExecuteCommandRequest, LSPErrorCodes, ResponseError, WorkDoneProgress, type LanguageClient } from 'vscode-languageclient/node';
import { parseMeasureResult, serverCommands, type MeasureResult } from './protocol';
import { ranking } from './ranking';
import type { Server } from './client';
import type { Notices } from './notices';
import type { Status } from './status';
import { Steps } from './steps';
import { finalWord, type Activity } from './words';

/** Makes one measurement at a time, with progress that can be seen and cancelled. */
export class Measurement implements vscode.Disposable {
  private running: vscode.CancellationTokenSource | undefined;
  private count = 0;
  private rest: Activity = { state: 'idle' };

  constructor(private readonly server: Server, private readonly status: Status, private readonly notices: Notices) {}

  /** Measures and says what came out. Gives the server's answer, undefined if there is none. */
  async run(argument: unknown): Promise<unknown> {
    if (!(await mayRun()) || !(await this.mayStart())) {
      return undefined;
    }
    const cancellation = new vscode.CancellationTokenSource();
    this.running = cancellation;
    await setMeasuring(true);
    try {
      const client = await this.server.running();
      return client && (await this.measure(client, argument, cancellation));
    } finally {
      this.running = undefined;
      cancellation.dispose();
      this.status.show(this.rest);
      await setMeasuring(false);
    }
  }

  /** Cancels the measurement that runs, and says whether there was one. */
  cancel(): boolean {
    this.running?.cancel();
    return this.running !== undefined;
  }

  /** Forgets the last result. */
  clear(): void {
    this.rest = { state: 'idle' };
    if (this.running === undefined) {
      this.status.show(this.rest);
    }
  }

  dispose(): void {
    this.cancel();
  }

  private async mayStart(): Promise<boolean> {
    if (this.running === undefined) {
      return true;
    }
    const cancel = 'Cancel It';
    const chosen = await vscode.window.showInformationMessage('A measurement is running. Two at a time would disturb each other.', cancel);
    if (chosen === cancel) {
      this.cancel();
    }
    return false;
  }

  private async measure(client: LanguageClient, argument: unknown, cancellation: vscode.CancellationTokenSource): Promise<unknown> {
    try {
      const answer = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: 'Measuring energy', cancellable: true },
        (progress, cancelled) => {
          cancelled.onCancellationRequested(() => { cancellation.cancel(); });
          return this.request(client, argument, cancellation.token, progress);
        });
      const [first] = await ranking(client, 1);
      this.conclude(parseMeasureResult(answer), first?.estimated ?? false);
      return answer;
    } catch (error) {
      if (cancellation.token.isCancellationRequested || isCancelled(error)) {
        vscode.window.setStatusBarMessage('Measurement cancelled', 5000);
      } else {
        this.notices.failed('Measuring failed', error);
      }
      return undefined;
    }
  }

  /** Asks the server to measure, and shows the progress that it reports under a token of ours. */
  private async request(
    client: LanguageClient, argument: unknown, cancelled: vscode.CancellationToken,
    progress: vscode.Progress<{ message?: string; increment?: number }>,
  ): Promise<unknown> {
    const workDoneToken = `spell-measurement-${++this.count}`;
    const steps = new Steps();
    this.status.show({ state: 'measuring' });
    const listening = client.onProgress(WorkDoneProgress.type, workDoneToken, (report) => {
      const step = steps.next(report);
      progress.report(step.report);
      this.status.show({ state: 'measuring', ...step.percent });
    });
    try {
      return await client.sendRequest(
        ExecuteCommandRequest.type, { command: serverCommands.measure, arguments: [argument], workDoneToken }, cancelled);
    } finally {
      listening.dispose();
    }
  }

  private conclude(result: MeasureResult, estimated: boolean): void {
    const [worst] = result.top;
    this.rest = worst === undefined ? { state: 'idle' } : { state: 'ranked', worst, estimated };
    const show = 'Show the Ranking';
    void vscode.window.showInformationMessage(finalWord(result, estimated), show).then((chosen) =>
      chosen === show ? vscode.commands.executeCommand('spell.showRanking') : undefined);
  }
}

/** Whether the server ended a request because it was cancelled, by whatever way. */
function isCancelled(error: unknown): boolean {
  return error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled;
}

function setMeasuring(on: boolean): Thenable<unknown> {
  return vscode.commands.executeCommand('setContext', 'spell.measuring', on);
}

/** A measurement runs the workspace's tests: only where the user trusts it. */
async function mayRun(): Promise<boolean> {
  if (vscode.workspace.isTrusted) {
    return true;
  }
  const manage = 'Manage Workspace Trust';
  const chosen = await vscode.window.showWarningMessage('Measuring runs the tests of this workspace, and the workspace is not trusted.', manage);
  if (chosen === manage) {
    await vscode.commands.executeCommand('workbench.trust.manage');
  }
  return false;
}
