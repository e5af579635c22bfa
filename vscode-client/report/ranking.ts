import { columns, open, power, verdictMark, type Column } from './columns';
import { bar, choice, el, search, statusLine, zoneName } from './dom';
import { change, count, duration, percent, plural, probability, quantity, similarity } from './format';
import { link } from './host';
import { rows, totalOf, type Grouping, type Order, type Row } from './order';
import type { Run } from './run';
import { Scroller } from './scroller';

/** The ranking: a grid that sorts, filters and groups. */
export class Ranking {
  private readonly columns: Column[];
  private readonly order: Order;
  private rows: Row[] = [];
  private readonly heads = new Map<string, HTMLElement>();
  private readonly frame: HTMLElement;
  private readonly scroller: Scroller;
  private readonly status = statusLine();
  private readonly details = el('div', { class: 'details', 'aria-live': 'polite' });

  constructor(private readonly run: Run, host: HTMLElement) {
    this.columns = columns(run);
    const [rank] = this.columns;
    const first = this.columns.find((column) => column.id === run.report.sort || column.id === `e-${run.report.sort}`) ?? rank;
    if (first === undefined) {
      throw new Error('the ranking has no columns');
    }
    const byRank = (run.report.sort === '' || run.report.sort === run.report.criterion) && rank !== undefined;
    this.order = { column: byRank ? rank : first, descending: byRank ? false : first.descending, typed: [], zones: 'RYG-', group: 'none', closed: new Set() };
    this.frame = el('div', {
      class: 'grid', role: 'grid', 'aria-label': 'Ranking. Arrow keys move, Enter opens, the buttons of the heads sort.', 'aria-colcount': String(this.columns.length),
    }, this.head());
    this.frame.style.setProperty('--columns', this.columns.map((column) => column.width).join(' '));
    host.append(this.controls(), this.status, this.frame, this.details);
    this.scroller = new Scroller(this.frame, (row) => this.row(row), (row, key) => { this.chosen(row, key); });
    this.update();
  }

  private controls(): HTMLElement {
    const zones: [string, string][] = [['RYG-', 'all zones'], ['R', 'R red'], ['Y', 'Y yellow'], ['G', 'G green'], ['RY', 'red and yellow']];
    const groups: [Grouping, string][] = [['none', 'not grouped'], ['package', 'package'], ['file', 'file'], ['zone', 'zone']];
    return el('div', { class: 'controls' },
      search('Filter', (typed) => { this.order.typed = typed; this.update(); }),
      choice('Zone', zones, (value) => { this.order.zones = value; this.update(); }),
      choice('Group by', groups, (value) => { this.order.group = value; this.order.closed.clear(); this.update(); }));
  }

  private head(): HTMLElement {
    const cells = this.columns.map((column) => {
      const press = el('button', { type: 'button', title: column.title }, column.head);
      press.addEventListener('click', () => { this.sortBy(column); });
      const cell = el('div', { role: 'columnheader', class: column.number ? 'number' : '' }, press);
      this.heads.set(column.id, cell);
      return cell;
    });
    return el('div', { class: 'heads', role: 'rowgroup' }, el('div', { class: 'row head', role: 'row', 'aria-rowindex': '1' }, ...cells));
  }

  private sortBy(column: Column): void {
    this.order.descending = this.order.column === column ? !this.order.descending : column.descending;
    this.order.column = column;
    this.update();
  }

  private update(fromFirst = true): void {
    this.rows = rows(this.run, this.order);
    for (const [id, head] of this.heads) {
      const sorted = id === this.order.column.id ? (this.order.descending ? 'descending' : 'ascending') : 'none';
      head.setAttribute('aria-sort', sorted);
    }
    const shown = this.rows.reduce((n, row) => 'component' in row ? n + 1 : n, 0);
    const closed = this.order.closed.size > 0 ? ', some groups are closed' : '';
    this.status.textContent = `${plural(shown, this.run.report.kind)} of ${count(this.run.size)} shown${closed}, sorted by ${this.order.column.head}, ${this.order.descending ? 'highest' : 'lowest'} first.`;
    this.frame.setAttribute('aria-rowcount', String(this.rows.length + 1));
    this.scroller.reset(this.rows.length, fromFirst);
  }

  private row(at: number): HTMLElement {
    const row = this.rows[at];
    const cells = this.columns.map((column) => {
      const content = row === undefined ? '' : 'component' in row ? column.cell(row.component) : this.groupCell(row, column);
      return el('div', { role: 'gridcell', class: column.number ? 'number' : '' }, content);
    });
    const group = row !== undefined && 'group' in row;
    const node = el('div', { class: group ? 'row group' : 'row', role: 'row' }, ...cells);
    if (group) {
      node.setAttribute('aria-expanded', String(!this.order.closed.has(row.group.name)));
    }
    return node;
  }

  private groupCell({ group }: { group: { name: string; members: number[] } }, column: Column): string | Node {
    if (column.id === 'name') {
      return el('span', { title: group.name }, `${this.order.closed.has(group.name) ? '▸' : '▾'} ${group.name} (${group.members.length})`);
    }
    return column.adds === undefined ? '' : column.adds(totalOf(group, column));
  }

  private chosen(at: number, key?: string): void {
    const row = this.rows[at];
    if (row === undefined) {
      return;
    }
    if ('component' in row) {
      if (key !== 'ArrowLeft' && key !== 'ArrowRight') {
        this.details.replaceChildren(details(this.run, row.component));
        open(this.run, row.component);
      }
      return;
    }
    const { closed } = this.order, { name } = row.group;
    const close = key === 'ArrowLeft' || (key !== 'ArrowRight' && !closed.has(name));
    if (close) {
      closed.add(name);
    } else {
      closed.delete(name);
    }
    this.update(false);
  }
}

/** Everything that the page knows about one component. */
function details(run: Run, i: number): HTMLElement {
  const facts: [string, string | Node][] = [
    ['rank', `${i + 1}, zone ${zoneName(run.zone(i))}${run.tied(i) ? ', tied with a neighbour' : ''}${run.below(i) ? ', below resolution' : ''}`],
    ['psi', psi(run, i)],
    ['place', link(run.place(i), run.where(i) === '' ? 'not known' : run.where(i))],
    ['time', bar(share(run.ms(i), run.allMS), `${duration(run.ms(i))}, ${percent(share(run.ms(i), run.allMS))}${cumulative(run, i, 'ms')}`)],
    ['executions', bar(share(run.n(i), run.allN), `${count(run.n(i))}, ${percent(share(run.n(i), run.allN))}`)],
  ];
  if (run.energy) {
    facts.push([`${run.est}energy`, bar(share(run.j(i), run.allJoules), `${quantity(run.j(i), 'J')}, ${percent(share(run.j(i), run.allJoules))}; ${quantity(run.epi(i), 'J')} per invocation${cumulative(run, i, 'J')}`)]);
  }
  const watts = power(run, i);
  if (watts !== '') {
    facts.push(['power', watts]);
  }
  const inSource = structure(run, i);
  if (inSource !== '') {
    facts.push(['structure', inSource]);
  }
  for (const { sentence, series } of run.report.growths?.filter(({ component }) => component === i) ?? []) {
    facts.push(['growth', `${sentence}${series === undefined ? '' : `, in ${series}`}`]);
  }
  const c = run.changed(i);
  if (c !== undefined) {
    const interval = c.low === 0 && c.high === 0 ? '' : ` (95 % interval ${change(c.low)} to ${change(c.high)})`;
    const why = [c.p < 0 ? '' : `p ${probability(c.p)}`, c.reason, run.comparison?.notes[String(i)] ?? ''].filter((part) => part !== '').join('; ');
    facts.push(['since BASE', `${verdictMark(c.verdict, change(c.change))}${interval}: ${c.verdict}${why === '' ? '' : `; ${why}`}`]);
  }
  return el('section', { 'aria-label': 'Details' }, el('h3', {}, run.id(i)),
    el('p', {}, run.report.components.explanations[i] ?? ''),
    el('dl', {}, ...facts.flatMap(([label, value]) => [el('dt', {}, label), el('dd', {}, value)])));
}

/** The size and coupling of a function in its source; '' if unknown. */
function structure(run: Run, i: number): string {
  const s = run.report.components.structure;
  const complexity = s?.complexity[i] ?? 0;
  return s === undefined || complexity === 0 ? ''
    : `complexity ${count(complexity)}, ${plural(s.lines_of_code[i] ?? 0, 'line')} of code, fan-in ${count(s.fan_in[i] ?? 0)}, fan-out ${count(s.fan_out[i] ?? 0)}`;
}

function share(part: number, whole: number): number { return whole === 0 ? 0 : part / whole; }

function psi(run: Run, i: number): string {
  const spread = run.spread(i);
  return spread === undefined ? similarity(run.psi(i)) : `${similarity(run.psi(i))} ± ${similarity(spread)} (95 % interval)`;
}

function cumulative(run: Run, i: number, unit: 'ms' | 'J'): string {
  const c = run.report.components;
  const v = (unit === 'ms' ? c.cum_time_ms : c.cum_energy_j)[i] ?? 0;
  return v === 0 || run.report.inclusive === true ? '' : `; with what it calls ${unit === 'ms' ? duration(v) : quantity(v, 'J')}`;
}
