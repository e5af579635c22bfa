// The server's process. Nothing here needs VS Code.

import { spawn, type ChildProcess } from 'node:child_process';
import { endingText, StderrTail, type Ending } from './restarts';

/** How long to wait for a process to end once its streams are closed. */
export const endTimeoutMs = 2000;

/** A server process that communicates over stdio. */
export class ServerProcess {
  readonly child: ChildProcess;
  private readonly stderrTail = new StderrTail();
  private readonly ended: Promise<Ending>;

  constructor(binary: string, args: string[] = ['serve']) {
    this.child = spawn(binary, args, { stdio: 'pipe' });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => { this.stderrTail.add(text); });
    this.ended = new Promise((resolve) => {
      this.child.on('error', (error) => { resolve({ code: null, signal: null, error: error.message }); });
      this.child.on('close', (code, signal) => { resolve({ code, signal }); });
    });
  }

  /** Waits for the process to end; returns why it did, or undefined if it does not end in time. */
  async whyEnded(): Promise<string | undefined> {
    const ending = await Promise.race([this.ended, after(endTimeoutMs)]);
    return ending && endingText(ending, this.stderrTail.summary());
  }

  /** Waits for the process to end, and kills it if it does not in time. */
  async end(): Promise<void> {
    if (await Promise.race([this.ended, after(endTimeoutMs)]) === undefined) {
      this.child.kill('SIGKILL');
    }
  }

  /** Kills the process, and waits for its end. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await Promise.race([this.ended, after(endTimeoutMs)]);
  }
}

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => { setTimeout(() => { resolve(undefined); }, ms).unref(); });
}
