import * as vscode from 'vscode';
import { serverStep } from './names';

const getIt = 'How to Get It';
const setting = 'Open the Setting';
const retry = 'Try Again';
const showLog = 'Show the Log';

/**
 * Tells why there is no server, with what can be done about it. The status bar says so as
 * long as it lasts. An error with buttons would stay after that; a warning goes by itself.
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
