import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import manifest from '../package.json';
import { commandNames } from '../src/names';
import { serverCommands } from '../src/protocol';
import { viewCommandNames, viewId } from '../src/rankingview';

// That the settings are those of the server is tested in manifest_test.go.

const declared = manifest.contributes.commands.map((c) => c.command);

test('every command that is declared is registered, and the other way round', () => {
  assert.deepEqual([...declared].sort(), [...commandNames.map((name) => `spell.${name}`), ...viewCommandNames.map((name) => `${viewId}.${name}`)].sort());
});

test('no command has an id of the server: VS Code would refuse to start the client', () => {
  assert.deepEqual(declared.filter((id) => (Object.values(serverCommands) as string[]).includes(id)), []);
});

test('what measures is off where the workspace is not trusted', () => {
  const measuring = manifest.contributes.commands.filter((c) => c.command.startsWith('spell.measure'));
  assert.equal(measuring.length, 4);
  assert.deepEqual(measuring.filter((c) => c.enablement !== 'isWorkspaceTrusted'), []);
});

test('a workspace that is not trusted can name neither a program nor a folder to read', () => {
  const { untrustedWorkspaces } = manifest.capabilities;
  assert.equal(untrustedWorkspaces.supported, 'limited');
  const settings = Object.keys(manifest.contributes.configuration.properties);
  assert.deepEqual(untrustedWorkspaces.restrictedConfigurations.filter((key) => !settings.includes(key)), []);
  for (const key of ['spell.server.path', 'spell.powercapRoot']) {
    assert.ok(untrustedWorkspaces.restrictedConfigurations.includes(key), key);
  }
});

test('the licence is that of the whole project', () => {
  assert.equal(readFileSync('LICENSE', 'utf8'), readFileSync('../LICENSE', 'utf8'));
});

test('the change log tells of this version', () => {
  assert.match(readFileSync('CHANGELOG.md', 'utf8'), new RegExp(`^## ${manifest.version.replaceAll('.', '\\.')}$`, 'm'));
});
