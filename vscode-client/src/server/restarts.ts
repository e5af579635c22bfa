// What to do when the server ends by itself. Nothing here needs VS Code.

const most = 5;
const windowMs = 3 * 60 * 1000;

/** How often the server was started again. */
export class Restarts {
  private times: number[] = [];

  /** Notes that the server ended now (in milliseconds), and says whether to start it again. */
  mayRestart(now: number): boolean {
    this.times = this.times.filter((time) => now - time < windowMs);
    if (this.times.length >= most) {
      return false;
    }
    this.times.push(now);
    return true;
  }

  /** The user asks for a fresh start. */
  forget(): void {
    this.times = [];
  }
}

/** How a process ended: by an exit code or by a signal, or it could not be started at all. */
export interface Ending {
  code: number | null;
  signal: string | null;
  error?: string;
}

const kept = 64 * 1024;
const told = 3;

/** The last lines that the server wrote to its standard error. */
export class LastWords {
  private text = '';

  add(text: string): void {
    this.text = (this.text + text).slice(-kept);
  }

  /** The lines that tell most: the beginning of a crash's report, or else the last ones that warn. */
  tell(): string[] {
    const lines = this.text.split(/\r?\n/).filter((line) => line.trim() !== '' && !/^\S+\t(debug|info)\t/.test(line));
    const crash = lines.findIndex((line) => /^(panic|fatal error|runtime): /.test(line));
    return crash < 0 ? lines.slice(-told) : lines.slice(crash, crash + told);
  }
}

/** Why the server ended, in one sentence with what it said last. */
export function endingText(ending: Ending, lastWords: string[]): string {
  const said = lastWords.length === 0 ? '' : ` It said last: ${lastWords.join(' | ')}`;
  return `${how(ending)}.${said}`;
}

function how({ code, signal, error }: Ending): string {
  if (error !== undefined) {
    return `it could not be started (${error})`;
  }
  return signal === null ? `exit code ${String(code)}` : `killed by ${signal}`;
}
