// Finds the server's binary. Nothing here needs VS Code.

import * as path from 'node:path';

export const binaryName = 'spell-lsp';

/** The parts of the machine that finding a binary depends on. */
export interface Machine {
  /** The folder in which the extension's package for a platform has the binary. */
  bundled: string;
  /** Environment variables: PATH, GOBIN, GOPATH, GOENV, and APPDATA or XDG_CONFIG_HOME. */
  env: Record<string, string | undefined>;
  home: string;
  platform: string;
  isExecutable: (file: string) => boolean;
  /** The text of a file, undefined if it cannot be read. */
  read: (file: string) => string | undefined;
}

/** A problem is `missing` if no binary was found and the setting is empty: then the user needs to install one. */
export type Location = { binary: string } | { problem: string; missing: boolean };

/** Finds the binary that the setting `spell.server.path` names; if it is empty, the default one. */
export function locate(setting: string, machine: Machine): Location {
  const wanted = setting.trim();
  if (wanted === '') {
    return usual(machine);
  }
  if (!/[\\/]/.test(wanted)) {
    return named(wanted, machine);
  }
  const file = wanted.startsWith('~/') ? path.join(machine.home, wanted.slice(2)) : wanted;
  if (!path.isAbsolute(file)) {
    return wrong(`The setting spell.server.path is "${wanted}", which is a relative path. Give an absolute path to the ${binaryName} binary.`);
  }
  if (!machine.isExecutable(file)) {
    return wrong(`The setting spell.server.path is "${wanted}", but there is no program at that path. Correct the setting, or clear it to use the usual ${binaryName}.`);
  }
  return { binary: file };
}

function wrong(problem: string): Location {
  return { problem, missing: false };
}

/** The default binary: the one in the extension, or else on PATH or where go install puts programs. */
function usual(machine: Machine): Location {
  const binary = inFolders(binaryName, [machine.bundled, ...searched(machine)], machine);
  return binary === undefined
    ? { problem: `The program ${binaryName} is neither on PATH nor where go install puts programs.`, missing: true }
    : { binary };
}

function named(name: string, machine: Machine): Location {
  const binary = inFolders(name, searched(machine), machine);
  return binary === undefined
    ? wrong(`The program ${name}, which the setting spell.server.path names, is neither on PATH nor where go install puts programs. Correct the setting, or clear it to use the usual ${binaryName}.`)
    : { binary };
}

function inFolders(name: string, folders: string[], machine: Machine): string | undefined {
  const names = machine.platform === 'win32' ? [`${name}.exe`, name] : [name];
  return folders.filter((folder) => folder !== '')
    .flatMap((folder) => names.map((file) => path.join(folder, file)))
    .find((file) => machine.isExecutable(file));
}

/** PATH, and where go install puts programs, which editors started from a desktop often lack on PATH. */
function searched(machine: Machine): string[] {
  const separator = machine.platform === 'win32' ? ';' : ':';
  const go = goSettings(machine);
  const gopath = (go['GOPATH'] ?? path.join(machine.home, 'go')).split(separator);
  return [...(machine.env['PATH'] ?? '').split(separator), go['GOBIN'] ?? '', ...gopath.map((folder) => folder && path.join(folder, 'bin'))];
}

/** GOBIN and GOPATH as the go command resolves them: from the environment, or from the file that go env -w writes. */
function goSettings(machine: Machine): Record<string, string | undefined> {
  const file = machine.env['GOENV'] ?? path.join(configurationFolder(machine), 'go', 'env');
  const written = file === 'off' ? '' : machine.read(file) ?? '';
  const lines = written.split(/\r?\n/).flatMap((line) => {
    const found = /^(GOBIN|GOPATH)=(.+)$/.exec(line);
    return found ? [[found[1], found[2]]] : [];
  });
  const given = ['GOBIN', 'GOPATH'].flatMap((name) => machine.env[name] ? [[name, machine.env[name]]] : []);
  return Object.fromEntries([...lines, ...given]) as Record<string, string>;
}

function configurationFolder({ env, home, platform }: Machine): string {
  switch (platform) {
    case 'win32':
      return env['APPDATA'] ?? '';
    case 'darwin':
      return path.join(home, 'Library', 'Application Support');
    default:
      return env['XDG_CONFIG_HOME'] ?? path.join(home, '.config');
  }
}
