// Files on disk.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The files below a folder and their texts, by their names relative to it. */
export function filesOf(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name))).sort();
  return new Map(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
}
