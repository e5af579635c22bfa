import * as fs from 'node:fs';
import * as os from 'node:os';
import * as vscode from 'vscode';
import {
  DidChangeConfigurationNotification, LanguageClient, ShowMessageNotification, type LanguageClientOptions, type Middleware,
} from 'vscode-languageclient/node';
import { explicit, section, serverSettings } from './configuration';
import { locate, type Location } from './locate';
import type { Notices } from './notices';

/** What the server's commands go through when a code lens, not the extension, calls them. */
export type Execute = NonNullable<Middleware['executeCommand']>;

/** The one server of this window, for all its folders. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private starting: Promise<LanguageClient | undefined> | undefined;
  private readonly settings: string[];
  private readonly created = new vscode.EventEmitter<LanguageClient>();
  /** Tells of each client before it starts. */
  readonly onDidCreateClient = this.created.event;

  constructor(
    private readonly log: vscode.LogOutputChannel, private readonly notices: Notices, manifest: unknown,
    private readonly execute: Execute,
  ) {
    this.settings = serverSettings(manifest);
  }

  /** The running server; starts it if need be. If that cannot be, says why and gives undefined. */
  async running(): Promise<LanguageClient | undefined> {
    const starting = this.starting ??= this.start();
    const client = await starting;
    if (client === undefined && this.starting === starting) {
      this.starting = undefined; // the next command tries again
    }
    return client;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.running();
  }

  async stop(): Promise<void> {
    await this.starting;
    const client = this.client;
    this.client = this.starting = undefined;
    await client?.dispose();
  }

  /** Tells the server that settings changed. It asks for them, so they need not be sent. */
  async configurationChanged(): Promise<void> {
    await this.client?.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
  }

  dispose(): void {
    void this.stop();
    this.created.dispose();
  }

  private async start(): Promise<LanguageClient | undefined> {
    const found = findBinary();
    if ('problem' in found) {
      void this.offerRemedy(found.problem);
      return undefined;
    }
    // Without a transport the library leaves the arguments alone and talks over stdio.
    const client = new LanguageClient('spell', 'SPELL', { command: found.binary, args: ['serve'] }, this.options());
    client.onNotification(ShowMessageNotification.type, (message) => { this.notices.show(message); });
    this.created.fire(client);
    try {
      await client.start();
    } catch (error) {
      void this.offerRemedy(`${found.binary} did not start as a language server: ${String(error)}`);
      return undefined;
    }
    this.client = client;
    return client;
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: 'file', language: 'go' }],
      // A function, because it is asked again when a server that died is started anew.
      initializationOptions: () => ({ trusted: vscode.workspace.isTrusted, changes: true }),
      outputChannel: this.log,
      middleware: {
        executeCommand: this.execute,
        workspace: {
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

  private async offerRemedy(problem: string): Promise<void> {
    this.log.error(problem);
    const open = 'Open the Setting';
    const retry = 'Try Again';
    const chosen = await vscode.window.showErrorMessage(problem, open, retry);
    if (chosen === open) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'spell.server.path');
    } else if (chosen === retry) {
      await this.restart();
    }
  }
}

function findBinary(): Location {
  const configured = vscode.workspace.getConfiguration(section).get<string>('server.path', '');
  return locate(configured, {
    path: process.env['PATH'] ?? '',
    home: os.homedir(),
    windows: process.platform === 'win32',
    isExecutable,
  });
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
