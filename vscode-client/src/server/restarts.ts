// Restarts of a server that ends by itself, and the reason that the user is told. Nothing here needs VS Code.

const maxRestarts = 5;
const windowMs = 3 * 60 * 1000;

/** Limits how often the server is restarted. */
export class Restarts {
  private times: number[] = [];

  /** Records that the server ended at a time in milliseconds; returns whether to restart it. */
  mayRestart(now: number): boolean {
    this.times = this.times.filter((time) => now - time < windowMs);
    if (this.times.length >= maxRestarts) {
      return false;
    }
    this.times.push(now);
    return true;
  }

  /** Forgets earlier restarts, as the user asked for one. */
  forget(): void {
    this.times = [];
  }
}

/** How a process ended: by an exit code or a signal, or with an error because it could not be started. */
export interface Ending {
  code: number | null;
  signal: string | null;
  error?: string;
}

const maxChars = 64 * 1024;
const maxLines = 3;

/** The last lines that the server wrote to its standard error. */
export class StderrTail {
  private text = '';

  add(text: string): void {
    this.text = (this.text + text).slice(-maxChars);
  }

  /** The most useful lines: the first of a Go crash, or else the last that are not logged as debug or info (in zap's form). */
  summary(): string[] {
    const lines = this.text.split(/\r?\n/).filter((line) => line.trim() !== '' && !/^\S+\t(debug|info)\t/.test(line));
    const crash = lines.findIndex((line) => /^(panic|fatal error|runtime): /.test(line));
    return crash < 0 ? lines.slice(-maxLines) : lines.slice(crash, crash + maxLines);
  }
}

/** Why the server ended, with its last output. */
export function endingText(ending: Ending, stderrTail: string[]): string {
  const said = stderrTail.length === 0 ? '' : ` Its last output: ${stderrTail.join(' | ')}`;
  return `${how(ending)}.${said}`;
}

function how({ code, signal, error }: Ending): string {
  if (error !== undefined) {
    return `it could not be started (${error})`;
  }
  return signal === null ? `exit code ${String(code)}` : `killed by ${signal}`;
}
