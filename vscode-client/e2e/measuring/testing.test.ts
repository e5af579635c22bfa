import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { runCommand } from '../rig/editor.ts';
import { scenes } from '../rig/scene.ts';
import { done, openFile, picture } from '../rig/ui.ts';
import { until } from '../rig/until.ts';

// The Testing view measures the energy of tests.

const closed = `package parking

import "testing"

func TestClosed(t *testing.T) {
\tif len(New(1).Cars()) == 0 {
\t\tt.Fatal("nobody came")
\t}
}
`;

const scene = scenes({ settings: { 'spell.rounds': 1, 'spell.warmup': 0 }, files: { 'closed_test.go': closed } });

const passing = ['TestMorningRush', 'TestMarketDay', 'TestStocktaking', 'TestQuietSunday', 'TestFestival'];

/** How long a measurement may take, on a machine that does other things as well. */
const patience = { timeout: 200_000 };

/** A test in the view, with what became of it. */
function row(page: Page, name: string, state = ''): Locator {
  return page.locator(`.test-explorer-tree .monaco-list-row[aria-label^="${name} (${state}"]`);
}

/** Presses the button that runs what the row stands for. */
async function run(of: Locator): Promise<void> {
  await until('the button', async () => { // it goes where the row is moved away from the mouse
    await of.hover();
    return await done((limit) => of.locator('.codicon-testing-run-icon').click(limit));
  });
}

scene('the tests of the package that is open are listed', async ({ page }) => {
  await openFile(page, 'park_test.go');
  await page.locator('.activitybar .action-item', { has: page.getByLabel('Testing') }).click();
  await row(page, 'parking').locator('.monaco-tl-twistie').click();
  for (const name of [...passing, 'TestClosed']) {
    await row(page, name, 'Not yet run').waitFor();
  }
  await picture(page, 'tests');
});

scene('one test is run: it passes, and its energy is told', async ({ page, host }) => {
  await run(row(page, 'TestQuietSunday'));
  await row(page, 'TestQuietSunday', 'Passed').waitFor(patience);
  assert.equal(await row(page, 'TestFestival', 'Not yet run').count(), 1);
  await runCommand(host, 'testing.showMostRecentOutput');
  const told = /Measured \d+ components in 1 test:.*1\. \w parking\.\(\*Park\)\.\w+: psi 0\.\d{4}, [\d.]+ [mµ]?J/;
  await page.locator('.test-output-peek-message-container .xterm-rows', { hasText: told }).waitFor();
  await picture(page, 'test passed');
  await runCommand(host, 'workbench.action.closePanel');
});

scene('the package is run: a test that fails is shown as failed, the others as passed', async ({ page }) => {
  await run(row(page, 'parking'));
  await row(page, 'TestClosed', 'Failed').waitFor(patience);
  for (const name of passing) {
    await row(page, name, 'Passed').waitFor();
  }
  await openFile(page, 'closed_test.go');
  await page.locator('.monaco-editor').getByText('TestClosed failed while its energy was measured').first().waitFor();
  await picture(page, 'test failed');
});
