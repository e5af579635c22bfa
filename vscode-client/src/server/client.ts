import * as vscode from 'vscode';
import type { LanguageClient, LanguageClientOptions, Middleware, TextDocumentPositionParams } from 'vscode-languageclient/node';
import { explicit, section, serverSettings } from './configuration';
import { locate } from './locate';
import { thisMachine } from './machine';
import type { Notices } from '../window/notices';
import { offerRemedy } from '../window/remedy';
import { Restarts } from './restarts';
import { ServerProcess } from './serverprocess';
import type { Report } from './progress';

/** Handles the server's commands when a code lens or a code action runs them. */
export type Execute = NonNullable<Middleware['executeCommand']>;

/** The state of the server. A problem says why it does not run. */
export type Condition = { is: 'stopped' | 'starting' | 'running' } | { is: 'missing' | 'broken'; problem: string };

/** Options of a request. */
export interface Call {
  cancelled?: vscode.CancellationToken;
  onProgress?: (report: Report) => void;
}

/** The one server of this window, for all its folders. */
export class Server implements vscode.Disposable {
  condition: Condition = { is: 'stopped' };
  private live: { client: LanguageClient; process: ServerProcess } | undefined;
  private starting: Promise<LanguageClient | undefined> | undefined;
  private readonly settings: string[];
  private readonly restarts = new Restarts();
  private readonly listeners = new Map<string, ((params: unknown) => void)[]>();
  private readonly changed = new vscode.EventEmitter<Condition>();
  private calls = 0;

  /** Fires when the condition changes. A server that was started again has lost its results, except saved ones. */
  readonly onCondition = this.changed.event;

  constructor(
    private readonly extension: vscode.Extension<unknown>, private readonly log: vscode.LogOutputChannel,
    private readonly notices: Notices, private readonly intercept: Execute,
  ) {
    this.settings = serverSettings(extension.packageJSON);
    this.onNotification('window/showMessage', (message) => { notices.show(message); });
  }

  /** The running server, started if necessary. If it cannot start, the user is told why and the result is undefined. */
  async running(): Promise<LanguageClient | undefined> {
    const starting = this.starting ??= this.start();
    const client = await starting;
    if (client === undefined && this.starting === starting) {
      this.starting = undefined; // the next command tries again
    }
    return client;
  }

  /** Listens to a notification of the server, and of every server that is started after it. */
  onNotification(method: string, listener: (params: never) => void): void {
    const any = listener as (params: unknown) => void;
    this.listeners.set(method, [...this.listeners.get(method) ?? [], any]);
    if (this.live !== undefined) {
      this.hear(this.live.client, method);
    }
  }

  /** Registers one listener for all: the library keeps only the last one of a method. */
  private hear(client: LanguageClient, method: string): void {
    client.onNotification(method, (params: unknown) => { this.listeners.get(method)?.forEach((listener) => { listener(params); }); });
  }

  /** Sends a request to the running server; undefined if there is none. */
  async ask(method: string, params: object): Promise<unknown> {
    return this.live?.client.sendRequest(method, params);
  }

  /** Runs a command of the server, started if necessary; undefined if it cannot start, and the user has been told why. */
  async execute(command: string, argument: object = {}, call: Call = {}): Promise<unknown> {
    const client = await this.running();
    if (client === undefined) {
      return undefined;
    }
    const workDoneToken = `spell-${++this.calls}`;
    const listening = call.onProgress && client.onProgress((await library()).WorkDoneProgress.type, workDoneToken, call.onProgress);
    try {
      const params = { command, arguments: [argument], ...(listening && { workDoneToken }) };
      // An undefined token would be sent as one more parameter.
      return await client.sendRequest('workspace/executeCommand', params, ...(call.cancelled ? [call.cancelled] : []));
    } finally {
      listening?.dispose();
    }
  }

  /** The user asks for a fresh start. */
  async restart(): Promise<void> {
    this.restarts.forget();
    await this.stop();
    await this.running();
  }

  async stop(): Promise<void> {
    await this.starting;
    const live = this.live;
    this.live = this.starting = undefined;
    this.become({ is: 'stopped' });
    try {
      await live?.client.dispose();
    } catch (error) {
      this.log.warn(`The server did not stop when it was asked to: ${String(error)}`);
    } finally {
      await live?.process.end();
    }
  }

  /** Tells the server that settings changed; it then requests them. */
  async configurationChanged(): Promise<void> {
    await this.live?.client.sendNotification('workspace/didChangeConfiguration', { settings: null });
  }

  dispose(): void {
    void this.stop();
    this.changed.dispose();
  }

  private become(condition: Condition): void {
    this.condition = condition;
    void vscode.commands.executeCommand('setContext', 'spell.server', condition.is);
    this.changed.fire(condition);
  }

  private broken(problem: string, missing: boolean): void {
    this.log.error(problem);
    this.become({ is: missing ? 'missing' : 'broken', problem });
    void offerRemedy(problem, missing, this.log);
  }

  private async start(): Promise<LanguageClient | undefined> {
    this.become({ is: 'starting' });
    const configured = vscode.workspace.getConfiguration(section).get<string>('server.path', '');
    const found = locate(configured, thisMachine(this.extension.extensionPath));
    if ('problem' in found) {
      this.broken(found.problem, found.missing);
      return undefined;
    }
    const { LanguageClient, ErrorAction, CloseAction } = await library();
    const process = new ServerProcess(found.binary);
    const client = new LanguageClient('spell', 'SPELL', () => Promise.resolve(process.child), {
      ...this.options(),
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }), // a broken stream is closed next
        closed: () => {
          if (this.live?.process === process) {
            this.live = this.starting = undefined; // at once, so that the next request starts another server
            this.become({ is: 'stopped' });
            void this.ended(process, this.condition);
          }
          return { action: CloseAction.DoNotRestart, handled: true, message: 'The connection to the server was closed.' };
        },
      },
    });
    for (const method of this.listeners.keys()) {
      this.hear(client, method);
    }
    try {
      await within(startTimeoutMs, client.start());
    } catch (error) {
      const why = await process.whyEnded() ?? String(error);
      void process.end();
      this.broken(`${found.binary} did not start as a language server: ${why}`, false);
      return undefined;
    }
    this.live = { client, process };
    this.become({ is: 'running' });
    return client;
  }

  /**
   * The server ended by itself. It is restarted, unless it was restarted too often or meanwhile; the user is told,
   * unless it was stopped meanwhile. Requests that got no answer do not report that themselves.
   */
  private async ended(process: ServerProcess, since: Condition): Promise<void> {
    const why = await process.whyEnded() ?? 'it closed its streams';
    void process.end();
    this.log.error(`The server ended: ${why}`);
    const untouched = this.condition === since;
    if (!untouched && this.condition.is !== 'starting' && this.condition.is !== 'running') {
      return;
    }
    if (untouched && !this.restarts.mayRestart(Date.now())) {
      this.broken(`The spell-lsp server keeps ending: ${why}`, false);
      return;
    }
    if (await this.running()) {
      this.notices.warn(`The spell-lsp server ended unexpectedly and was restarted: ${why}`);
    }
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: 'file' }], // any language: a loaded matrix may be of any
      initializationOptions: { trusted: vscode.workspace.isTrusted, changes: true, spacedTables: true },
      outputChannel: this.log,
      middleware: {
        executeCommand: this.intercept,
        sendRequest: (type, params, token, next) => next(type, asShownHere(type, params), token),
        workspace: {
          didChangeConfiguration: () => Promise.resolve(), // configurationChanged sends it; the library would also send it to a server that is being replaced
          configuration: (params) => params.items.map((item) =>
            item.section === section ? this.configured(item.scopeUri) : null),
        },
      },
    };
  }

  private configured(scope: string | undefined): Record<string, unknown> {
    const configuration = vscode.workspace.getConfiguration(section, scope === undefined ? null : vscode.Uri.parse(scope));
    return explicit(this.settings, (name) => configuration.inspect(name));
  }
}

/** The parameters of a request. A hover stands below the problems at its place, unless VS Code is set to show none in editors: the server then leaves out what they say. */
function asShownHere<P>(type: string | { method: string }, params: P): P {
  if ((typeof type === 'string' ? type : type.method) !== 'textDocument/hover') {
    return params;
  }
  const { uri } = (params as TextDocumentPositionParams).textDocument;
  const diagnosticsShown = vscode.workspace.getConfiguration('problems', vscode.Uri.parse(uri)).get<boolean>('visibility', true);
  return { ...params, diagnosticsShown };
}

/** The longest time that a server may take to answer the first request. */
const startTimeoutMs = 60_000;

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => { reject(new Error(`no answer for ${ms / 1000} s`)); }, ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The client library, which is loaded only when a server starts: most of its code runs then. */
function library(): Promise<typeof import('vscode-languageclient/node')> {
  return import('vscode-languageclient/node');
}
