import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';

// The folders of src: each imports only those before it, and some must not need VS Code.

const rooms = ['protocol', 'text', 'window', 'server', 'results', 'measure', '.'];

const pure: Record<string, string> = {
  protocol: 'the answers of the server can be read anywhere',
  text: 'words and pictures are tested without an editor',
};

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

function importsOf(file: string): string[] {
  return [...readFileSync(path.join('src', file), 'utf8').matchAll(/from '([^']+)'/g)].map(([, name = '']) => name);
}

/** The files of src that a file imports. */
function filesOf(file: string): string[] {
  return importsOf(file).filter((name) => name.startsWith('.')).map((name) => path.normalize(path.join(path.dirname(file), `${name}.ts`)));
}

test('a folder imports only folders before it', () => {
  assert.deepEqual([...new Set(sources.map((file) => path.dirname(file)))].filter((folder) => !rooms.includes(folder)), []);
  const back = sources.flatMap((file) => filesOf(file)
    .filter((other) => rooms.indexOf(path.dirname(other)) > rooms.indexOf(path.dirname(file))).map((other) => `${file} imports ${other}`));
  assert.deepEqual(back, []);
});

test('no files import each other in a circle', () => {
  const done = new Set<string>();
  const visit = (file: string, above: string[]): void => {
    assert.ok(!above.includes(file), [...above, file].join(' -> '));
    if (!done.has(file)) {
      filesOf(file).forEach((other) => { visit(other, [...above, file]); });
      done.add(file);
    }
  };
  sources.forEach((file) => { visit(file, []); });
  assert.equal(done.size, sources.length);
});

for (const [room, why] of Object.entries(pure)) {
  test(`${room} does not need VS Code: ${why}`, () => {
    const outside = sources.filter((file) => path.dirname(file) === room)
      .flatMap((file) => importsOf(file).filter((name) => !name.startsWith('.')).map((name) => `${file} imports ${name}`));
    assert.deepEqual(outside, []);
  });
}
