// Names, roles and contrasts, as axe sees them.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Frame, Page } from 'playwright-core';
import type { Host } from './host.ts';
import { until } from './until.ts';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The themes in which everything must be readable, with the number of their ColorThemeKind. The last one stays for the scenes after it. */
export const themes = [
  { name: 'Dark Modern', kind: 2 }, { name: 'Default High Contrast', kind: 3 },
  { name: 'Default High Contrast Light', kind: 4 }, { name: 'Light Modern', kind: 1 },
];

export async function setTheme(host: Host, { name, kind }: { name: string; kind: number }): Promise<void> {
  await host.run(async (api, theme) => {
    await api.workspace.getConfiguration('workbench').update('colorTheme', theme, api.ConfigurationTarget.Global);
  }, name);
  await until(`the theme ${name}`, async () => await host.run((api): number => api.window.activeColorTheme.kind) === kind);
}

/** What axe finds against the rules of WCAG, levels A and AA, below a selector; with rules, against these only. */
export async function violations(where: Page | Frame, selector: string, rules?: string[]): Promise<string[]> {
  await where.evaluate(source);
  return where.evaluate(async ({ below, only }) => {
    const { axe: run } = globalThis as unknown as { axe: typeof axe };
    const found = await run.run(below, {
      iframes: false,
      runOnly: only === undefined
        ? { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] } : { type: 'rule', values: only },
    });
    return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary = '' }) => `${id}: ${html}\n${failureSummary}`));
  }, { below: selector, only: rules });
}
