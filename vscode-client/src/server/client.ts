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

/** A start of the server, in progress or done. */
interface Start {
  /** Undefined if the start failed or was stopped. */
  client: Promise<LanguageClient | undefined>;
  /** Ends a start in progress. */
  stop: AbortController;
}

/** The one server of this window, for all its folders. */
export class Server implements vscode.Disposable {
  condition: Condition = { is: 'stopped' };
  private live: { client: LanguageClient; process: ServerProcess } | undefined;
  private starting: Start | undefined;
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

  /**
   * The running server, started if necessary; the new one if it is restarted meanwhile. Undefined if it cannot start,
   * and the user has been told why, or if it is stopped meanwhile.
   */
  async running(): Promise<LanguageClient | undefined> {
    const starting = this.starting ??= this.begin();
    return await starting.client ?? this.replaced(starting);
  }

  /** The server of the start that replaced one without a client; undefined if none did: then the next command tries again. */
  private replaced(without: Start): Promise<LanguageClient | undefined> | undefined {
    if (this.starting === without) {
      this.starting = undefined;
    }
    return this.starting && this.running();
  }

  /** Listens to a notification of the server, and of every server that is started after it. */
  onNotification(method: string, listener: (params: never) => void): void {
    this.listeners.set(method, [...this.listeners.get(method) ?? [], listener as (params: unknown) => void]);
    if (this.live !== undefined) {
      this.forward(this.live.client, method);
    }
  }

  /** Registers one listener that calls all others: the library keeps only the last one of a method. */
  private forward(client: LanguageClient, method: string): void {
    client.onNotification(method, (params: unknown) => { this.listeners.get(method)?.forEach((listener) => { listener(params); }); });
  }

  /** Sends a request to the running server; undefined if there is none. */
  async ask(method: string, params: object): Promise<unknown> {
    return this.live?.client.sendRequest(method, params);
  }

  /** Runs a command of the server, started if necessary; undefined if there is none, as told at {@link running}. */
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

  /** The user asks for a fresh start. Commands that wait for a server get the new one. */
  async restart(): Promise<void> {
    this.restarts.forget();
    this.starting = this.begin(this.stop()); // at once, before a command that waits finds no start
    await this.running();
  }

  /** Ends the server. One that has not answered yet is killed. */
  async stop(): Promise<void> {
    const { live, starting } = this;
    this.live = this.starting = undefined;
    this.setCondition({ is: 'stopped' });
    starting?.stop.abort();
    await starting?.client.catch(() => undefined); // who asked for the start gets the error
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

  private setCondition(condition: Condition): void {
    this.condition = condition;
    void vscode.commands.executeCommand('setContext', 'spell.server', condition.is);
    this.changed.fire(condition);
  }

  private fail(problem: string, missing: boolean): void {
    this.log.error(problem);
    this.setCondition({ is: missing ? 'missing' : 'broken', problem });
    void offerRemedy(problem, missing, this.log);
  }

  /** Begins a start, or one that follows the end of another server. */
  private begin(ended?: Promise<void>): Start {
    const stop = new AbortController();
    const start = () => this.start(stop.signal);
    return { stop, client: ended === undefined ? start() : ended.then(() => stop.signal.aborted ? undefined : start()) };
  }

  private async start(stopped: AbortSignal): Promise<LanguageClient | undefined> {
    this.setCondition({ is: 'starting' });
    const configured = vscode.workspace.getConfiguration(section).get<string>('server.path', '');
    const found = locate(configured, thisMachine(this.extension.extensionPath));
    if ('problem' in found) {
      this.fail(found.problem, found.missing);
      return undefined;
    }
    const loaded = await library();
    return stopped.aborted ? undefined : this.connect(found.binary, loaded, stopped);
  }

  /** Runs the binary as a server, and waits for its first answer. */
  private async connect(binary: string, { LanguageClient, ErrorAction, CloseAction }: Library, stopped: AbortSignal): Promise<LanguageClient | undefined> {
    const process = new ServerProcess(binary);
    const client = new LanguageClient('spell', 'SPELL', () => Promise.resolve(process.child), {
      ...this.options(),
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }), // a broken stream is closed next
        closed: () => {
          if (this.live?.process === process) {
            this.live = this.starting = undefined; // at once, so that the next request starts another server
            this.setCondition({ is: 'stopped' });
            void this.ended(process, this.condition);
          }
          return { action: CloseAction.DoNotRestart, handled: true, message: 'The connection to the server was closed.' };
        },
      },
    });
    for (const method of this.listeners.keys()) {
      this.forward(client, method);
    }
    const logError = client.error.bind(client);
    client.error = (message, data: unknown, show) => { logError(message, data, show === 'force' ? false : show); }; // the library forces a message about a failed start; the user gets ours
    try {
      await within(startTimeoutMs, client.start(), stopped);
      stopped.throwIfAborted();
    } catch (error) {
      const why = stopped.aborted ? '' : await process.whyEnded() ?? String(error);
      await process.kill();
      if (!stopped.aborted) {
        this.fail(`${binary} did not start as a language server: ${why}`, false);
      }
      return undefined;
    }
    this.live = { client, process };
    this.setCondition({ is: 'running' });
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
      this.fail(`The spell-lsp server keeps ending: ${why}`, false);
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
      diagnosticCollectionName: 'spell-published', // the library calls the collection of requested diagnostics "spell", by the server's identifier
      middleware: {
        executeCommand: this.intercept,
        sendRequest: (type, params, token, next) => next(type, withDiagnosticsShown(type, params), token),
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

/** Adds to the parameters of a hover whether VS Code shows diagnostics above it; if it does, the server leaves their text out of the hover. */
function withDiagnosticsShown<P>(type: string | { method: string }, params: P): P {
  if ((typeof type === 'string' ? type : type.method) !== 'textDocument/hover') {
    return params;
  }
  const { uri } = (params as TextDocumentPositionParams).textDocument;
  const diagnosticsShown = vscode.workspace.getConfiguration('problems', vscode.Uri.parse(uri)).get<boolean>('visibility', true);
  return { ...params, diagnosticsShown };
}

/** The longest time that a server may take to answer the first request. */
const startTimeoutMs = 60_000;

/** Waits for a start to succeed; fails after some time, or as soon as the start is stopped. */
async function within(ms: number, start: Promise<void>, stopped: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const failed = new Promise<never>((_, reject) => {
    stopped.throwIfAborted();
    timer = setTimeout(() => { reject(new Error(`no answer for ${ms / 1000} s`)); }, ms);
    stopped.addEventListener('abort', () => { reject(new Error('stopped')); });
  });
  try {
    await Promise.race([start, failed]);
  } finally {
    clearTimeout(timer);
  }
}

type Library = typeof import('vscode-languageclient/node');

/** The client library, which is loaded only when a server starts: most of its code runs then. */
function library(): Promise<Library> {
  return import('vscode-languageclient/node');
}
