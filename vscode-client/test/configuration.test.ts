import assert from 'node:assert/strict';
import test from 'node:test';
import { explicit, serverSettings, type Inspection } from '../src/server/configuration';

function sent(inspections: Record<string, Inspection>): Record<string, unknown> {
  return explicit(Object.keys(inspections), (name) => inspections[name]);
}

test('defaults are not sent, because they would override the .spell-lsp.yaml of the workspace', () => {
  assert.deepEqual(sent({ meter: {}, 'weights.cpu': {} }), {});
});

test('the nearest scope wins', () => {
  assert.deepEqual(sent({
    meter: { globalValue: 'rapl', workspaceValue: 'model', workspaceFolderValue: 'none' },
    warmup: { globalValue: 3, workspaceValue: 0 },
    lenses: { globalValue: false },
  }), { meter: 'none', warmup: 0, lenses: false });
});

test('a group is an object with the settings that were set', () => {
  assert.deepEqual(sent({
    'severity.red': { globalValue: 'warning' },
    'severity.yellow': {},
    'severity.green': { workspaceValue: 'off' },
    'weights.cpu': { globalValue: 1 },
  }), { severity: { red: 'warning', green: 'off' }, weights: { cpu: 1 } });
});

test('a setting that VS Code does not know is not sent', () => {
  assert.deepEqual(explicit(['meter'], () => undefined), {});
});

test('the settings of the extension itself are kept from the server, which refuses unknown keys', () => {
  const properties = { 'spell.meter': {}, 'spell.server.path': {}, 'spell.weights.cpu': {}, 'spell.trace.server': {} };
  assert.deepEqual(serverSettings({ contributes: { configuration: { properties } } }), ['meter', 'weights.cpu']);
});
