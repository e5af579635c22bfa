import * as vscode from 'vscode';
import { Server } from './server/client';
import { registerCommands, type Parts } from './commands';
import { section } from './server/configuration';
import { interception } from './intercept';
import { ChosenMachines } from './measure/machines';
import { Measurement } from './measure/measurement';
import { Notices } from './window/notices';
import { registerMarks } from './results/marks';
import { Overview } from './results/overview';
import { Permission } from './measure/permission';
import { ReportView } from './results/report';
import { Results } from './results/results';
import { Status } from './window/status';
import { registerTests } from './measure/testing';
import { registerTree } from './results/tree';
import { TextPages } from './window/textpage';

/** The server that deactivate stops. */
let active: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const began = performance.now();
  const log = vscode.window.createOutputChannel('SPELL', { log: true });
  const status = new Status();
  const notices = new Notices(log);
  const server: Server = active = new Server(context.extension, log, notices, interception(() => parts));
  const results = new Results(server, log);
  context.subscriptions.push(log, results, registerMarks(results, context.extension), registerTree(results, context));
  const overview = new Overview(results);
  const measurement = new Measurement(server, status, overview, notices);
  const permission = new Permission(server, measurement, overview);
  const chosen = new ChosenMachines(server, status, log);
  const pages = new TextPages();
  const report = new ReportView(server, overview, notices);
  const parts: Parts = { server, measurement, permission, report, pages, notices, results };
  context.subscriptions.push(
    status, overview, measurement, chosen, pages, report, registerCommands(parts), registerTests(measurement, permission, overview, log),
    overview.onChange((rows) => { status.show({ rows }); }),
    server.onCondition((now) => { status.show({ problem: 'problem' in now ? now.problem : undefined }); }),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((change) => configurationChanged(server, chosen, change)),
  );
  void server.running();
  log.debug(`Activated in ${(performance.now() - began).toFixed(1)} ms.`);
}

function restart(): Thenable<void> {
  return vscode.commands.executeCommand('spell.restart');
}

async function configurationChanged(server: Server, chosen: ChosenMachines, change: vscode.ConfigurationChangeEvent): Promise<void> {
  if (change.affectsConfiguration('spell.server.path')) {
    await restart();
  } else if (change.affectsConfiguration(section)) {
    await server.configurationChanged();
    await chosen.refresh();
  }
}

/** VS Code waits for this before it ends the extension host, so that the server can shut down. */
export function deactivate(): Promise<void> | undefined {
  return active?.stop();
}
