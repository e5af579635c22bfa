// Numbers, as the pages of the command line have them (spell/page).

export { duration, quantity } from '../src/text/units';

/** A number of executions: a mean over rounds may have a fraction. */
export function count(n: number): string {
  return n >= 1e15 ? n.toPrecision(3) : n.toLocaleString('en', { maximumFractionDigits: n < 100 ? 2 : 0 });
}

/** A share with its sign. */
export function percent(share: number): string {
  return share > 0 && share < 0.0005 ? '<0.1 %' : `${(share * 100).toFixed(1)} %`;
}

/** Psi, with the four digits of the SPELL paper's tables. */
export function similarity(psi: number): string {
  return psi > 0 && psi < 0.00005 ? '<.0001' : psi.toFixed(4);
}

/** A relative change; null is one from nothing. */
export function change(v: number | null): string {
  if (v === null) {
    return 'new';
  }
  const size = Math.abs(100 * v);
  const text = size >= 1e6 ? size.toPrecision(2) : size.toFixed(size >= 9.95 ? 0 : size >= 0.995 ? 1 : 2);
  return v === 0 ? '0 %' : `${v < 0 ? '-' : '+'}${text} %`;
}

/** A probability. */
export function probability(p: number): string {
  return p < 0.0001 ? '<0.0001' : String(Number(p.toPrecision(2)));
}

/** The number with its noun: 1 test, 2 tests. */
export function plural(n: number, noun: string): string {
  return `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
}
