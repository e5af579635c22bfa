import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { configure, diagnostics, runCommand } from '../rig/editor.ts';
import { measured } from '../rig/measuring.ts';
import { kill } from '../rig/processes.ts';
import { scenes } from '../rig/scene.ts';
import { notification, openFile, palette, picture } from '../rig/ui.ts';
import { until } from '../rig/until.ts';
import { servers } from '../rig/workbench.ts';

// The server is missing, comes, dies, and is exchanged for one that says nothing, and back.

const scene = scenes({ saved: true, settings: { 'spell.server.path': '/nowhere/spell-lsp' } });

scene('a missing binary is named, with the setting that says where it is', async ({ page }) => {
  await openFile(page, 'order.go');
  const message = notification(page, 'The setting spell.server.path is "/nowhere/spell-lsp", but there is no program at that path.');
  await message.getByText('Open the Setting').waitFor();
  await picture(page, 'missing-binary');
});

scene('a command says so again, and does nothing else', async ({ page, host }) => {
  await host.run((vscode) => vscode.commands.executeCommand('notifications.clearAll'));
  await palette(page, 'SPELL: Measure Energy of the Workspace');
  await notification(page, 'there is no program at that path').waitFor();
});

scene('with the setting put right, the saved results are shown', async (w) => {
  await configure(w, { 'spell.server.path': '' });
  await until('the diagnostics', async () => (await diagnostics(w.host)).some((d) => d.name === 'Sort' && d.severity === 'Error'));
  assert.equal(servers(w).length, 1);
});

scene('a server that is killed while it measures is started again, and the user reads why', async (w) => {
  const [old] = servers(w);
  assert.ok(old !== undefined);
  await palette(w.page, 'SPELL: Measure Energy of the Workspace');
  await until('a test that runs', () => w.processes().some(({ command }) => command[0]?.endsWith('.test')));
  kill(old, 'SIGKILL');
  await notification(w.page, /ended unexpectedly and was restarted: .*SIGKILL/).waitFor();
  assert.equal(await notification(w.page, 'Measuring failed').count(), 0, 'the end of the server is told twice');
  await picture(w.page, 'killed');
  await until('another server', () => servers(w).length === 1 && !servers(w).includes(old));
  await until('the end of the measurement\'s processes', () => !w.processes().some(({ command }) => command[0]?.endsWith('.test')));
});

// What the scenes of a measurement wait for does not come by itself.
scene('with a server that says nothing, a measurement is seen to fail', async (w) => {
  const silent = path.join(w.home, 'silent');
  writeFileSync(silent, '#!/bin/sh\nexec sed -n d\n', { mode: 0o755 });
  await configure(w, { 'spell.server.path': silent });
  await assert.rejects(measured(w, 'SPELL: Measure Energy of the Workspace', 2000), /waiting for .*Measuring energy/);
});

scene('with the setting put right, a server that says nothing is not waited for', async (w) => {
  await configure(w, { 'spell.server.path': '' });
  await until('the server', () => servers(w).length === 1);
  await until('the diagnostics', async () => (await diagnostics(w.host)).some((d) => d.name === 'Sort' && d.severity === 'Error'));
  await runCommand(w.host, 'notifications.showList');
  assert.equal(await notification(w.page, /did not start as a language server|create connection/).count(), 0);
});

scene('no two collections of diagnostics have one name, which VS Code would log', ({ home }) => {
  const logs = path.join(home, 'user/logs');
  const files = readdirSync(logs, { recursive: true, encoding: 'utf8' }).filter((name) => path.basename(name) === 'remoteexthost.log');
  assert.ok(files.length > 0);
  const lines = files.flatMap((name) => readFileSync(path.join(logs, name), 'utf8').split('\n'));
  assert.deepEqual(lines.filter((line) => line.includes("DiagnosticCollection with name 'spell")), []);
  return Promise.resolve();
});
