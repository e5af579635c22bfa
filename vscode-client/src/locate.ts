// Where the server's binary is. Nothing here needs VS Code.

import * as path from 'node:path';

export const binaryName = 'spell-lsp';

/** What the machine is, as far as finding a binary goes. */
export interface Machine {
  path: string;
  home: string;
  windows: boolean;
  isExecutable: (file: string) => boolean;
}

export type Location = { binary: string } | { problem: string };

/** Finds the binary that the setting `spell.server.path` names; empty means the usual one. */
export function locate(setting: string, machine: Machine): Location {
  const wanted = setting.trim();
  const name = wanted === '' ? binaryName : wanted;
  if (!/[\\/]/.test(name)) {
    return onPath(name, wanted !== '', machine);
  }
  const file = name.startsWith('~/') ? path.join(machine.home, name.slice(2)) : name;
  if (!path.isAbsolute(file)) {
    return { problem: `The setting spell.server.path is "${wanted}", which is a relative path. Give an absolute path to the ${binaryName} binary.` };
  }
  if (!machine.isExecutable(file)) {
    return { problem: `The setting spell.server.path is "${wanted}", and no program is there. Correct the setting, or clear it to use ${binaryName} from PATH.` };
  }
  return { binary: file };
}

function onPath(name: string, configured: boolean, machine: Machine): Location {
  const files = machine.windows ? [`${name}.exe`, name] : [name];
  for (const folder of machine.path.split(machine.windows ? ';' : ':')) {
    const found = files.map((file) => path.join(folder, file)).find((file) => folder !== '' && machine.isExecutable(file));
    if (found !== undefined) {
      return { binary: found };
    }
  }
  const why = configured ? `, which the setting spell.server.path names,` : '';
  return { problem: `The program ${name}${why} is not on PATH. Build it as its README says, and put its folder on PATH or its full path into the setting spell.server.path.` };
}
