import type { Execute } from './server/client';
import { measuringCommands, type Measurement } from './measure/measurement';
import type { Permission } from './measure/permission';
import { serverCommands } from './protocol/protocol';
import { showRanking } from './results/ranking';
import type { Server } from './server/client';

/**
 * Code lenses and code actions run the server's commands. Those that measure get the
 * same checks and progress as the palette's commands, and a lens of a function opens the
 * ranking that the function is in.
 */
export function interception(parts: () => { server: Server; measurement: Measurement; permission: Permission }): Execute {
  return async (command, args: unknown[], next): Promise<unknown> => {
    const { server, measurement, permission } = parts();
    const argument = (args[0] ?? {}) as { uri?: string; run?: string };
    if (command === serverCommands.ranking) {
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
