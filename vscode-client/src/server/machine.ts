// The real machine behind the interface of locate.ts. Nothing here needs VS Code.

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import type { Machine } from './locate';

/** extension is the folder that the extension is installed in. */
export function thisMachine(extension: string): Machine {
  return {
    bundled: path.join(extension, 'bin'),
    env: process.env,
    home: os.homedir(),
    platform: process.platform,
    isExecutable,
    read,
  };
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

function read(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
