import { verdictMark } from './columns';
import type { Amount, Change, Comparison, Quantity } from './data';
import { bar, el, table, zoneMark, type Child } from './dom';
import { change, count, duration, plural, probability, quantity } from './format';
import { link } from './host';
import type { Run } from './run';

/** The comparison with another run; its verdict and what it depends on are on the first screen. */
export function comparison(run: Run, c: Comparison, host: HTMLElement): void {
  const list = (items: string[] | null) => items === null || items.length === 0 ? undefined : el('ul', { class: 'caution' }, ...items.map((item) => el('li', {}, item)));
  host.append(...[
    el('p', { class: 'note' }, `BASE is the run ${c.base.id}${c.base.started === '' ? '' : ` of ${c.base.started}`}${c.base.revision === '' ? '' : `, revision ${c.base.revision}`}; HEAD is this one. ${plural(c.pairs, 'pair')} of rounds, level ${c.level}. Only significant changes are called better or worse.`),
    list(c.warnings), totals(run, c), changedComponents(run, c), changedTests(run, c), removed(run, c),
  ].filter((node) => node !== undefined));
}

function totals(run: Run, c: Comparison): HTMLElement {
  const { total } = c, rows: Child[][] = [];
  if (c.energy) {
    rows.push(quantityRow(`${run.est}energy`, total.energy_j, (v) => quantity(v, 'J')));
  }
  rows.push(quantityRow('running time', total.time_ms, duration), ['executions', count(total.n.base), count(total.n.head), change(total.n.change), '', '', '']);
  return el('div', {}, table('In total, per round', ['of the whole', '#BASE', '#HEAD', '#change', '95 % interval', '#p', 'verdict'], rows), ratios(total, c.energy));
}

function ratios(total: Change, energy: boolean): HTMLElement {
  const text = (v: number | null) => v === null ? 'not defined' : v.toFixed(2);
  const rows: Child[][] = [['speedup', text(total.speedup), 'time of BASE / time of HEAD']];
  if (energy) {
    rows.unshift(['greenup', text(total.greenup), 'energy of BASE / energy of HEAD: above 1, HEAD uses less']);
    rows.push(['powerup', text(total.powerup), 'power of HEAD / power of BASE: below 1, HEAD draws less']);
  }
  return table('Ratios', ['ratio', '#value', 'meaning'], rows);
}

function quantityRow(name: Child, q: Quantity, text: (v: number) => string): Child[] {
  return [
    name, text(q.base), text(q.head), change(q.change), q.change_ci === undefined ? '' : `${change(q.change_ci[0])} to ${change(q.change_ci[1])}`,
    q.p_corrected === undefined ? '' : probability(q.p_corrected), verdict(q.verdict, q.reason ?? ''),
  ];
}

function verdict(name: string, reason: string): Node {
  return el('span', { class: name }, verdictMark(name, name === 'better' || name === 'worse' ? '' : name).replace('  ', ' '), reason === '' ? undefined : el('span', { class: 'note' }, ` (${reason})`));
}

const mostRows = 200;

/** The components by the size of their change, with a bar for each run. */
function changedComponents(run: Run, c: Comparison): HTMLElement {
  const column = c.energy ? c.energy_j : c.time_ms;
  const text = (v: number) => c.energy ? quantity(v, 'J') : duration(v);
  const shown = c.of.slice(0, mostRows);
  const largest = Math.max(1e-300, ...shown.map((_, k) => Math.max(column.base[k] ?? 0, column.head[k] ?? 0)));
  const more = c.of.length - shown.length;
  const rows = shown.map((i, k) => {
    const changed = run.changed(i), [base, head] = [column.base[k] ?? 0, column.head[k] ?? 0];
    const n: Amount = { base: c.base_n[k] ?? 0, head: c.head_n[k] ?? 0, change: null };
    const zones = c.base_zone[k] === run.zone(i) ? [zoneMark(run.zone(i))] : [zoneMark(c.base_zone[k] ?? '-'), ' → ', zoneMark(run.zone(i))];
    return [
      el('span', {}, ...zones, ' ', link(run.place(i), run.name(i))),
      el('span', { class: 'pair' }, bar(base / largest, `BASE ${text(base)}`, 'hollow'), bar(head / largest, `HEAD ${text(head)}`)),
      change(changed?.change ?? null), changed === undefined || changed.p < 0 ? '' : probability(changed.p),
      verdict(changed?.verdict ?? 'undecided', changed?.reason ?? ''), `${count(n.base)} → ${count(n.head)}`, c.notes[String(i)] ?? '',
    ];
  });
  return el('div', { class: 'wide' }, table(`Components, the largest change first${more > 0 ? `; ${plural(more, 'more component')}: the ranking has a column for all` : ''}`,
    [run.report.kind, `${c.energy ? `${run.est}energy` : 'running time'} before and after`, '#change', '#p', 'verdict', '#executions', 'note'], rows));
}

function changedTests(run: Run, c: Comparison): HTMLElement | undefined {
  const tests = c.tests ?? [];
  if (tests.length === 0) {
    return undefined;
  }
  const rows = tests.slice(0, mostRows).map((test) => c.energy ? quantityRow(test.name, test.energy_j, (v) => quantity(v, 'J')) : quantityRow(test.name, test.time_ms, duration));
  return el('div', { class: 'wide' }, table(`Tests, ${c.energy ? `${run.est}energy` : 'running time'}${tests.length > mostRows ? `, the first ${mostRows}` : ''}`, ['test', '#BASE', '#HEAD', '#change', '95 % interval', '#p', 'verdict'], rows));
}

function removed(run: Run, c: Comparison): HTMLElement | undefined {
  const added = c.added === 0 ? undefined : el('p', {}, `${plural(c.added, 'component')} of HEAD ${c.added === 1 ? 'is' : 'are'} not in BASE.`);
  if (c.removed.length === 0) {
    return added;
  }
  return el('div', {}, added, table('In BASE only', [run.report.kind, 'place', `#${run.est}energy`, '#time', '#executions'],
    c.removed.slice(0, mostRows).map((gone) => [gone.id, gone.line > 0 ? `${gone.file}:${gone.line}` : gone.file, quantity(gone.energy_j, 'J'), duration(gone.time_ms), count(gone.n)])));
}
