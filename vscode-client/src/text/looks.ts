// How a measured function looks: its zone, or that it was edited since. Each look
// has a colour, a shape and a letter, so none of them is needed to tell it. Nothing
// here needs VS Code.

import type { Zone } from '../protocol/protocol';

export type Look = Zone | 'stale';

export const looks: readonly Look[] = ['red', 'yellow', 'green', 'stale'];

/** What an edited function was says nothing of what it is: it has no zone any more. */
export function lookOf(of: { zone: Zone; stale: boolean }): Look {
  return of.stale ? 'stale' : of.zone;
}

/** The marks of a look that the user wants to see: of a zone that is off there are none. */
export function seen<M extends { zone: Zone; stale: boolean; level: string }>(marks: M[], look: Look): M[] {
  return marks.filter((mark) => lookOf(mark) === look && mark.level !== 'off');
}

export const signs: Record<Look, string> = { red: 'R', yellow: 'Y', green: 'G', stale: '?' };

/** Whether an icon stands on light or on dark. */
export type Ground = 'light' | 'dark';

/** The colour of the letter in a filled shape. */
export const inks: Record<Ground, string> = { light: '#FFFFFF', dark: '#000000' };

/** Colours as the manifest declares them: "#RRGGBB". */
export type Palette = Record<Look, Record<Ground, string>>;

/** The colours of the marks. Pictures cannot have those of a theme. */
export function palette(manifest: unknown): Palette {
  const { contributes } = manifest as { contributes: { colors: { id: string; defaults: Record<Ground, string> }[] } };
  const of = (look: Look): Record<Ground, string> => {
    const found = contributes.colors.find((color) => color.id === `spell.${look}`);
    if (found === undefined) {
      throw new Error(`package.json declares no colour spell.${look}`);
    }
    return found.defaults;
  };
  return { red: of('red'), yellow: of('yellow'), green: of('green'), stale: of('stale') };
}

const shapes: Record<Look, string> = {
  red: '<path d="M5 .5h6L15.5 5v6L11 15.5H5L.5 11V5z"/>', // a stop sign
  yellow: '<path d="M8 0 16 15.5H0z"/>', // a triangle
  green: '<circle cx="8" cy="8" r="7.5"/>',
  stale: '<rect x="1.5" y="1.5" width="13" height="13" rx="2"/>', // a hollow square
};

/** The picture of a look, 16 x 16: SVG. */
export function picture(look: Look, colours: Palette, ground: Ground): string {
  const colour = colours[look][ground];
  const hollow = look === 'stale';
  const paint = hollow ? `fill="none" stroke="${colour}" stroke-width="1.5"` : `fill="${colour}"`;
  const base = look === 'yellow' ? 14 : 12;
  const size = look === 'yellow' ? 10 : 11;
  return '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">'
    + `<g ${paint}>${shapes[look]}</g>`
    + `<text x="8" y="${base}" font-family="sans-serif" font-size="${size}" font-weight="bold" text-anchor="middle" `
    + `fill="${hollow ? colour : inks[ground]}">${signs[look]}</text></svg>`;
}

/** The picture as an address that needs no file. */
export function pictureAddress(look: Look, colours: Palette, ground: Ground): string {
  return `data:image/svg+xml;base64,${Buffer.from(picture(look, colours, ground)).toString('base64')}`;
}
