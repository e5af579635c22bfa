import assert from 'node:assert/strict';
import test from 'node:test';
import { locate, type Machine } from '../src/locate';

function machine(files: string[], over: Partial<Machine> = {}): Machine {
  return { path: '/usr/bin::/home/ann/go/bin', home: '/home/ann', windows: false, isExecutable: (file) => files.includes(file), ...over };
}

function problem(setting: string, at: Machine): string {
  const found = locate(setting, at);
  assert.ok('problem' in found, `found ${JSON.stringify(found)}`);
  return found.problem;
}

test('nothing is configured: the first binary on PATH is taken', () => {
  const at = machine(['/home/ann/go/bin/spell-lsp', '/usr/bin/other']);
  assert.deepEqual(locate('', at), { binary: '/home/ann/go/bin/spell-lsp' });
  assert.deepEqual(locate('  ', at), { binary: '/home/ann/go/bin/spell-lsp' });
});

test('a configured name is looked up on PATH, too', () => {
  assert.deepEqual(locate('spell-next', machine(['/usr/bin/spell-next'])), { binary: '/usr/bin/spell-next' });
});

test('a path is taken as it is, and ~ is the home folder', () => {
  assert.deepEqual(locate('/opt/spell-lsp', machine(['/opt/spell-lsp'])), { binary: '/opt/spell-lsp' });
  assert.deepEqual(locate('~/bin/spell-lsp', machine(['/home/ann/bin/spell-lsp'])), { binary: '/home/ann/bin/spell-lsp' });
});

test('on Windows PATH is cut at semicolons and .exe is added', () => {
  const at = machine([], { path: 'C:\\Go;C:\\Tools', windows: true, isExecutable: (file) => /Tools.spell-lsp\.exe$/.test(file) });
  const found = locate('', at);
  assert.ok('binary' in found && found.binary.endsWith('spell-lsp.exe'));
});

test('a missing binary: the message says what is missing, where, and what to do', () => {
  const none = machine([]);
  assert.match(problem('', none), /spell-lsp is not on PATH.*Build it.*spell\.server\.path/);
  assert.match(problem('spell-next', none), /spell-next, which the setting spell\.server\.path names, is not on PATH/);
  assert.match(problem('/opt/spell-lsp', none), /"\/opt\/spell-lsp".*no program is there.*clear it/);
});

test('a relative path is refused: which folder would it start from?', () => {
  assert.match(problem('./spell-lsp', machine(['./spell-lsp', 'spell-lsp'])), /relative path.*absolute/);
});
