// Amounts with their units and similarities, written as units.Quantity, units.Duration and
// units.Similarity write them:
// one figure looks the same on the command line, in the editor and in the report.
// spell/units/testdata/units.json holds them together.

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

function digits(v: number): string {
  if (v < 9.995) {
    return fixed(v, 2);
  }
  if (v < 99.95) {
    return fixed(v, 1);
  }
  return v < 1e6 ? fixed(v, 0) : exponential(v);
}

/** toFixed rounds what is exactly in the middle up, Go to the even digit. */
function fixed(v: number, decimals: number): string {
  const scaled = v * 10 ** decimals;
  const middle = Number.isInteger(v * 2 ** (decimals + 1)) && scaled % 1 === 0.5; // only such numbers are, and these products are exact
  return (middle ? 2 * Math.round(scaled / 2) / 10 ** decimals : v).toFixed(decimals);
}

/** Three digits as Go writes them: 1.5e+06. */
function exponential(v: number): string {
  return v.toExponential(2).replace(/\.?0+e/, 'e').replace(/e\+(\d)$/, 'e+0$1');
}
