import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import test from 'node:test';

// The package that npm run package built.

const vsix = 'dist/spell-lsp.vsix';

/** The names of the files in a zip, from its central directory. */
function zipped(file: string): string[] {
  const data = readFileSync(file);
  const names: string[] = [];
  for (let at = data.indexOf('PK\x01\x02'); at >= 0; at = data.indexOf('PK\x01\x02', at + 46)) {
    names.push(data.toString('utf8', at + 46, at + 46 + data.readUInt16LE(at + 28)));
  }
  return names;
}

test('the universal package is small, and has every file that is needed and no binary', () => {
  assert.ok(statSync(vsix).size < 500_000, `${vsix} has ${statSync(vsix).size} bytes`);
  const names = zipped(vsix);
  for (const file of ['package.json', 'readme.md', 'changelog.md', 'dist/extension.js', 'dist/THIRD-PARTY-NOTICES.txt', 'media/icon.png', 'media/server.md']) {
    assert.ok(names.includes(`extension/${file}`), `${file} is not among ${names.join(', ')}`);
  }
  assert.deepEqual(names.filter((name) => /\/bin\/|\.ts$|\.map$|node_modules/.test(name)), []);
});

test('the client library is not run before a server is started: activation would wait for it', () => {
  // With an empty VS Code the library cannot be run: its classes extend those of the editor.
  const loader = Module as unknown as { _load: (request: string, ...rest: unknown[]) => unknown };
  const load = loader._load;
  loader._load = (request, ...rest) => request === 'vscode' ? {} : load(request, ...rest);
  try {
    const extension = Module.createRequire(path.resolve('dist/'))(path.resolve('dist/extension.js')) as object;
    assert.deepEqual(Object.keys(extension).sort(), ['activate', 'deactivate']);
  } finally {
    loader._load = load;
  }
});
