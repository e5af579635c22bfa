import * as vscode from 'vscode';
import type { Server } from '../server/client';
import { reasons } from '../window/names';
import type { Notices } from '../window/notices';
import type { Overview } from '../results/overview';
import { parseMeasureResult, type MeasureResult } from '../protocol/answers';
import { hasCode, reasonOf, requestCancelled, serverCommands } from '../protocol/protocol';
import type { Status } from '../window/status';
import { ProgressSteps } from '../server/progress';
import { summaryText } from '../text/words';

/** How a measurement ended. `unable`: there was no server, and the user has been told. */
export type Outcome =
  | { is: 'done'; answer: unknown; result: MeasureResult }
  | { is: 'cancelled' | 'unable' }
  | { is: 'failed'; why: string };

/** A measuring command of the server, with its argument. */
export interface Request {
  command: string;
  argument: object;
}

/** The measuring commands: they get visible progress and can be cancelled, whoever runs them. */
export const measuringCommands: string[] = [serverCommands.measure, serverCommands.drillDown, serverCommands.applyAndMeasure];

/** Runs one measurement at a time. The caller checks whether it may run. */
export class Measurement implements vscode.Disposable {
  private running: vscode.CancellationTokenSource | undefined;

  constructor(
    private readonly server: Server, private readonly status: Status, private readonly overview: Overview,
    private readonly notices: Notices,
  ) {}

  get runs(): boolean {
    return this.running !== undefined;
  }

  /** Measures, and tells the user the result; the owner of a token tells it itself. */
  async run(request: Request, cancelled?: vscode.CancellationToken): Promise<Outcome> {
    if (this.runs) {
      return { is: 'failed', why: reasons.idle.why };
    }
    const cancellation = new vscode.CancellationTokenSource();
    this.running = cancellation;
    const listening = cancelled?.onCancellationRequested(() => { cancellation.cancel(); });
    this.status.show({ measuring: {} });
    await setMeasuring(true);
    try {
      const outcome = await this.measure(request, cancellation);
      if (outcome.is === 'done' && cancelled === undefined && request.command !== serverCommands.applyAndMeasure) { // the server shows what a change did
        this.showSummary(outcome.result);
      }
      return outcome;
    } finally {
      this.running = undefined;
      listening?.dispose();
      cancellation.dispose();
      this.status.show({ measuring: undefined });
      await setMeasuring(false);
    }
  }

  /** Cancels the measurement that runs, and says whether there was one. */
  cancel(): boolean {
    this.running?.cancel();
    return this.runs;
  }

  dispose(): void {
    this.cancel();
  }

  private async measure(request: Request, cancellation: vscode.CancellationTokenSource): Promise<Outcome> {
    try {
      const answer = await this.request(request, cancellation);
      if (answer === undefined) {
        return { is: 'unable' };
      }
      const result = parseMeasureResult(answer);
      await this.overview.refresh();
      return { is: 'done', answer, result };
    } catch (error) {
      if (cancellation.token.isCancellationRequested || hasCode(error, requestCancelled)) { // by the token, or by the server's command
        vscode.window.setStatusBarMessage('Measurement cancelled', 5000);
        return { is: 'cancelled' };
      }
      this.notices.failed('Measuring failed', error);
      return { is: 'failed', why: reasonOf(error) };
    }
  }

  /** Runs the server's command, and shows the progress that it reports. */
  private request({ command, argument }: Request, cancellation: vscode.CancellationTokenSource): Thenable<unknown> {
    const options = { location: vscode.ProgressLocation.Notification, title: 'Measuring energy', cancellable: true };
    const steps = new ProgressSteps();
    return vscode.window.withProgress(options, (progress, cancelled) => {
      cancelled.onCancellationRequested(() => { cancellation.cancel(); });
      return this.server.execute(command, argument, {
        cancelled: cancellation.token,
        onProgress: (report) => {
          const step = steps.next(report);
          progress.report(step.report);
          this.status.show({ measuring: step.state });
        },
      });
    });
  }

  private showSummary(result: MeasureResult): void {
    const estimated = this.overview.rows.some((row) => row.run === result.run && row.source === 'estimated'); // the rows may be of another result, if this one has none
    const ranking = 'Show the Ranking';
    const report = 'Show the Report';
    void vscode.window.showInformationMessage(summaryText(result, estimated), ranking, report).then((chosen) =>
      chosen && vscode.commands.executeCommand(chosen === ranking ? 'spell.showRanking' : 'spell.showReport'));
  }
}

function setMeasuring(on: boolean): Thenable<unknown> {
  return vscode.commands.executeCommand('setContext', 'spell.measuring', on);
}
