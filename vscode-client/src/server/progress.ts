// Converts work-done progress for VS Code. Nothing here needs VS Code.

/** What the server reports: LSP's WorkDoneProgressBegin, -Report or -End. */
export interface Report {
  kind: 'begin' | 'report' | 'end';
  message?: string;
  /** 0 to 100, of the whole. */
  percentage?: number;
}

export interface Step {
  report: { message?: string; increment?: number };
  /** The percentage that is done; missing if unknown. */
  percent: { percent?: number };
}

/** Makes increments, which VS Code takes, of the totals that the protocol reports. */
export class ProgressSteps {
  private done: number | undefined;

  next(report: Report): Step {
    const message = report.message === undefined ? {} : { message: report.message };
    const now = report.percentage;
    if (now === undefined) {
      return { report: message, percent: this.done === undefined ? {} : { percent: this.done } };
    }
    const before = this.done ?? 0;
    this.done = Math.max(before, Math.min(now, 100));
    return { report: { ...message, increment: this.done - before }, percent: { percent: this.done } };
  }
}
