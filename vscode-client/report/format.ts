// Numbers as text.

import { change as relative } from '../src/text/units';

export { duration, percent, probability, quantity, similarity } from '../src/text/units';

/** A number of executions: a mean over rounds may have a fraction. */
export function count(n: number): string {
  return n >= 1e15 ? n.toPrecision(3) : n.toLocaleString('en', { maximumFractionDigits: n < 100 ? 2 : 0 });
}

/** A relative change; null is one from nothing. */
export function change(v: number | null): string {
  return v === null ? 'new' : relative(v);
}

/** The number with its noun: 1 test, 2 tests. */
export function plural(n: number, noun: string): string {
  return `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
}
