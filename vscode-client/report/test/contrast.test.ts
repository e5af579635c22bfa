import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

const css = readFileSync('report/style.css', 'utf8');

/** The page's own colours in a theme; those of dark override those of light. */
function theme(name: 'light' | 'dark'): Map<string, string> {
  const colors = new Map<string, string>();
  for (const [, selectors, body] of css.matchAll(/^(:root[^{]*)\{([^}]*)\}/gm)) {
    if (selectors?.includes(`"${name}"`) === true || selectors?.includes(':root,') === true) {
      for (const [, key, , color] of (body ?? '').matchAll(/--([\w-]+):\s*(var\([^,]+,\s*)?(#[0-9a-f]{6})\b/g)) {
        colors.set(key ?? '', color ?? '');
      }
    }
  }
  return colors;
}

/** Relative luminance and contrast, as WCAG 2.2 defines them. */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

for (const name of ['light', 'dark'] as const) {
  const colors = theme(name);
  const of = (key: string) => {
    const color = colors.get(key);
    assert.ok(color !== undefined, `${name} has no colour ${key}`);
    return color;
  };
  test(`${name}: text can be read`, () => {
    for (const key of ['foreground', 'muted', 'link', 'red', 'yellow', 'green', 'accent']) {
      assert.ok(contrast(of(key), of('background')) >= 4.5, `${key} on the background: ${contrast(of(key), of('background'))}`);
    }
    for (const key of ['flame-red', 'flame-yellow', 'flame-green', 'flame-plain', 'flame-dim', 'hover', 'control']) {
      assert.ok(contrast(of('foreground'), of(key)) >= 4.5, `the foreground on ${key}: ${contrast(of('foreground'), of(key))}`);
    }
  });
  test(`${name}: what is drawn can be seen`, () => {
    for (const key of ['control-border', 'focus', 'heat-3', 'heat-4']) {
      assert.ok(contrast(of(key), of('background')) >= 3, `${key}: ${contrast(of(key), of('background'))}`);
    }
    for (const zone of ['red', 'yellow', 'green']) {
      assert.ok(contrast(of(zone), of(`flame-${zone}`)) >= 3, `the edge of a ${zone} call: ${contrast(of(zone), of(`flame-${zone}`))}`);
    }
  });
  test(`${name}: each step of the heat map is farther from the background than the one before`, () => {
    const steps = [0, 1, 2, 3, 4].map((k) => contrast(of(`heat-${k}`), of('background')));
    assert.deepEqual(steps, [...steps].sort((a, b) => a - b));
  });
}
