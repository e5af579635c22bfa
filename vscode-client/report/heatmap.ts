import { choice, collapsed, el, statusLine, table } from './dom';
import { count, duration, quantity } from './format';
import { reveal } from './host';
import type { Run } from './run';
import { fitted, font, Surface } from './surface';
import { color, onTheme, ramp } from './theme';
import { noTip, tip } from './tip';

type Measure = 'energy' | 'time' | 'calls';

const rowHeight = 22, names = 220, top = 22;

/** The matrix of tests and components, for the first components; failed tests are in it too. */
export class HeatMap {
  private measure: Measure;
  private values = new Map<number, number>(); // by component x tests + test
  private low = 0;
  private high = 0;
  private row = 0;
  private column = 0;
  private readonly rows: number;
  private readonly tests: number[];
  private readonly place = new Map<number, number>(); // the column of a test
  private readonly frame = el('div', { class: 'heat' });
  private readonly sizer = el('div', { class: 'sizer' });
  private readonly surface: Surface;
  private readonly status = statusLine();
  private readonly legend = el('p', { class: 'legend' });
  private shades: string[] = [];

  constructor(private readonly run: Run, host: HTMLElement) {
    const { cells, tests } = run.report;
    this.rows = cells.components;
    this.measure = run.energy ? 'energy' : 'time';
    this.tests = tests.name.map((_, i) => i).filter((i) => tests.outcome[i] !== 'skip');
    this.tests.forEach((test, column) => this.place.set(test, column));
    host.append(this.controls(), this.legend, this.frame, this.status, collapsed('As a table', () => this.table()));
    const hold = el('div', { class: 'hold' });
    this.frame.append(hold, this.sizer);
    this.surface = new Surface(hold, () => top + this.rows * rowHeight, (g, width, height) => { this.draw(g, width, height); });
    this.listen();
    this.update();
    onTheme(() => { this.shades = []; });
  }

  private listen(): void {
    const { canvas } = this.surface;
    this.frame.tabIndex = 0;
    this.frame.setAttribute('role', 'application');
    this.frame.setAttribute('aria-label', `Heat map of ${this.rows} components and ${this.tests.length} ${this.run.row}s. Arrow keys go from cell to cell, and each cell is read out; Enter opens the component.`);
    this.frame.addEventListener('scroll', () => { this.surface.redraw(); });
    this.frame.addEventListener('keydown', (event) => { this.key(event); });
    canvas.addEventListener('mouseleave', noTip);
    canvas.addEventListener('mousemove', (event) => {
      const at = this.hit(event);
      if (at === undefined) {
        noTip();
      } else {
        tip(this.describe(...at), event.clientX, event.clientY);
      }
    });
    canvas.addEventListener('click', (event) => {
      const at = this.hit(event);
      if (at !== undefined) {
        [this.row, this.column] = at;
        this.tell();
      }
    });
  }

  private controls(): HTMLElement {
    const all: [Measure, string][] = [['energy', `${this.run.est}energy`], ['time', 'running time'], ['calls', 'executions']];
    return el('div', { class: 'controls' },
      choice('Colour is', all.filter(([value]) => value !== 'energy' || this.run.energy), (value) => { this.measure = value; this.update(); }));
  }

  private text(v: number): string {
    return { energy: () => this.run.est + quantity(v, 'J'), time: () => duration(v), calls: () => count(v) }[this.measure]();
  }

  private update(): void {
    const { cells } = this.run.report;
    const values = { energy: cells.energy_j, time: cells.time_ms, calls: cells.n }[this.measure];
    this.values = new Map();
    this.low = Infinity;
    this.high = 0;
    cells.component.forEach((component, k) => {
      const v = values[k] ?? 0, column = this.place.get(cells.test[k] ?? -1);
      if (column === undefined) {
        return;
      }
      this.values.set(component * this.tests.length + column, v);
      if (v > 0) {
        this.low = Math.min(this.low, v);
        this.high = Math.max(this.high, v);
      }
    });
    this.low = Math.max(Math.min(this.low, this.high), this.high / 1e6);
    const withCallees = this.run.report.inclusive === true && this.measure !== 'calls';
    this.legend.replaceChildren(`From ${this.text(this.low)} `, el('span', { class: 'gradient', 'aria-hidden': 'true' }), ` to ${this.text(this.high)}, on a logarithmic scale, per round${withCallees ? ', with what a component calls' : ''}. An empty cell: the ${this.run.row} did not run it.`);
    this.surface.redraw();
  }

  private get cell(): number {
    const room = this.frame.clientWidth - names;
    return Math.max(5, Math.min(160, room / Math.max(1, this.tests.length)));
  }

  private shade(v: number): string {
    if (this.shades.length === 0) {
      this.shades = ramp(['heat-0', 'heat-1', 'heat-2', 'heat-3', 'heat-4'].map(color), 32);
    }
    const share = v <= 0 ? 0 : this.high > this.low ? Math.log(Math.max(v, this.low) / this.low) / Math.log(this.high / this.low) : 1;
    return this.shades[Math.min(31, Math.floor(share * 32))] ?? '';
  }

  private draw(g: CanvasRenderingContext2D, width: number, height: number): void {
    const size = this.cell;
    this.sizer.style.width = `${names + size * this.tests.length}px`;
    const from = Math.floor(this.frame.scrollLeft / size), to = Math.min(this.tests.length, Math.ceil((this.frame.scrollLeft + width) / size) + 1);
    const x = (column: number) => names + column * size - this.frame.scrollLeft;
    g.font = font(12);
    g.textBaseline = 'middle';
    g.strokeStyle = color('grid');
    g.fillStyle = color('foreground');
    for (let column = from; column < to; column++) {
      g.fillText(fitted(g, this.test(column), size - 4), x(column) + 2, top / 2);
    }
    for (let row = 0; row < this.rows; row++) {
      for (let column = from; column < to; column++) {
        const v = this.values.get(row * this.tests.length + column);
        const gap = size > 8 ? 1 : 0;
        if (v !== undefined) {
          g.fillStyle = this.shade(v);
          g.fillRect(x(column), top + row * rowHeight, size - gap, rowHeight - 1);
        }
        if (gap > 0) {
          g.strokeRect(x(column) + 0.5, top + row * rowHeight + 0.5, size - 2, rowHeight - 2);
        }
      }
    }
    this.names(g, height);
    g.strokeStyle = color('focus');
    g.lineWidth = 3;
    if (x(this.column) >= names) {
      g.strokeRect(x(this.column) + 1, top + this.row * rowHeight + 1, size - 2, rowHeight - 3);
    }
  }

  private names(g: CanvasRenderingContext2D, height: number): void {
    g.fillStyle = color('background');
    g.fillRect(0, 0, names, height);
    g.fillStyle = color('foreground');
    for (let row = 0; row < this.rows; row++) {
      g.fillText(fitted(g, `${row + 1} ${this.run.zone(row)} ${this.run.name(row)}`, names - 10), 2, top + row * rowHeight + rowHeight / 2);
    }
  }

  private hit(event: MouseEvent): [number, number] | undefined {
    const at = this.surface.canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - at.top - top) / rowHeight);
    const column = Math.floor((event.clientX - at.left - names + this.frame.scrollLeft) / this.cell);
    return row < 0 || row >= this.rows || event.clientX - at.left < names || column >= this.tests.length ? undefined : [row, column];
  }

  /** The name of a column. Failed tests have a column, but are not ranked. */
  private test(column: number): string {
    const { name, counts } = this.run.report.tests, i = this.tests[column] ?? 0;
    return `${name[i] ?? ''}${counts[i] === true ? '' : ', not in the analysis'}`;
  }

  private describe(row: number, column: number): string[] {
    const v = this.values.get(row * this.tests.length + column);
    return [`${row + 1} ${this.run.name(row)}`, this.test(column), v === undefined ? 'not run' : this.text(v)];
  }

  private tell(): void {
    this.status.textContent = this.describe(this.row, this.column).join('; ');
    this.surface.redraw();
  }

  private key(event: KeyboardEvent): void {
    const moves: Record<string, [number, number]> = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };
    const move = moves[event.key];
    if (move !== undefined) {
      this.row = Math.max(0, Math.min(this.rows - 1, this.row + move[0]));
      this.column = Math.max(0, Math.min(this.tests.length - 1, this.column + move[1]));
      const left = this.column * this.cell, room = this.frame.clientWidth - names;
      this.frame.scrollLeft = Math.max(left + this.cell - room, Math.min(this.frame.scrollLeft, left));
      this.tell();
    } else if (event.key === 'Enter') {
      reveal(this.run.place(this.row));
    } else {
      return;
    }
    event.preventDefault();
  }

  /** The cells with the highest values. */
  private table(): HTMLElement {
    const cells = [...this.values].sort((a, b) => b[1] - a[1]).slice(0, 200);
    return table('The highest cells', ['component', this.run.row, '#value'], cells.map(([key, v]) => {
      const row = Math.floor(key / this.tests.length);
      return [this.run.name(row), this.test(key % this.tests.length), this.text(v)];
    }));
  }
}
