import * as vscode from 'vscode';
import { serverStep } from './names';

const getIt = 'How to Get It';
const setting = 'Open the Setting';
const retry = 'Try Again';
const showLog = 'Show the Log';

/**
 * Says why there is no server, and offers remedies. The status bar shows the problem as long
 * as it lasts. This is a warning, as an error with buttons would stay even after that.
 */
export async function offerRemedy(problem: string, missing: boolean, log: vscode.LogOutputChannel): Promise<void> {
  const choices = missing ? [getIt, setting, retry] : [setting, showLog, retry];
  switch (await vscode.window.showWarningMessage(problem, ...choices)) {
    case getIt:
      await vscode.commands.executeCommand('workbench.action.openWalkthrough', serverStep, false);
      break;
    case setting:
      await vscode.commands.executeCommand('workbench.action.openSettings', 'spell.server.path');
      break;
    case showLog:
      log.show();
      break;
    case retry:
      await vscode.commands.executeCommand('spell.restart');
      break;
    default: // the message was closed
  }
}
