import assert from 'node:assert/strict';
import { diagnostics, hover } from '../rig/editor.ts';
import { filesOf } from '../rig/files.ts';
import { measured } from '../rig/measuring.ts';
import { scenes } from '../rig/scene.ts';
import { codeActions, goTo, illustrate, lensText, notification, openFile, picture, waitForLens } from '../rig/ui.ts';
import { until } from '../rig/until.ts';

// A user measures, sees what to change and what that can save, has it changed, and sees what it did.

const plate = `package parking

import "regexp"

// Plates counts the registrations in a text.
func Plates(text string) int {
\treturn len(regexp.MustCompile(\`[A-Z]{2}-[0-9]{3}-[A-Z]{2}\`).FindAllString(text, -1))
}
`;

const test = `package parking

import (
\t"strings"
\t"testing"
)

func TestPlates(t *testing.T) {
\tlist := strings.Repeat("AB-123-CD ", 10)
\tfor range 20000 {
\t\tif n := Plates(list); n != 10 {
\t\t\tt.Fatalf("found %d", n)
\t\t}
\t}
}
`;

const scene = scenes({
  settings: { 'spell.run': 'TestPlates', 'spell.rounds': 8, 'spell.warmup': 0 }, files: { 'plate.go': plate, 'plate_test.go': test },
});

scene('what to change has a diagnostic at its line, with what it can save', async (w) => {
  const { page, host } = w;
  await openFile(page, 'plate.go');
  await measured(w, 'SPELL: Measure Energy of the Workspace');
  const found = await until('the advice', async () => (await diagnostics(host)).find(({ code }) => code === 'energy-advice'));
  assert.match(found.message, /^A change here saves at most an estimated [\d.]+ m?J of the [\d.]+ m?J that Plates uses in a round: .*compile it once, in a package variable \(regexp-per-call\)$/);
  assert.equal(found.severity, 'Information');
  assert.match(await hover(w, 'plate.go', 5, 6), /A change in line 7 saves at most an estimated/);
});

scene('applied and measured, a change says what it did', async (w) => {
  const { page, host, folder, texts } = w;
  await goTo(page, 7, 9);
  const rows = await codeActions(page, 'Apply and measure: compile it once');
  await picture(page, 'advice');
  await illustrate(page, 'advice');
  await rows.filter({ hasText: 'Apply and measure' }).click();
  await notification(page, /[\d.]+ % less energy \(estimated\) in Plates, significant; .*; tests pass$/).waitFor({ timeout: 200_000 });
  await until('the new text', () => host.run((vscode) => /^var \w+ = regexp\.MustCompile/m.test(vscode.window.activeTextEditor?.document.getText() ?? '')));
  await waitForLens(host, page.locator(lensText, { hasText: /% less energy, significant$/ }));
  await picture(page, 'applied');
  assert.deepEqual(filesOf(folder), texts, 'not a byte of the folder has changed: the change is not saved');
});
