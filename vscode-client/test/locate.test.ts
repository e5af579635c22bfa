import assert from 'node:assert/strict';
import test from 'node:test';
import { locate, type Machine } from '../src/server/locate';

function machine(files: string[], over: Partial<Machine> = {}): Machine {
  return {
    bundled: '/ext/bin', env: { PATH: '/usr/bin::/home/ann/tools' }, home: '/home/ann', platform: 'linux',
    isExecutable: (file) => files.includes(file), read: () => undefined, ...over,
  };
}

function found(setting: string, at: Machine): string | undefined {
  const location = locate(setting, at);
  return 'binary' in location ? location.binary : undefined;
}

function problem(setting: string, at: Machine): { problem: string; missing: boolean } {
  const location = locate(setting, at);
  assert.ok('problem' in location, `found ${JSON.stringify(location)}`);
  return location;
}

const places = ['/ext/bin/spell-lsp', '/home/ann/tools/spell-lsp', '/home/ann/bin/spell-lsp', '/home/ann/go/bin/spell-lsp'];

test('nothing is configured: the bundled binary, then PATH, then where go install puts it', () => {
  const env = { PATH: '/usr/bin::/home/ann/tools', GOBIN: '/home/ann/bin' };
  for (const [i, want] of places.entries()) {
    assert.equal(found('', machine(places.slice(i), { env })), want);
    assert.equal(found('  ', machine(places.slice(i), { env })), want);
  }
});

test('GOPATH may be several folders, and go env -w may have written it', () => {
  const there = ['/b/bin/spell-lsp'];
  assert.equal(found('', machine(there, { env: { GOPATH: '/a:/b' } })), '/b/bin/spell-lsp');
  const read = (file: string): string | undefined => file === '/home/ann/.config/go/env' ? 'GOFLAGS=-v\nGOPATH=/a:/b\n' : undefined;
  assert.equal(found('', machine(there, { read })), '/b/bin/spell-lsp');
  assert.equal(found('', machine(there, { read, env: { GOENV: 'off' } })), undefined);
  assert.equal(found('', machine(there, { read, env: { GOPATH: '/c' } })), undefined, 'the environment goes first');
});

test('a configured name is looked up too, but not in the extension itself', () => {
  assert.equal(found('spell-next', machine(['/usr/bin/spell-next'])), '/usr/bin/spell-next');
  assert.equal(found('spell-next', machine(['/ext/bin/spell-next'])), undefined);
});

test('a path is taken as it is, and ~ is the home folder', () => {
  assert.equal(found('/opt/spell-lsp', machine(['/opt/spell-lsp', ...places])), '/opt/spell-lsp');
  assert.equal(found('~/bin/spell-lsp', machine(['/home/ann/bin/spell-lsp'])), '/home/ann/bin/spell-lsp');
});

test('on Windows PATH is cut at semicolons and .exe is added', () => {
  const at = machine([], { env: { PATH: 'C:\\Go;C:\\Tools' }, platform: 'win32', isExecutable: (file) => /Tools.spell-lsp\.exe$/.test(file) });
  assert.match(found('', at) ?? '', /spell-lsp\.exe$/);
});

test('the message about a missing binary says its name and where it was sought', () => {
  const none = machine([]);
  assert.deepEqual(problem('', none), { missing: true, problem: 'The program spell-lsp is neither on PATH nor where go install puts programs.' });
  assert.match(problem('spell-next', none).problem, /spell-next, which the setting spell\.server\.path names, is neither on PATH.*Correct the setting/);
  assert.match(problem('/opt/spell-lsp', none).problem, /"\/opt\/spell-lsp".*no program at that path.*clear it/);
  assert.equal(problem('/opt/spell-lsp', none).missing, false);
});

test('a relative path is refused: it is unclear what it is relative to', () => {
  assert.match(problem('./spell-lsp', machine(['./spell-lsp', 'spell-lsp'])).problem, /relative path.*absolute/);
});
