// Amounts with their units, as the pages of the command line have them (spell/page).

const prefixes: [number, string][] = [[1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];

/** An amount of at least 0 with three digits and the prefix that suits it. */
export function quantity(v: number, unit: string): string {
  for (const [size, name] of prefixes) {
    if (v >= 0.9995 * size) {
      return `${digits(v / size)} ${name}${unit}`;
    }
  }
  return v === 0 ? `0 ${unit}` : `<1 n${unit}`;
}

function digits(v: number): string {
  if (v < 9.995) {
    return v.toFixed(2);
  }
  if (v < 99.95) {
    return v.toFixed(1);
  }
  return v < 1e6 ? v.toFixed(0) : v.toPrecision(3);
}

/** Milliseconds. */
export function duration(ms: number): string {
  const s = ms / 1000;
  if (s >= 7200) {
    return `${digits(s / 3600)} h`;
  }
  return s >= 120 ? `${digits(s / 60)} min` : quantity(s, 's');
}

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
