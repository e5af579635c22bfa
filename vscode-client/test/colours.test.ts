import assert from 'node:assert/strict';
import test from 'node:test';
import manifest from '../package.json';
import { inks, markStates, palette, picture, pictureAddress, letters, type MarkState } from '../src/text/markstate';

// Colours that everybody can see: on the backgrounds of VS Code's own themes, without
// hues, and in print.

type Theme = 'light' | 'dark' | 'highContrast' | 'highContrastLight';

/** Background and text of the default themes' editors. */
const editors: [Theme, string, string][] = [
  ['light', '#ffffff', '#3b3b3b'], ['dark', '#1f1f1f', '#cccccc'], ['dark', '#1e1e1e', '#d4d4d4'],
  ['highContrast', '#000000', '#ffffff'], ['highContrastLight', '#ffffff', '#292929'],
];

function colour(id: string, theme: Theme): string {
  const found = manifest.contributes.colors.find((c) => c.id === id);
  assert.ok(found, `package.json declares no ${id}`);
  return found.defaults[theme];
}

function channels(hex: string): [number, number, number, number] {
  assert.match(hex, /^#[0-9a-f]{6}([0-9a-f]{2})?$/i);
  const of = (at: number): number => parseInt(hex.slice(at, at + 2), 16) / 255;
  return [of(1), of(3), of(5), hex.length > 7 ? of(7) : 1];
}

/** WCAG 2.2, "relative luminance": 0 is black, 1 is white. */
function luminance(hex: string): number {
  const linear = (c: number): number => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const [r, g, b] = channels(hex);
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** WCAG 2.2, "contrast ratio": 1 to 21. */
function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

/** CIE 1976 L*, what is left of a colour in grey: 0 is black, 100 is white. */
function lightness(hex: string): number {
  const y = luminance(hex);
  return y > 216 / 24389 ? 116 * Math.cbrt(y) - 16 : y * 24389 / 27;
}

/** A transparent colour on an opaque one. */
function over(top: string, bottom: string): string {
  const [r, g, b, alpha] = channels(top);
  const [r0, g0, b0] = channels(bottom);
  const mixed = [[r, r0], [g, g0], [b, b0]].map(([x = 0, y = 0]) => Math.round((x * alpha + y * (1 - alpha)) * 255));
  return `#${mixed.map((c) => c.toString(16).padStart(2, '0')).join('')}`;
}

function pairs(): [MarkState, MarkState][] {
  return markStates.flatMap((a, i) => markStates.slice(i + 1).map((b): [MarkState, MarkState] => [a, b]));
}

test('contrast and lightness are computed as the standards say', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  assert.ok(Math.abs(contrast('#767676', '#ffffff') - 4.54) < 0.01);
  assert.ok(Math.abs(lightness('#777777') - 50) < 0.1);
  assert.equal(over('#ff000080', '#000000'), '#800000');
});

for (const [theme, background, text] of editors) {
  test(`${theme} on ${background}: marks have a contrast of 3 to 1 and more, and differ in grey`, () => {
    for (const state of markStates) {
      const found = contrast(colour(`spell.${state}`, theme), background);
      assert.ok(found >= 3, `spell.${state} has ${found.toFixed(2)}`);
    }
    for (const [a, b] of pairs()) {
      const apart = Math.abs(lightness(colour(`spell.${a}`, theme)) - lightness(colour(`spell.${b}`, theme)));
      assert.ok(apart >= 10, `${a} and ${b} are ${apart.toFixed(1)} apart`);
    }
  });

  test(`${theme} on ${background}: text can be read on the heat, and the heat can be seen`, () => {
    for (const state of ['red', 'yellow', 'green']) {
      const heat = over(colour(`spell.${state}Background`, theme), background);
      const found = contrast(text, heat);
      assert.ok(found >= 4.5, `text on spell.${state}Background has ${found.toFixed(2)}`);
      assert.ok(Math.abs(lightness(heat) - lightness(background)) >= 3, `spell.${state}Background is hardly seen`);
    }
  });

  test(`${theme} on ${background}: the letter of a picture has 3 to 1 against its shape, or the background where that is hollow`, () => {
    const ground = theme === 'light' || theme === 'highContrastLight' ? 'light' : 'dark';
    const colours = palette(manifest);
    for (const state of markStates) {
      const fill = colours[state][ground];
      assert.ok(contrast(fill, background) >= 3, `${state}: the shape`);
      const found = state === 'stale' ? contrast(fill, background) : contrast(inks[ground], fill);
      assert.ok(found >= 3, `${state}: the letter has ${found.toFixed(2)}`);
    }
  });
}

test('pictures differ in shape and letter, not in colour alone', () => {
  const colourless = (state: MarkState): string => picture(state, palette(manifest), 'dark').replaceAll(/#[0-9A-F]{6}/g, '#');
  const shape = (svg: string): string => /<(path|circle|rect)[^>]*>/.exec(svg)?.[0] ?? '';
  const letter = (svg: string): string => />(.)<\/text>/.exec(svg)?.[1] ?? '';
  for (const [a, b] of pairs()) {
    assert.notEqual(shape(colourless(a)), shape(colourless(b)));
    assert.notEqual(letter(colourless(a)), letter(colourless(b)));
  }
  assert.deepEqual(markStates.map((state) => letter(colourless(state))), markStates.map((state) => letters[state]));
  assert.match(picture('stale', palette(manifest), 'light'), /fill="none"/);
});

test('a picture is SVG in an address that no character can break', () => {
  const address = pictureAddress('red', palette(manifest), 'light');
  const [head = '', body = ''] = address.split(',');
  assert.equal(head, 'data:image/svg+xml;base64');
  assert.match(body, /^[A-Za-z0-9+/]+=*$/);
  assert.equal(Buffer.from(body, 'base64').toString(), picture('red', palette(manifest), 'light'));
});

test('every state has a colour of its own in every theme', () => {
  for (const theme of ['light', 'dark', 'highContrast', 'highContrastLight'] as const) {
    assert.equal(new Set(markStates.map((state) => colour(`spell.${state}`, theme))).size, markStates.length);
  }
});
