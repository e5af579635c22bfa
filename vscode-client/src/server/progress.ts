// Converts work-done progress for VS Code. Nothing here needs VS Code.

/** What the server reports: LSP's WorkDoneProgressBegin, -Report or -End. */
export interface Report {
  kind: 'begin' | 'report' | 'end';
  message?: string;
  /** 0 to 100, of the whole. */
  percentage?: number;
  /** The components of a program that runs with the most running time so far; the server's extension of the protocol. */
  live?: LiveRow[];
}

export interface LiveRow {
  id: string;
  /** Of the running time of all components so far, 0 to 1. */
  share: number;
}

export interface Step {
  report: { message?: string; increment?: number };
  /** What the status bar shows: the percentage that is done, the last message, and the last ranking of a program that runs; missing if unknown. */
  state: { percent?: number; doing?: string; live?: LiveRow[] };
}

/** Makes increments, which VS Code takes, of the totals that the protocol reports. */
export class ProgressSteps {
  private done: number | undefined;
  private doing: string | undefined;
  private live: LiveRow[] | undefined;

  next(report: Report): Step {
    const message = report.message === undefined ? {} : { message: report.message };
    this.doing = report.message ?? this.doing;
    this.live = report.live ?? this.live;
    const now = report.percentage;
    if (now === undefined) {
      return { report: message, state: this.state() };
    }
    const before = this.done ?? 0;
    this.done = Math.max(before, Math.min(now, 100));
    return { report: { ...message, increment: this.done - before }, state: this.state() };
  }

  private state(): Step['state'] {
    return {
      ...(this.done === undefined ? {} : { percent: this.done }),
      ...(this.doing === undefined ? {} : { doing: this.doing }),
      ...(this.live === undefined ? {} : { live: this.live }),
    };
  }
}
