// How a measured function is drawn: by its zone, or as stale if it was edited since. Each
// state differs from the others in colour, in shape and in letter.
// Nothing here needs VS Code.

import type { Zone } from '../protocol/answers';

export type MarkState = Zone | 'stale';

export const markStates: readonly MarkState[] = ['red', 'yellow', 'green', 'stale'];

/** A function that was edited has no zone any more: its zone was that of the old code. */
export function markStateOf({ zone, stale }: { zone: Zone; stale: boolean }): MarkState {
  return stale ? 'stale' : zone;
}

/** The marks in a state, without those whose severity is off. */
export function shownMarks<M extends { zone: Zone; stale: boolean; level: string }>(marks: M[], state: MarkState): M[] {
  return marks.filter((mark) => markStateOf(mark) === state && mark.level !== 'off');
}

/** A bar as long as a share, 0 to 1. */
export function heatBar(share: number): string {
  const blocks = Math.max(1, Math.round(share * 8));
  return '▇'.repeat(blocks) + '▁'.repeat(Math.max(0, 8 - blocks));
}

/** For those who cannot tell the colours apart. */
export const letters: Record<MarkState, string> = { red: 'R', yellow: 'Y', green: 'G', stale: '?' };

/** The background of a picture. */
export type Ground = 'light' | 'dark';

/** The colour of the letter in a filled shape. */
export const inks: Record<Ground, string> = { light: '#FFFFFF', dark: '#000000' };

/** Colours as the manifest declares them: "#RRGGBB". */
export type Palette = Record<MarkState, Record<Ground, string>>;

/** The colours of the marks. Pictures cannot have theme colours. */
export function palette(manifest: unknown): Palette {
  const { contributes } = manifest as { contributes: { colors: { id: string; defaults: Record<Ground, string> }[] } };
  const coloursOf = (state: MarkState): Record<Ground, string> => {
    const found = contributes.colors.find((color) => color.id === `spell.${state}`);
    if (found === undefined) {
      throw new Error(`package.json declares no colour spell.${state}`);
    }
    return found.defaults;
  };
  return { red: coloursOf('red'), yellow: coloursOf('yellow'), green: coloursOf('green'), stale: coloursOf('stale') };
}

const shapes: Record<MarkState, string> = {
  red: '<path d="M5 .5h6L15.5 5v6L11 15.5H5L.5 11V5z"/>', // a stop sign
  yellow: '<path d="M8 0 16 15.5H0z"/>', // a triangle
  green: '<circle cx="8" cy="8" r="7.5"/>',
  stale: '<rect x="1.5" y="1.5" width="13" height="13" rx="2"/>', // a hollow square
};

/** The picture of a state as SVG, 16 x 16. */
export function picture(state: MarkState, colours: Palette, ground: Ground): string {
  const colour = colours[state][ground];
  const hollow = state === 'stale';
  const paint = hollow ? `fill="none" stroke="${colour}" stroke-width="1.5"` : `fill="${colour}"`;
  const base = state === 'yellow' ? 14 : 12;
  const size = state === 'yellow' ? 10 : 11;
  return '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">'
    + `<g ${paint}>${shapes[state]}</g>`
    + `<text x="8" y="${base}" font-family="sans-serif" font-size="${size}" font-weight="bold" text-anchor="middle" `
    + `fill="${hollow ? colour : inks[ground]}">${letters[state]}</text></svg>`;
}

/** The picture as a data URL. */
export function pictureAddress(state: MarkState, colours: Palette, ground: Ground): string {
  return `data:image/svg+xml;base64,${Buffer.from(picture(state, colours, ground)).toString('base64')}`;
}
