import * as vscode from 'vscode';
import { Server } from './client';
import { registerCommands, type Parts } from './commands';
import { section } from './configuration';
import { interception } from './intercept';
import { Measurement } from './measurement';
import { Notices } from './notices';
import { Overview } from './overview';
import { Permission } from './permission';
import { ReportView } from './report';
import { registerResults } from './results';
import { Status } from './status';
import { registerTests } from './testing';
import { TextPages } from './textpage';

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const began = performance.now();
  const log = vscode.window.createOutputChannel('SPELL', { log: true });
  const status = new Status();
  const notices = new Notices(log);
  const running: Server = server = new Server(context.extension, log, notices, interception(() => parts));
  const results = registerResults(running, context, log);
  const overview = new Overview(results);
  const measurement = new Measurement(running, status, overview, notices);
  const permission = new Permission(running, measurement, overview);
  const pages = new TextPages();
  const report = new ReportView(running, overview, notices);
  const parts: Parts = { server: running, measurement, permission, report, pages, notices, results };
  context.subscriptions.push(
    log, status, overview, measurement, pages, report, registerCommands(parts), registerTests(measurement, permission, overview, log),
    overview.onChange((rows) => { status.show({ rows }); }),
    running.onCondition((now) => { status.show({ problem: 'problem' in now ? now.problem : undefined }); }),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((change) => configurationChanged(running, change)),
  );
  void running.running();
  log.debug(`Activated in ${(performance.now() - began).toFixed(1)} ms.`);
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
