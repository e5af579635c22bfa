// Amounts, similarities, shares, changes, probabilities and counts, written as the Go package
// spell/units writes them: a figure looks the same on the command line, in the editor and
// in the report. spell/units/testdata/units.json tests both.

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

/** Milliseconds. */
export function duration(ms: number): string {
  const s = ms / 1000;
  if (s >= 7200) {
    return `${digits(s / 3600)} h`;
  }
  if (s >= 120) {
    return `${digits(s / 60)} min`;
  }
  return s >= 1 ? `${digits(s)} s` : quantity(s, 's');
}

/** A similarity from 0 to 1. One above 0 never looks like 0. */
export function similarity(v: number): string {
  return v > 0 && v < 0.00005 ? '<.0001' : fixed(v, 4);
}

/** A share from 0 to 1 in percent. One above 0 never looks like 0. */
export function percent(share: number): string {
  return share > 0 && share < 0.0005 ? '<0.1 %' : `${fixed(share * 100, 1)} %`;
}

/** A relative change in percent. One that is not 0 never looks like 0. */
export function change(v: number): string {
  return v === 0 ? '0 %' : `${v < 0 ? '-' : '+'}${extent(Math.abs(v))} %`;
}

/** The size of a relative change in percent, with two significant digits. */
function extent(v: number): string {
  const size = 100 * v;
  if (size >= 1e6) {
    return exponential(size, 1);
  }
  if (size >= 99.5 && size < 100) { // 99.96 % less must not look like all
    return fixed(Math.min(size, 99.9), 1);
  }
  if (size >= 9.95) {
    return fixed(size, 0);
  }
  if (size >= 0.995) {
    return fixed(size, 1);
  }
  return size < 0.01 ? '<0.01' : fixed(size, 2);
}

/** A probability with two significant digits. */
export function probability(p: number): string {
  if (p < 0.0001) {
    return '<0.0001';
  }
  return p >= 0.995 ? '1' : fixed(p, Math.max(2, 1 - Math.floor(Math.log10(p)))).replace(/\.?0+$/, '');
}

/** Three significant digits. */
function digits(v: number): string {
  if (v < 9.995) {
    return fixed(v, 2);
  }
  if (v < 99.95) {
    return fixed(v, 1);
  }
  return v < 1e6 ? fixed(v, 0) : exponential(v, 2);
}

/** Go rounds a number in the middle between two to the even one, toFixed to the larger one. */
function fixed(v: number, decimals: number): string {
  const scaled = v * 10 ** decimals;
  const middle = Number.isInteger(v * 2 ** (decimals + 1)) && scaled % 1 === 0.5; // both products are exact for such a number
  return (middle ? 2 * Math.round(scaled / 2) / 10 ** decimals : v).toFixed(decimals);
}

/** A number of at least a million as Go writes it, 1.5e+06; rounded as by {@link fixed}. */
function exponential(v: number, decimals: number): string {
  const step = 10 ** (Math.floor(Math.log10(v)) - decimals);
  const down = v % step === step / 2 && Math.floor(v / step) % 2 === 0;
  return (down ? v - step / 2 : v).toExponential(decimals).replace(/\.?0+e/, 'e').replace(/e\+(\d)$/, 'e+0$1');
}

/** How often something happened, which as a mean may have a fraction. */
export function count(n: number): string {
  return (Math.round(n * 100) / 100).toLocaleString('en', { maximumFractionDigits: 2 });
}

/** A count with its noun: 1 test, 2 tests. */
export function plural(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`;
}
