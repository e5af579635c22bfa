import type { Comparison, Place, Report, Verdict } from './data';

const verdicts: Record<string, Verdict> = { b: 'better', w: 'worse', u: 'unchanged', '?': 'undecided' };

/** Adds up numbers. */
export function sum(list: Iterable<number>): number {
  let all = 0;
  for (const v of list) {
    all += v;
  }
  return all;
}

/** The change of one component. */
export interface Changed { at: number; change: number | null; verdict: Verdict; p: number; low: number; high: number; reason: string }

/** A report with values derived from it. The index of a component is its rank minus one. */
export class Run {
  readonly size: number;
  readonly energy: boolean;
  readonly joules: Float64Array;
  /** Stands before each amount of energy: "est. " if it is estimated. */
  readonly est: string;
  /** What a test is called. */
  readonly row: string;
  readonly allJoules: number;
  readonly allN: number;
  readonly allMS: number;
  private readonly compared = new Map<number, number>(); // the index of a component in the comparison
  private words: string[] | undefined;

  constructor(readonly report: Report) {
    this.row = report.row ?? 'test';
    const c = report.components;
    this.size = c.name.length;
    this.energy = report.source !== 'none' && report.domains.length > 0;
    this.est = report.source === 'estimated' ? 'est. ' : '';
    this.joules = new Float64Array(this.size);
    for (const column of c.energy_j) {
      column.forEach((joules, i) => { this.joules[i] = (this.joules[i] ?? 0) + joules; });
    }
    this.allJoules = sum(this.joules);
    this.allN = sum(c.n);
    this.allMS = sum(c.time_ms);
    report.comparison?.of.forEach((component, at) => { this.compared.set(component, at); });
  }

  get comparison(): Comparison | undefined { return this.report.comparison; }

  name(i: number): string { return this.report.components.name[i] ?? ''; }
  id(i: number): string { return (this.report.components.prefixes[this.report.components.prefix[i] ?? 0] ?? '') + this.name(i); }
  packageOf(i: number): string { return this.report.components.packages[this.report.components.package[i] ?? 0] ?? ''; }
  file(i: number): string { return this.report.components.files[this.report.components.file[i] ?? 0] ?? ''; }
  line(i: number): number { return this.report.components.line[i] ?? 0; }
  zone(i: number): string { return this.report.components.zone[i] ?? '-'; }
  psi(i: number): number { return this.report.components.psi[i] ?? 0; }
  n(i: number): number { return this.report.components.n[i] ?? 0; }
  ms(i: number): number { return this.report.components.time_ms[i] ?? 0; }
  j(i: number): number { return this.joules[i] ?? 0; }
  epi(i: number): number { return this.n(i) > 0 ? this.j(i) / this.n(i) : 0; }
  below(i: number): boolean { return (Number(this.report.components.marks[i]) & 1) !== 0; }
  tied(i: number): boolean { return (Number(this.report.components.marks[i]) & 2) !== 0; }

  /** The place of a component as text; '' if unknown. */
  where(i: number): string { return this.line(i) > 0 ? `${this.file(i)}:${this.line(i)}` : this.file(i); }

  place(i: number): Place | undefined {
    return this.file(i) === '' || this.line(i) === 0 ? undefined : { id: this.id(i), file: this.file(i), line: this.line(i) };
  }

  /** The distance from psi to the farther end of its interval; undefined if unknown. */
  spread(i: number): number | undefined {
    const { psi_low: low, psi_high: high } = this.report.components;
    const [a, b] = [low[i] ?? 0, high[i] ?? 0];
    return low.length === 0 || (a === 0 && b === 0) ? undefined : Math.max(this.psi(i) - a, b - this.psi(i));
  }

  /** Half of the interval of the energy, as a share of the energy; undefined if unknown. */
  energySpread(i: number): number | undefined {
    const { energy_low: low, energy_high: high } = this.report.components;
    const [a, b] = [low[i] ?? 0, high[i] ?? 0];
    return low.length === 0 || a === b || this.j(i) === 0 ? undefined : (b - a) / 2 / this.j(i);
  }

  /** The change of energy, or else of time, since the run that this one is compared with. */
  changed(i: number): Changed | undefined {
    const at = this.compared.get(i);
    const column = this.comparison?.energy === true ? this.comparison.energy_j : this.comparison?.time_ms;
    if (at === undefined || column === undefined) {
      return undefined;
    }
    const [base, head] = [column.base[at] ?? 0, column.head[at] ?? 0];
    return {
      at, change: base === head ? 0 : base === 0 ? null : (head - base) / base,
      verdict: verdicts[column.verdict[at] ?? '?'] ?? 'undecided', p: column.p[at] ?? -1, low: column.low[at] ?? 0, high: column.high[at] ?? 0,
      reason: this.comparison?.reasons[column.reason[at] ?? -1] ?? '',
    };
  }

  /** Whether a component's name, package or file contains every typed part. */
  matches(i: number, typed: string[]): boolean {
    if (typed.length === 0) {
      return true;
    }
    this.words ??= this.report.components.name.map((_, k) => `${this.id(k)} ${this.file(k)}`.toLowerCase());
    const words = this.words[i] ?? '';
    return typed.every((part) => words.includes(part));
  }
}
