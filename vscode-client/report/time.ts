import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { choice, collapsed, el, statusLine, table } from './dom';
import { duration, percent, quantity, upper } from './format';
import type { Run } from './run';
import { stepAt, steps, type Step } from './steps';
import { fitted, font } from './surface';
import { color, onTheme } from './theme';

type Measure = 'power' | 'energy';

const height = 280;

/** Energy over time: the tests of all rounds one after the other. */
export class Timeline {
  private readonly steps: Step[];
  private measure: Measure = 'power';
  private chart: uPlot | undefined;
  private active = -1;
  private readonly frame = el('div', { class: 'time' });
  private readonly status = statusLine();

  constructor(private readonly run: Run, host: HTMLElement) {
    this.steps = steps(run.report);
    if (!run.energy || this.steps.length === 0) {
      host.append(el('p', {}, run.energy ? `No ${run.row} took any time.` : 'No energy is known.'), this.table());
      return;
    }
    host.append(
      el('div', { class: 'controls' }, choice('Height is', [['power', `${run.est}average power in W`], ['energy', `${run.est}energy so far in J`]], (value: Measure) => { this.measure = value; this.plot(); })),
      el('p', { class: 'note' }, `Each step is a ${run.row} in a round; where the rounds of a ${run.row} are not known, its mean. ${upper(run.row)}s stand in the order of the record, without the pauses between them${run.report.seed === undefined ? '' : `; they ran in an order that was shuffled with the seed ${run.report.seed}`}. Drag to zoom, double-click to zoom out.`),
      this.frame, this.status, collapsed('As a table', () => this.table()));
    this.frame.tabIndex = 0;
    this.frame.setAttribute('role', 'application');
    this.frame.setAttribute('aria-label', `Energy over time. Left and right go from ${run.row} to ${run.row}, which is read out; plus and minus zoom, 0 shows all.`);
    this.frame.addEventListener('keydown', (event) => { this.key(event); });
    onTheme(() => { this.plot(); });
    new ResizeObserver(() => { this.chart?.setSize({ width: this.frame.clientWidth, height }); }).observe(this.frame);
    this.plot();
  }

  private data(): [number[], number[]] {
    const x: number[] = [], y: number[] = [];
    let total = 0;
    for (const step of this.steps) {
      x.push(step.start / 1000);
      y.push(this.measure === 'power' ? step.joules / (step.ms / 1000) : total);
      total += step.joules;
    }
    const last = this.steps.at(-1);
    if (last !== undefined) {
      x.push((last.start + last.ms) / 1000);
      y.push(this.measure === 'power' ? y.at(-1) ?? 0 : total);
    }
    return [x, y];
  }

  private plot(): void {
    this.chart?.destroy();
    if (document.createElement('canvas').getContext('2d') === null) {
      return;
    }
    const axis = { stroke: color('foreground'), grid: { stroke: color('grid'), width: 1 }, ticks: { stroke: color('grid'), width: 1 }, font: font(12), labelFont: font(12) };
    const unit = this.measure === 'power' ? 'W' : 'J';
    const path = this.measure === 'power' ? uPlot.paths.stepped?.({ align: 1 }) : uPlot.paths.linear?.();
    this.chart = new uPlot({
      width: Math.max(200, this.frame.clientWidth), height, legend: { show: false }, scales: { x: { time: false }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.12 : 1] } },
      axes: [
        { ...axis, label: `running time of the ${this.run.row}s, s` },
        { ...axis, label: `${this.run.est}${this.measure}, ${unit}`, size: 70, values: (_, ticks) => ticks.map((v) => quantity(v, unit)) },
      ],
      series: [{}, { stroke: color('accent'), fill: color('accent-soft'), width: 2, points: { show: false }, ...path === undefined ? {} : { paths: path } }],
      cursor: { y: false },
      hooks: { drawClear: [(u) => { this.marks(u); }], setCursor: [(u) => { this.pointed(u); }] },
    }, this.data(), this.frame);
    this.chart.root.querySelector('canvas')?.setAttribute('aria-hidden', 'true');
  }

  /** Rounds are marked by lines, tests by shades and, where they fit, their names. */
  private marks(u: uPlot): void {
    const { ctx: g, bbox } = u, ratio = uPlot.pxRatio;
    g.save();
    g.beginPath();
    g.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    g.clip();
    g.font = font(11 * ratio);
    g.textBaseline = 'top';
    g.textAlign = 'left';
    const x = (ms: number) => u.valToPos(ms / 1000, 'x', true);
    const first = Math.max(0, stepAt(this.steps, (u.scales['x']?.min ?? 0) * 1000));
    for (let i = first; i < this.steps.length; i++) {
      const step = this.steps[i];
      if (step === undefined || x(step.start) > bbox.left + bbox.width) {
        break;
      }
      const from = x(step.start), width = x(step.start + step.ms) - from;
      if (i % 2 === 1 && width >= 2) {
        g.fillStyle = color('stripe');
        g.fillRect(from, bbox.top, width, bbox.height);
      }
      g.fillStyle = color('foreground');
      g.fillText(width < 48 * ratio ? '' : fitted(g, step.test, width - 6 * ratio), from + 3 * ratio, bbox.top + 3 * ratio);
      if (step.round !== this.steps[i - 1]?.round && i > 0) {
        g.fillRect(from, bbox.top, ratio, bbox.height);
      }
    }
    g.restore();
  }

  private pointed(u: uPlot): void {
    const left = u.cursor.left ?? -1;
    if (left >= 0) {
      this.tell(stepAt(this.steps, u.posToVal(left, 'x') * 1000));
    }
  }

  private tell(i: number): void {
    const step = this.steps[i];
    if (step !== undefined && i !== this.active) {
      this.active = i;
      this.status.textContent = `Round ${step.round}, ${step.test}: ${this.run.est}${quantity(step.joules, 'J')} in ${duration(step.ms)}, ${quantity(step.joules / (step.ms / 1000), 'W')}`;
    }
  }

  private key(event: KeyboardEvent): void {
    const u = this.chart;
    if (u === undefined) {
      return;
    }
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const zoom = { '+': 0.5, '-': 2, '0': Infinity }[event.key];
    if (move !== undefined) {
      this.tell(Math.max(0, Math.min(this.steps.length - 1, this.active + move)));
    } else if (zoom === undefined) {
      return;
    }
    const step = this.steps[Math.max(0, this.active)], last = this.steps.at(-1);
    if (step !== undefined && last !== undefined) {
      const middle = (step.start + step.ms / 2) / 1000, end = (last.start + last.ms) / 1000;
      const half = ((u.scales['x']?.max ?? end) - (u.scales['x']?.min ?? 0)) / 2 * (zoom ?? 1);
      if (zoom !== undefined || middle < (u.scales['x']?.min ?? 0) || middle > (u.scales['x']?.max ?? end)) {
        u.setScale('x', { min: Math.max(0, middle - half), max: Math.min(end, middle + half) });
      }
      u.setCursor({ left: u.valToPos(middle, 'x'), top: height / 2 }, false);
    }
    event.preventDefault();
  }

  private table(): HTMLElement {
    const { tests } = this.run.report, { est } = this.run;
    const order = tests.name.map((_, i) => i).sort((a, b) => (tests.energy_j[b] ?? 0) - (tests.energy_j[a] ?? 0) || (tests.time_ms[b] ?? 0) - (tests.time_ms[a] ?? 0));
    return table(`${upper(this.run.row)}s, per round${order.length > 500 ? ': the 500 costliest' : ''}`, [this.run.row, 'outcome', `#${est}energy`, '#not attributed', '#time', `#${est}power`], order.slice(0, 500).map((i) => {
      const joules = tests.energy_j[i] ?? 0, ms = tests.time_ms[i] ?? 0;
      return [
        tests.name[i] ?? '', `${tests.outcome[i] ?? ''}${(tests.exit_code?.[i] ?? 0) === 0 ? '' : `, exit code ${tests.exit_code?.[i] ?? ''}`}${tests.below[i] === true ? ' ~' : ''}${tests.counts[i] === true ? '' : ', not in the analysis'}`,
        quantity(joules, 'J'), percent(joules === 0 ? 0 : (tests.unattributed_j[i] ?? 0) / joules), duration(ms), ms === 0 ? '' : quantity(joules / (ms / 1000), 'W'),
      ];
    }));
  }
}
