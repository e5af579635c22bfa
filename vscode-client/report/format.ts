// Numbers as text.

import { change as relative } from '../src/text/units';

export { count, duration, plural, percent, probability, quantity, similarity } from '../src/text/units';

/** A relative change; null is one from nothing. */
export function change(v: number | null): string {
  return v === null ? 'new' : relative(v);
}

/** The word at the beginning of a sentence. */
export function upper(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
