import * as vscode from 'vscode';
import type { Execute } from './server/client';
import { measuringCommands, type Measurement } from './measure/measurement';
import type { Permission } from './measure/permission';
import { serverCommands } from './protocol/protocol';
import { showRanking } from './results/ranking';
import type { Server } from './server/client';

/**
 * Code lenses and code actions run the server's commands. Those that measure get the
 * same checks and progress as the palette's commands, and a lens of a function opens the
 * ranking that the function is in. A lens of one of several alternatives shows the hover,
 * which compares them.
 */
export function interception(parts: () => { server: Server; measurement: Measurement; permission: Permission }): Execute {
  return async (command, args: unknown[], next): Promise<unknown> => {
    const { server, measurement, permission } = parts();
    const argument = (args[0] ?? {}) as { uri?: string; run?: string; at?: { line: number; character: number } };
    if (command === serverCommands.ranking) {
      if (argument.uri !== undefined && argument.at !== undefined) {
        return showComparison(argument.uri, argument.at);
      }
      return showRanking(server, argument.uri, argument.run);
    }
    if (!measuringCommands.includes(command)) {
      return next(command, args) as unknown;
    }
    if (!(await permission.check(command === serverCommands.measure ? 'measureWorkspace' : 'drillDown'))) {
      return undefined;
    }
    const outcome = await measurement.run({ command, argument });
    return outcome.is === 'done' ? outcome.answer : undefined;
  };
}

/** Shows the hover of a function, which compares it with its alternatives. */
async function showComparison(uri: string, at: { line: number; character: number }): Promise<void> {
  const place = new vscode.Position(at.line, at.character);
  await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection: new vscode.Range(place, place) });
  await vscode.commands.executeCommand('editor.action.showHover');
}
