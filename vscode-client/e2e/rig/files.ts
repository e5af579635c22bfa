import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The texts of a folder's files by their names; it has no folders in it. */
export function filesOf(folder: string): Map<string, string> {
  const names = readdirSync(folder).sort();
  return new Map(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
}
