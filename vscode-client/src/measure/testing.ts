import * as vscode from 'vscode';
import type { Overview } from '../results/overview';
import type { Measurement } from './measurement';
import type { Permission } from './permission';
import { EnergyRun } from './testrun';
import { isGo, OpenPackages } from './testtree';

/**
 * Offers the tests of open packages in a test controller of the extension, with a profile
 * that measures their energy. The Go extension's controller accepts no profiles of other extensions.
 */
export function registerTests(
  measurement: Measurement, permission: Permission, overview: Overview, log: vscode.LogOutputChannel,
): vscode.Disposable {
  const controller = vscode.tests.createTestController('spell.tests', 'Energy (SPELL)');
  const tests = new OpenPackages(controller, log);
  controller.resolveHandler = () => tests.update();
  controller.refreshHandler = () => tests.update();
  controller.createRunProfile('Energy', vscode.TestRunProfileKind.Run, async (request) => {
    if (await permission.check('measureTest')) {
      await new EnergyRun(controller, measurement, overview, request).run();
    }
  }, true);
  return vscode.Disposable.from(
    controller,
    vscode.window.onDidChangeVisibleTextEditors(() => tests.update()),
    vscode.workspace.onDidSaveTextDocument((document) => isGo(document) ? tests.update() : undefined),
  );
}
