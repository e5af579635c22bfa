// Numbers as text.

import { change as relative, count } from '../src/text/units';

export { count, duration, percent, probability, quantity, similarity } from '../src/text/units';

/** A relative change; null is one from nothing. */
export function change(v: number | null): string {
  return v === null ? 'new' : relative(v);
}

/** The number with its noun: 1 test, 2 tests. */
export function plural(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`;
}
