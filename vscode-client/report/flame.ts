import { button, choice, collapsed, el, search, statusLine, table } from './dom';
import { deepest, Layout, smallCalls, unknownCallers } from './flamelayout';
import { count, duration, percent, quantity } from './format';
import { link, reveal } from './host';
import type { Run } from './run';
import { fitted, font, Surface } from './surface';
import { color } from './theme';
import { noTip, tip } from './tip';

type Measure = 'energy' | 'time' | 'calls';

const rowHeight = 20;

/** How the energy of a node is known, by its number in the tree. */
const howNames = ['', 'fitted', 'by time: no difference shown', 'by time: callers change too fast to tell', 'by time: too few samples'];
const fittedHow = 1;

/** The flame graph: a frame is as wide as its call used, callees included. Callers stand above. */
export class Flame {
  private layout: Layout;
  private measure: Measure;
  private zoom = -1; // the node that has the whole width; -1: all
  private active = -1;
  private typed: string[] = [];
  private readonly colors = new Map<string, string>();
  private readonly surface: Surface;
  private readonly status = statusLine();
  private readonly chosen = el('p', { class: 'chosen' });
  private readonly frame = el('div', { class: 'flame' });

  constructor(private readonly run: Run, host: HTMLElement) {
    this.measure = run.energy ? 'energy' : 'time';
    this.layout = this.newLayout();
    host.append(this.controls(), this.frame, this.chosen, this.status, el('p', { class: 'note' }, this.note()), collapsed('As a table', () => this.table()));
    this.surface = new Surface(this.frame, () => (this.layout.rows + 1) * rowHeight, (g, width) => { this.draw(g, width); });
    const { canvas } = this.surface;
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'application');
    canvas.setAttribute('aria-label', `Flame graph of ${this.unit()}. Down goes to the costliest callee, up to the caller, left and right to its neighbours, Enter zooms in, Escape out, O opens the place.`);
    canvas.addEventListener('mousemove', (event) => { this.hover(event); });
    canvas.addEventListener('mouseleave', noTip);
    canvas.addEventListener('click', (event) => { this.active = this.hit(event); this.zoomTo(this.active); });
    canvas.addEventListener('keydown', (event) => { this.key(event); });
  }

  private controls(): HTMLElement {
    const all: [Measure, string][] = [['energy', `${this.run.est}energy in joules`], ['time', 'running time'], ['calls', 'executions']];
    return el('div', { class: 'controls' },
      choice('Width is', all.filter(([value]) => value !== 'energy' || this.run.energy), (value) => { this.measure = value; this.layout = this.newLayout(); this.zoomTo(-1); }),
      search('Search', (typed) => { this.typed = typed; this.tellMatches(); this.surface.redraw(); }),
      button('Zoom out', () => { this.zoomTo(-1); }));
  }

  private newLayout(): Layout {
    const { tree } = this.run.report;
    return new Layout(tree, { energy: tree.energy_j, time: tree.time_ms, calls: tree.n }[this.measure]);
  }

  private unit(): string { return { energy: `${this.run.est}energy`, time: 'running time', calls: 'executions' }[this.measure]; }

  private text(v: number): string {
    return { energy: () => quantity(v, 'J'), time: () => duration(v), calls: () => count(v) }[this.measure]();
  }

  private note(): string {
    const fitted = this.run.report.tree.how?.includes(fittedHow) === true;
    return `Samples of the stack show who called whom; energy and executions of a component are divided among its callers in proportion to the time that it runs for each of them. `
      + (fitted ? 'Where the readings of the meter tell the power under each caller, energy follows that, too: such frames say fitted. ' : '')
      + `Per round, over the ranked tests. Energy that belongs to no component is left out.${this.layout.rows === deepest ? ` Deeper calls than ${deepest} are not drawn.` : ''}`;
  }

  private component(i: number): number { return this.layout.tree.component[i] ?? -1; }

  private name(i: number): string {
    if (i < 0) {
      return 'all components';
    }
    const component = this.component(i);
    if (component === smallCalls) {
      return 'small calls';
    }
    return component === unknownCallers ? 'callers not known' : this.run.name(component);
  }

  private value(i: number): number { return i < 0 ? this.layout.all : this.layout.value[i] ?? 0; }

  private describe(i: number): string[] {
    const all = this.layout.all, v = this.value(i), component = i < 0 ? -1 : this.component(i);
    const lines = [this.name(i), `${this.text(v)} of ${this.unit()} with what it calls, ${percent(all === 0 ? 0 : v / all)}`];
    if (component >= 0) {
      let own = v;
      for (let k = this.layout.child(i); k >= 0; k = this.layout.next[k] ?? -1) {
        own -= this.value(k);
      }
      lines.push(`own ${this.text(Math.max(0, own))}${this.how(i)}`, this.run.where(component));
    }
    return i >= 0 && this.layout.tree.cut.includes(i) ? [...lines, 'its caller is not known: the stack was too deep'] : lines;
  }

  /** How the own energy of a node is known. */
  private how(i: number): string {
    const { tree } = this.layout, how = howNames[tree.how?.[i] ?? 0] ?? '', ms = tree.time_ms[i] ?? 0;
    if (this.measure !== 'energy' || how === '' || ms === 0) {
      return '';
    }
    return ` (${how}, ${quantity((tree.energy_j[i] ?? 0) / ms * 1000, 'W')} under this caller)`;
  }

  /** The part of the width that a node has at the current zoom. */
  private span(i: number): [number, number] {
    if (i < 0) {
      return [0, 1];
    }
    const [a, b] = this.zoom < 0 ? [0, 1] : [this.layout.from[this.zoom] ?? 0, this.layout.to[this.zoom] ?? 1];
    const scale = (v: number) => b > a ? Math.min(1, Math.max(0, (v - a) / (b - a))) : 0;
    return [scale(this.layout.from[i] ?? 0), scale(this.layout.to[i] ?? 0)];
  }

  private row(i: number): number { return i < 0 ? 0 : (this.layout.depth[i] ?? 0) + 1; }

  private draw(g: CanvasRenderingContext2D, width: number): void {
    g.font = font(12);
    g.textBaseline = 'middle';
    this.colors.clear();
    const open = [-1];
    for (let i = open.pop(); i !== undefined; i = open.pop()) {
      const [a, b] = this.span(i);
      if (b === a || this.row(i) > deepest) {
        continue;
      }
      this.box(g, i, a * width, (b - a) * width);
      if ((b - a) * width < 0.5) { // its callees would be too narrow to tell apart
        continue;
      }
      for (let k = this.layout.child(i); k >= 0; k = this.layout.next[k] ?? -1) {
        open.push(k);
      }
    }
    this.outline(g, width);
  }

  private box(g: CanvasRenderingContext2D, i: number, x: number, w: number): void {
    const y = this.row(i) * rowHeight, component = i < 0 ? -1 : this.component(i);
    const zone = component < 0 ? '-' : this.run.zone(component);
    const kind = { R: 'red', Y: 'yellow', G: 'green' }[zone] ?? 'plain';
    const dim = this.typed.length > 0 && !(component >= 0 && this.run.matches(component, this.typed));
    g.fillStyle = this.color(dim ? 'flame-dim' : `flame-${kind}`);
    g.fillRect(x, y, w, rowHeight - 1);
    if (w <= 3) {
      return;
    }
    g.strokeStyle = this.color(kind === 'plain' ? 'muted' : kind);
    g.lineWidth = 1;
    g.strokeRect(x + 0.5, y + 0.5, w - 1, rowHeight - 2);
    g.fillStyle = this.color('foreground');
    g.fillText(fitted(g, `${zone === '-' ? '' : `${zone} `}${this.name(i)}`, w - 8), x + 4, y + rowHeight / 2);
  }

  /** A colour, looked up once for each drawing. */
  private color(name: string): string {
    let found = this.colors.get(name);
    if (found === undefined) {
      found = color(name);
      this.colors.set(name, found);
    }
    return found;
  }

  private outline(g: CanvasRenderingContext2D, width: number): void {
    if (document.activeElement !== this.surface.canvas && this.active < 0) {
      return;
    }
    const [a, b] = this.span(this.active);
    g.strokeStyle = color('focus');
    g.lineWidth = 3;
    g.strokeRect(a * width + 1.5, this.row(this.active) * rowHeight + 1.5, Math.max(2, (b - a) * width - 3), rowHeight - 4);
  }

  private hit(event: MouseEvent): number {
    const at = this.surface.canvas.getBoundingClientRect();
    const x = (event.clientX - at.left) / at.width, row = Math.floor((event.clientY - at.top) / rowHeight);
    let found = -1;
    while (this.row(found) < row) {
      let k = this.layout.child(found);
      while (k >= 0 && !(this.span(k)[0] <= x && x < this.span(k)[1])) {
        k = this.layout.next[k] ?? -1;
      }
      if (k < 0) {
        return -2;
      }
      found = k;
    }
    return found;
  }

  private hover(event: MouseEvent): void {
    const i = this.hit(event);
    if (i < -1) {
      noTip();
    } else {
      tip(this.describe(i), event.clientX, event.clientY);
    }
  }

  private zoomTo(i: number): void {
    this.zoom = this.active = Math.max(-1, i);
    this.tell();
  }

  private tell(): void {
    const i = this.active, component = i < 0 ? -1 : this.component(i);
    this.status.textContent = this.describe(i).filter((line) => line !== '').join('; ');
    this.chosen.replaceChildren(...component < 0 ? [] : [link(this.run.place(component), this.run.where(component))]);
    this.surface.redraw();
  }

  private tellMatches(): void {
    const { tree, all } = this.layout;
    const found = tree.component.flatMap((c, i) => c >= 0 && this.typed.length > 0 && this.run.matches(c, this.typed) ? [i] : []);
    const inside = new Set(found);
    const outermost = found.filter((i) => { // a match below another one is included in it
      let k = this.layout.parent(i);
      while (k >= 0 && !inside.has(k)) {
        k = this.layout.parent(k);
      }
      return k < 0;
    });
    const v = outermost.reduce((whole, i) => whole + this.value(i), 0);
    this.status.textContent = this.typed.length === 0 ? '' : `${found.length} found; including what they call ${this.text(v)}, ${percent(all === 0 ? 0 : v / all)}`;
  }

  private key(event: KeyboardEvent): void {
    const moves: Record<string, () => number> = {
      ArrowDown: () => this.layout.child(this.active), ArrowUp: () => this.active < 0 ? -1 : this.layout.parent(this.active),
      ArrowRight: () => this.active < 0 ? -1 : this.layout.beside(this.active, true), ArrowLeft: () => this.active < 0 ? -1 : this.layout.beside(this.active, false),
    };
    const move = moves[event.key];
    if (move !== undefined) {
      const to = move();
      this.active = to >= 0 || event.key === 'ArrowUp' ? to : this.active;
      if (!this.layout.isBelow(this.active, this.zoom)) {
        this.zoom = this.active;
      }
      this.tell();
    } else if (event.key === 'Enter') {
      this.zoomTo(this.active);
    } else if (event.key === 'Escape') {
      this.zoomTo(-1);
    } else if (event.key === 'o' && this.active >= 0) {
      reveal(this.run.place(this.component(this.active)));
    } else {
      return;
    }
    event.preventDefault();
  }

  /** The nodes that used the most. */
  private table(): HTMLElement {
    const { tree } = this.layout;
    const order = tree.parent.map((_, i) => i).sort((a, b) => this.value(b) - this.value(a)).slice(0, 100);
    const path = (i: number): string => {
      const names: string[] = [];
      for (let k = this.layout.parent(i); k >= 0 && names.length < 5; k = this.layout.parent(k)) {
        names.push(this.name(k));
      }
      return names.length === 0 ? 'no component' : names.join(' ← ');
    };
    return table(`Calls that used the most ${this.unit()}, including what they call`, ['call', '#value', '#share', 'called by'],
      order.map((i) => [this.name(i), this.text(this.value(i)), percent(this.layout.all === 0 ? 0 : this.value(i) / this.layout.all), path(i)]));
  }
}
