// The extension host from the outside: functions are sent into it.

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import readline from 'node:readline';
import type * as vscode from 'vscode';
import { until } from './until.ts';

interface Answer {
  id: number;
  result?: unknown;
  error?: string;
}

interface Call {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** Runs functions in the extension host, in the extension of the folder driver. */
export class Host {
  private readonly listener: Server;
  private wire: Socket | undefined;
  private calls = new Map<number, Call>();
  private count = 0;

  private constructor(listener: Server) {
    this.listener = listener;
  }

  /** Listens at a socket, to which the driver connects when the extension host starts. */
  static async listen(socket: string): Promise<Host> {
    const host = new Host(createServer((wire) => { host.connected(wire); }));
    host.listener.listen(socket);
    await once(host.listener, 'listening');
    return host;
  }

  /** The window is shown anew: it gets an extension host of its own. */
  forget(): void {
    if (this.wire !== undefined) {
      this.wire.destroy();
      this.ended(this.wire);
    }
  }

  async started(): Promise<void> {
    await until('the extension host', () => this.wire !== undefined);
  }

  /**
   * Calls a function in the extension host. It is sent as text: what it uses
   * from the outside must be among its arguments, and both these and what it
   * returns must be JSON.
   */
  run<A extends unknown[], R>(step: (api: typeof vscode, ...args: A) => R | PromiseLike<R>, ...args: A): Promise<R> {
    const { wire } = this;
    if (wire === undefined) {
      throw new Error('there is no extension host');
    }
    const id = ++this.count;
    const answered = new Promise<unknown>((resolve, reject) => this.calls.set(id, { resolve, reject }));
    wire.write(`${JSON.stringify({ id, step: step.toString(), args })}\n`);
    return answered as Promise<R>;
  }

  close(): void {
    this.wire?.destroy();
    this.listener.close();
  }

  private connected(wire: Socket): void {
    this.wire = wire;
    readline.createInterface({ input: wire }).on('line', (line) => { this.answered(JSON.parse(line) as Answer); });
    wire.on('error', () => { wire.destroy(); });
    wire.on('close', () => { this.ended(wire); });
  }

  private answered({ id, result, error }: Answer): void {
    const call = this.calls.get(id);
    this.calls.delete(id);
    if (error === undefined) {
      call?.resolve(result);
    } else {
      call?.reject(new Error(`in the extension host: ${error}`));
    }
  }

  private ended(wire: Socket): void {
    if (this.wire !== wire) {
      return; // another one took its place
    }
    this.wire = undefined;
    for (const { reject } of this.calls.values()) {
      reject(new Error('the extension host ended'));
    }
    this.calls.clear();
  }
}
