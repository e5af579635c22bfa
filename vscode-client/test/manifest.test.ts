import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import test from 'node:test';
import manifest from '../package.json';
import { commandNames, needs, reasons, serverStep, unmet, type Need } from '../src/window/names';
import { serverCommands } from '../src/protocol/protocol';
import { viewCommandNames, viewId } from '../src/results/treechoices';

// That the settings are those of the server is tested in manifest_test.go.

/** Each need as a `when` clause of `enablement`. */
const clauses: Record<Need, string> = {
  trust: 'isWorkspaceTrusted',
  idle: '!spell.measuring',
  measuring: 'spell.measuring',
  results: 'spell.results',
};

const declared = manifest.contributes.commands.map((c) => c.command);

test('every command that is declared is registered, and the other way round', () => {
  assert.deepEqual([...declared].sort(), [...commandNames.map((name) => `spell.${name}`), ...viewCommandNames.map((name) => `${viewId}.${name}`)].sort());
});

test('no command has an id of the server: VS Code would refuse to start the client', () => {
  assert.deepEqual(declared.filter((id) => (Object.values(serverCommands) as string[]).includes(id)), []);
});

test('a command is disabled while one of its needs is not met', () => {
  const want = commandNames.map((name) => [`spell.${name}`, needs[name].map((need) => clauses[need]).join(' && ')]);
  const got = manifest.contributes.commands.filter((c) => !c.command.startsWith(`${viewId}.`))
    .map((c) => [c.command, 'enablement' in c ? c.enablement : '']);
  assert.deepEqual(Object.fromEntries(got), Object.fromEntries(want));
});

test('every command that measures needs trust, and says so first', () => {
  const nothing: Record<Need, boolean> = { trust: false, idle: false, measuring: false, results: false };
  const measuring = commandNames.filter((name) => name.startsWith('measure') || name === 'drillDown');
  assert.equal(measuring.length, 9);
  assert.deepEqual(measuring.filter((name) => unmet(name, nothing) !== 'trust'), []);
  assert.equal(unmet('measureFile', { ...nothing, trust: true, idle: true }), undefined);
});

test('the remedy for a reason is an existing command', () => {
  const remedies = Object.values(reasons).flatMap(({ remedy }) => remedy ? [remedy.command] : []);
  assert.deepEqual(remedies.filter((id) => id.startsWith('spell.') && !declared.includes(id)), []);
});

test('menus and the walkthrough name existing commands', () => {
  const { menus, walkthroughs } = manifest.contributes;
  const used = Object.values(menus).flat().flatMap((item) => 'command' in item ? [item.command] : []);
  const links = JSON.stringify(walkthroughs).match(/(?<=(?:command|onCommand):)spell\.\w+/g) ?? [];
  assert.deepEqual([...used, ...links].filter((id) => id.startsWith('spell.') && !declared.includes(id)), []);
});

test('commands for a file are offered for files on disk only: not for a version that git shows, nor for a file without a name', () => {
  const { commandPalette, ...menus } = manifest.contributes.menus;
  const about = [...menus['editor/title'], ...menus['editor/context'], ...menus['explorer/context'], ...commandPalette];
  const clauses = about.map(({ when }) => when).filter((when) => /editorLangId|resource/.test(when));
  assert.ok(clauses.length > 10);
  assert.deepEqual(clauses.filter((when) => !when.includes('resourceScheme == file')), []);
});

test('the walkthrough has its pictures and pages', () => {
  const media = manifest.contributes.walkthroughs.flatMap(({ steps }) => steps.map((step) => 'svg' in step.media ? step.media.svg : step.media.markdown));
  assert.equal(media.length, 7);
  for (const file of [...media, manifest.icon]) {
    assert.ok(existsSync(file), file);
    assert.doesNotMatch(readFileSync(file, 'utf8'), /<style|style=|class=/, `${file}: VS Code shows pictures without their styles`);
  }
});

test('the message about a missing server opens the step that says how to get it', () => {
  assert.equal(serverStep.category, `${manifest.publisher}.${manifest.name}#${manifest.contributes.walkthroughs[0]?.id ?? ''}`);
  const steps = manifest.contributes.walkthroughs[0]?.steps.map(({ id }) => id) ?? [];
  assert.ok(steps.includes(serverStep.step));
});

test('a workspace that is not trusted can name neither a program nor a folder to read', () => {
  const { untrustedWorkspaces } = manifest.capabilities;
  assert.equal(untrustedWorkspaces.supported, 'limited');
  const settings = Object.keys(manifest.contributes.configuration.properties);
  assert.deepEqual(untrustedWorkspaces.restrictedConfigurations.filter((key) => !settings.includes(key)), []);
  for (const key of ['spell.server.path', 'spell.meter', 'spell.powercapRoot', 'spell.run', 'spell.tags']) {
    assert.ok(untrustedWorkspaces.restrictedConfigurations.includes(key), key);
  }
});

test('the licence is the one of the whole project', () => {
  assert.equal(readFileSync('LICENSE', 'utf8'), readFileSync('../LICENSE', 'utf8'));
});

test('the change log has this version', () => {
  assert.match(readFileSync('CHANGELOG.md', 'utf8'), new RegExp(`^## ${manifest.version.replaceAll('.', '\\.')}$`, 'm'));
});
