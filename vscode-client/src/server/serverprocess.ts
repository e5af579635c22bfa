// The server's process. Nothing here needs VS Code.

import { spawn, type ChildProcess } from 'node:child_process';
import { endingText, LastWords, type Ending } from './restarts';

/** How long the end of a process is waited for once its streams are closed. */
export const patienceMs = 2000;

/** A server that talks over stdio. */
export class ServerProcess {
  readonly child: ChildProcess;
  private readonly lastWords = new LastWords();
  private readonly ended: Promise<Ending>;

  constructor(binary: string, args: string[] = ['serve']) {
    this.child = spawn(binary, args, { stdio: 'pipe' });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => { this.lastWords.add(text); });
    this.ended = new Promise((resolve) => {
      this.child.on('error', (error) => { resolve({ code: null, signal: null, error: error.message }); });
      this.child.on('close', (code, signal) => { resolve({ code, signal }); });
    });
  }

  /** Waits for the end and says why it came; undefined if it does not come. */
  async whyEnded(): Promise<string | undefined> {
    const ending = await Promise.race([this.ended, after(patienceMs)]);
    return ending && endingText(ending, this.lastWords.tell());
  }

  /** Makes sure that it ends: a server that was told to and does not is killed. */
  async end(): Promise<void> {
    if (await Promise.race([this.ended, after(patienceMs)]) === undefined) {
      this.child.kill('SIGKILL');
    }
  }
}

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => { setTimeout(() => { resolve(undefined); }, ms).unref(); });
}
