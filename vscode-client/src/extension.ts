import * as vscode from 'vscode';
import { Server } from './client';
import { registerCommands } from './commands';
import { section } from './configuration';
import { Measurement } from './measurement';
import { Notices } from './notices';
import { serverCommands } from './protocol';
import { registerResults } from './results';
import { Status } from './status';

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('SPELL', { log: true });
  const status = new Status();
  const notices = new Notices();
  const running = new Server(log, notices, context.extension.packageJSON, (command, args: unknown[], next): unknown =>
    // A code lens calls the server's command itself; it gets the same progress as the palette's.
    command === serverCommands.measure ? measurement.run(args[0]) : next(command, args));
  const measurement = new Measurement(running, status, notices);
  server = running;
  context.subscriptions.push(
    log, status, measurement, registerCommands(running, measurement, log),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((change) => configurationChanged(running, change)),
  );
  registerResults(running, context);
  void running.running();
}

function restart(): Thenable<void> {
  return vscode.commands.executeCommand('spell.restart');
}

async function configurationChanged(running: Server, change: vscode.ConfigurationChangeEvent): Promise<void> {
  if (change.affectsConfiguration('spell.server.path')) {
    await restart();
  } else if (change.affectsConfiguration(section)) {
    await running.configurationChanged();
  }
}

/** VS Code waits for the result before it ends the extension host, so the server ends in order. */
export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}
