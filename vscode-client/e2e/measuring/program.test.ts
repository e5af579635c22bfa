import assert from 'node:assert/strict';
import { diagnostics, hover, runCommand } from '../rig/editor.ts';
import { filesOf } from '../rig/files.ts';
import { measurementEnded } from '../rig/measuring.ts';
import { scenes } from '../rig/scene.ts';
import { codeActions, done, goTo, lensText, notification, openFile, palette, picture, waitForLens } from '../rig/ui.ts';
import { until } from '../rig/until.ts';

// A user measures a program from above its main function, then a service as a scenario of the settings, and sees
// what costs most while it runs.

const gate = `package main

import (
\t"fmt"
\t"os"
\t"os/signal"
\t"strings"
\t"syscall"
)

func main() {
\tif len(os.Args) == 1 {
\t\tfmt.Println(count(2000))
\t\treturn
\t}
\tstopped := make(chan os.Signal, 1)
\tsignal.Notify(stopped, syscall.SIGTERM)
\tfmt.Println("the gate is open")
\tfor len(stopped) == 0 {
\t\tcount(200)
\t}
}

func count(rounds int) (n int) {
\tfor range rounds {
\t\tn += len(plates(rounds))
\t}
\treturn n
}

func plates(n int) []string {
\treturn strings.Split(strings.Repeat("AB-123-CD ", n), " ")
}
`;

const scene = scenes({
  settings: {
    'spell.rounds': 2, 'spell.warmup': 0,
    'spell.scenarios': { serve: { exec: './cmd/gate -serve', ready: 'open$', for: '6s' }, count: { exec: './cmd/gate' } },
  },
  files: { 'cmd/gate/main.go': gate },
});

scene('the lens over main measures the program; afterwards it stands beside that of the function', async (w) => {
  const { page, host } = w;
  await openFile(page, 'main.go');
  const lens = (title: string) => page.locator(lensText, { hasText: new RegExp(`^${title}$`) });
  await waitForLens(host, lens('measure energy: serve'));
  await lens('measure energy: count').waitFor();
  // VS Code draws lenses anew while it resolves them, and a click in between reaches none.
  await until('the measurement begins', async () => {
    await lens('measure energy').click();
    return done((limit) => page.locator('.statusbar-item', { hasText: /spell: measuring/ }).waitFor(limit));
  });
  await measurementEnded(w);
  await waitForLens(host, page.locator(lensText, { hasText: /#\d+ · psi/ }).first());
  await lens('measure energy').waitFor();
  const found = await until('the diagnostics', async () => {
    const list = (await diagnostics(host)).filter(({ code }) => code === 'energy-leak');
    return list.length > 0 && list;
  });
  assert.ok(found.some(({ name }) => name === 'plates'), JSON.stringify(found));
  assert.match(await hover(w, 'cmd/gate/main.go', 30, 6), /cmd\/gate\.main/);
});

scene('a scenario from the palette shows what costs most while it runs', async (w) => {
  const { page, host, processes } = w;
  await runCommand(host, 'notifications.clearAll');
  await palette(page, 'SPELL: Measure Scenario...');
  const row = page.locator('.quick-input-list .monaco-list-row', { hasText: './cmd/gate -serve' });
  await row.click();
  await page.locator('.statusbar-item', { hasText: /spell: measuring \d+ % · gate\.\w+ [\d.]+ %/ }).waitFor({ timeout: 200_000 });
  await notification(page, /Measuring energy: round \d of 2.*: gate\.\w+ [\d.]+ %, gate\.\w+ <?[\d.]+ %/).waitFor();
  await picture(page, 'live');
  await measurementEnded(w);
  await page.locator('.statusbar-item', { hasText: /spell: \w \d+\.\d %/ }).waitFor();
  assert.match(await hover(w, 'cmd/gate/main.go', 30, 6), /cmd\/gate\.serve/);
  await until('the end of its processes', () => processes().every(({ command }) => command.at(-1) === 'serve'));
});

scene('a code action measures the same, for whoever has no lenses', async (w) => {
  const { page, host } = w;
  await runCommand(host, 'notifications.clearAll');
  await goTo(page, 11, 6);
  const actions = await codeActions(page, 'Measure energy of scenario count');
  await picture(page, 'program-actions');
  await actions.filter({ hasText: 'Measure energy of scenario count' }).click();
  await measurementEnded(w);
  assert.match(await hover(w, 'cmd/gate/main.go', 30, 6), /cmd\/gate\.count/);
});

scene('not a byte of the folder has changed', ({ folder, texts }) => {
  assert.deepEqual(filesOf(folder), texts);
  return Promise.resolve();
});
