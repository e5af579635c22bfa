import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Growth } from './data';
import { choice, collapsed, el, statusLine, table } from './dom';
import { count, duration, quantity } from './format';
import type { Run } from './run';
import { font } from './surface';
import { color, onTheme } from './theme';

const height = 320;
// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- uPlot has this enumeration in its types alone
const logarithmic: uPlot.Scale.Distr = 3;

/** How costs grow with the size of the input: one growth at a time, on logarithmic axes. */
export class Growths {
  private chart: uPlot | undefined;
  private active = -1;
  private growth: Growth;
  private readonly sentence = el('p', {});
  private readonly frame = el('div', { class: 'growth', tabindex: '0', role: 'application' });
  private readonly status = statusLine();
  private readonly below = el('div');

  constructor(private readonly run: Run, list: [Growth, ...Growth[]], host: HTMLElement) {
    this.growth = list[0];
    const names = list.map((growth, i): [string, string] => [String(i), this.name(growth)]);
    host.append(
      el('div', { class: 'controls' }, choice('Growth of', names, (value) => { this.show(list[Number(value)] ?? list[0]); })),
      this.sentence, this.frame, this.status,
      el('p', { class: 'note' }, 'Points are measured, with their 95 % intervals. The line is the formula, dashed beyond the sizes that were measured; the area about it is where a measurement would be in 95 of 100 cases.'),
      this.below);
    this.frame.addEventListener('keydown', (event) => { this.key(event); });
    onTheme(() => { this.plot(); });
    new ResizeObserver(() => { this.chart?.setSize({ width: this.frame.clientWidth, height }); }).observe(this.frame);
    this.show(this.growth);
  }

  private name({ subject, component, series }: Growth): string {
    const of = component < 0 ? series ?? subject : this.run.name(component);
    return component < 0 || series === undefined ? of : `${of} in ${series}`;
  }

  private show(growth: Growth): void {
    this.growth = growth;
    this.active = -1;
    this.status.textContent = '';
    this.sentence.textContent = `${this.name(growth)} ${growth.sentence}.`;
    this.frame.setAttribute('aria-label', `${this.name(growth)} ${growth.sentence}. Left and right go from size to size, which is read out.`);
    this.below.replaceChildren(collapsed('As a table', () => this.table()));
    this.plot();
  }

  private quantity(): string { return this.growth.unit === 'J' ? `${this.run.est}energy` : 'time'; }

  private cost(v: number): string { return this.growth.unit === 'J' ? quantity(v, 'J') : duration(v); }

  /** Sizes in ascending order, with a value or null at each: low and high end, formula, extrapolation, points. */
  private data(): [number[], ...(number | null)[][]] {
    const { sizes, costs, curve } = this.growth;
    const x = [...new Set([...sizes, ...curve.sizes])].sort((a, b) => a - b);
    const at = (from: number[], values: number[]) => {
      const known = new Map(from.map((size, i) => [size, values[i] ?? 0]));
      return x.map((size) => positive(known.get(size)));
    };
    const seen = curve.extrapolated;
    return [x, at(curve.sizes, curve.low), at(curve.sizes, curve.high),
      at(curve.sizes.slice(0, seen), curve.costs), at(curve.sizes.slice(seen - 1), curve.costs.slice(seen - 1)), at(sizes, costs)];
  }

  private plot(): void {
    this.chart?.destroy();
    if (document.createElement('canvas').getContext('2d') === null) {
      return;
    }
    const axis = { stroke: color('foreground'), grid: { stroke: color('grid'), width: 1 }, ticks: { stroke: color('grid'), width: 1 }, font: font(12), labelFont: font(12), splits: decades, filter: (_: uPlot, marks: number[]) => marks };
    const drawn = [...this.growth.costs, ...this.growth.curve.costs].filter((v) => v > 0);
    const hidden = { stroke: 'transparent', points: { show: false }, spanGaps: true };
    const line = { stroke: color('accent'), width: 2, points: { show: false }, spanGaps: true };
    this.chart = new uPlot({
      width: Math.max(200, this.frame.clientWidth), height, legend: { show: false }, cursor: { y: false, drag: { x: false } },
      scales: { x: { time: false, distr: logarithmic, range: (_, min, max) => [min / 1.2, max * 1.2] }, y: { distr: logarithmic, range: [Math.min(...drawn) / 2, Math.max(...drawn) * 2] } },
      axes: [
        { ...axis, label: this.growth.size, values: (_, ticks) => ticks.map(count) },
        { ...axis, label: `${this.quantity()} of one ${this.growth.series === undefined ? 'call' : 'operation'}`, size: 80, values: (_, ticks) => ticks.map((v) => this.cost(v)) },
      ],
      series: [{}, hidden, hidden, line, { ...line, dash: [6, 6] }, { stroke: color('foreground'), width: 0, paths: () => null, points: { show: true, size: 8, fill: color('foreground') } }],
      bands: [{ series: [2, 1], fill: color('accent-soft') }],
      hooks: { draw: [(u) => { this.intervals(u); }], setCursor: [(u) => { this.pointed(u); }] },
    }, this.data(), this.frame);
    this.chart.root.querySelector('canvas')?.setAttribute('aria-hidden', 'true');
  }

  /** The intervals of the points, as bars. */
  private intervals(u: uPlot): void {
    const { ctx: g } = u, { sizes, low, high } = this.growth;
    const bottom = u.scales['y']?.min ?? 0;
    g.fillStyle = color('foreground');
    sizes.forEach((size, i) => {
      const top = u.valToPos(high[i] ?? 0, 'y', true), end = u.valToPos(Math.max(low[i] ?? 0, bottom), 'y', true);
      g.fillRect(u.valToPos(size, 'x', true) - uPlot.pxRatio / 2, top, uPlot.pxRatio, end - top);
    });
  }

  private pointed(u: uPlot): void {
    const left = u.cursor.left ?? -1;
    if (left >= 0) {
      const at = u.posToVal(left, 'x'), far = (size: number) => Math.abs(Math.log(size / at));
      this.tell(this.growth.sizes.reduce((best, size, i, all) => far(size) < far(all[best] ?? 1) ? i : best, 0));
    }
  }

  private tell(i: number): void {
    const { size, sizes, costs, low, high } = this.growth;
    if (i !== this.active) {
      this.active = i;
      this.status.textContent = `${size} ${count(sizes[i] ?? 0)}: ${this.cost(costs[i] ?? 0)}${interval(low[i], high[i], (v) => this.cost(v))}`;
    }
  }

  private key(event: KeyboardEvent): void {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (move !== undefined) {
      this.tell(Math.max(0, Math.min(this.growth.sizes.length - 1, this.active + move)));
      this.chart?.setCursor({ left: this.chart.valToPos(this.growth.sizes[this.active] ?? 1, 'x'), top: height / 2 }, false);
      event.preventDefault();
    }
  }

  private table(): HTMLElement {
    const { size, sizes, costs, low, high } = this.growth;
    return table(`${this.name(this.growth)}, by ${size}`, [size, `#${this.quantity()}`, '#95 % interval'], sizes.map((n, i) =>
      [count(n), this.cost(costs[i] ?? 0), interval(low[i], high[i], (v) => this.cost(v), ['', ''])]));
  }
}

/** An interval in words; '' where it is not known. */
function interval(low = 0, high = 0, text: (v: number) => string, around = [' (', ')']): string {
  return low === high ? '' : `${around[0] ?? ''}${text(low)} to ${text(high)}${around[1] ?? ''}`;
}

/** The marks of a logarithmic axis: powers of ten, with 2 and 5 between them where there are few. */
function decades(_: uPlot, __: number, min: number, max: number): number[] {
  const marks: number[] = [], steps = max / min < 1000 ? [1, 2, 5] : [1];
  for (let power = Math.floor(Math.log10(min)); power <= Math.log10(max); power++) {
    marks.push(...steps.map((step) => step * 10 ** power).filter((v) => v >= min && v <= max));
  }
  return marks;
}

/** What a logarithmic axis can show. */
function positive(v?: number): number | null { return v === undefined || v <= 0 ? null : v; }
