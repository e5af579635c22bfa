import { el, zoneMark, type Child } from './dom';
import { change, count, duration, percent, quantity, similarity } from './format';
import { reveal } from './host';
import type { Run } from './run';

/** A column of the ranking. */
export interface Column {
  id: string;
  head: string;
  title: string;
  /** The value that rows are sorted by; descending means the highest first. */
  key: (i: number) => number | string;
  descending: boolean;
  /** Writes the sum over a group; missing if values do not add up. */
  adds?: (v: number) => string;
  cell: (i: number) => Child;
  width: string;
  number: boolean;
}

const amount = { descending: true, number: true, width: '6.5rem' };

/** The columns that a run has values for. */
export function columns(run: Run): Column[] {
  const c = run.report.components;
  const list: Column[] = [
    { id: 'rank', head: '#', title: `Rank by ${run.report.criterion}`, key: (i) => i, descending: false, number: true, width: '4.5rem', cell: (i) => String(i + 1) },
    {
      id: 'zone', head: 'Zone', title: 'R red, Y yellow, G green; = tied with a neighbour, ~ below resolution',
      key: (i) => 'RYG-'.indexOf(run.zone(i)), descending: false, number: false, width: '4.2rem', cell: (i) => zoneCell(run, i),
    },
    {
      id: 'name', head: run.report.kind, title: `Sort by the name of the ${run.report.kind}`, key: (i) => run.name(i), descending: false,
      number: false, width: 'minmax(13rem, 1fr)', cell: (i) => el('span', { title: run.id(i) }, run.name(i)),
    },
    { ...amount, id: 'psi', head: 'psi', title: 'Global similarity, 0 to 1', key: (i) => run.psi(i), cell: (i) => similarity(run.psi(i)), adds: similarity, width: '4.8rem' },
  ];
  if (c.psi_low.length > 0) {
    list.push({ ...amount, id: 'spread', head: '±', title: 'Distance to the farther end of the 95 % interval of psi', key: (i) => run.spread(i) ?? -1, width: '4.8rem', cell: (i) => similarityOf(run.spread(i)) });
  }
  list.push(...shares(run), ...amounts(run), ...changes(run), {
    id: 'place', head: 'Place', title: 'File and line', key: (i) => `${run.file(i)}:${String(run.line(i)).padStart(9, '0')}`, descending: false,
    number: false, width: 'minmax(10rem, .6fr)', cell: (i) => el('span', { title: run.where(i) }, run.where(i)),
  });
  return list;
}

function similarityOf(v: number | undefined): string { return v === undefined ? '' : similarity(v); }

function zoneCell(run: Run, i: number): Node {
  return el('span', {}, zoneMark(run.zone(i)),
    run.tied(i) ? el('span', { title: 'tied: its interval overlaps the interval of a neighbour' }, ' =') : undefined,
    run.below(i) ? el('span', { title: 'below resolution' }, ' ~') : undefined);
}

/** The similarities: shares of the totals. */
function shares(run: Run): Column[] {
  const share = (id: string, head: string, title: string, value: (i: number) => number, all: number): Column => ({
    ...amount, id, head, title, width: head.length > 8 ? '7.6rem' : '5rem', key: value, cell: (i) => percent(all === 0 ? 0 : value(i) / all), adds: (v) => percent(all === 0 ? 0 : v / all),
  });
  const list = [
    share('phi-n', 'N share', 'Share of all executions', (i) => run.n(i), run.allN),
    share('phi-time', 'T share', 'Share of the running time', (i) => run.ms(i), run.allMS),
  ];
  return run.energy ? [share('energy', `${run.est}E share`, `Share of the ${run.est}energy of all components`, (i) => run.j(i), run.allJoules), ...list] : list;
}

/** Energy by domain, executions, time, and energy per invocation. */
function amounts(run: Run): Column[] {
  const list: Column[] = [];
  const joules = (v: number) => quantity(v, 'J');
  if (run.energy) {
    run.report.domains.forEach((domain, d) => {
      const column = run.report.components.energy_j[d] ?? [];
      list.push({ ...amount, id: `e-${domain}`, head: `${run.est}E ${domain}`, title: `${run.est}energy of ${domain}, per round`, key: (i) => column[i] ?? 0, cell: (i) => joules(column[i] ?? 0), adds: joules });
    });
    if (run.report.components.energy_low.length > 0) {
      list.push({
        ...amount, id: 'e-spread', head: 'E ±', title: 'Half of the 95 % interval of the energy, as a share of it; unknown for components that also ran in failed tests', width: '4.8rem', key: (i) => run.energySpread(i) ?? -1,
        cell: (i) => { const v = run.energySpread(i); return v === undefined ? '' : v < 0.005 ? '<1 %' : `${Math.min(999, 100 * v).toFixed(0)} %`; },
      });
    }
  }
  list.push(
    { ...amount, id: 'n', head: 'N', title: 'Executions per round', key: (i) => run.n(i), cell: (i) => count(run.n(i)), adds: count },
    { ...amount, id: 'time', head: 'T', title: 'Running time per round', key: (i) => run.ms(i), cell: (i) => duration(run.ms(i)), adds: duration });
  if (run.energy) {
    list.push({ ...amount, id: 'epi', head: `${run.est}EPI`, title: `${run.est}energy per invocation`, key: (i) => run.epi(i), cell: (i) => joules(run.epi(i)) });
  }
  return [...list, ...powers(run)];
}

/** The power while a component ran, where it is known. */
function powers(run: Run): Column[] {
  const watts = run.report.components.powers?.watts;
  return watts === undefined ? [] : [{
    ...amount, id: 'w', head: 'W', title: 'Power while it ran: energy / running time', width: '4.8rem', key: (i) => watts[i] ?? 0,
    cell: (i) => { const v = watts[i] ?? 0; return v === 0 ? '' : el('span', { title: power(run, i) }, quantity(v, 'W')); },
  }];
}

/** The power of a component in words, with its interval; '' if it is not known. */
export function power(run: Run, i: number): string {
  const all = run.report.components.powers;
  const watts = all?.watts[i] ?? 0;
  if (all === undefined || watts === 0) {
    return '';
  }
  const low = all.low[i] ?? 0, high = all.high[i] ?? 0;
  const interval = low === 0 && high === 0 ? '' : ` (${quantity(low, 'W')} to ${quantity(high, 'W')})`;
  return `${quantity(watts, 'W')}${interval}, ${(all.ratio[i] ?? 0).toPrecision(2)} times the mean`;
}

/** The change since the run that this one is compared with. */
function changes(run: Run): Column[] {
  if (run.comparison === undefined) {
    return [];
  }
  const what = run.comparison.energy ? `${run.est}E` : 'T';
  return [{
    ...amount, id: 'change', head: `${what} change`, title: 'Since the run it is compared with; better and worse are significant changes', width: '8.5rem',
    key: (i) => { const c = run.changed(i); return c === undefined ? -Infinity : c.change ?? Infinity; },
    cell: (i) => {
      const c = run.changed(i);
      return c === undefined ? 'not in BASE' : el('span', { class: c.verdict, title: c.reason === '' ? c.verdict : `${c.verdict}: ${c.reason}` }, verdictMark(c.verdict, change(c.change)));
    },
  }];
}

/** A change with its verdict as a sign and as a word. */
export function verdictMark(verdict: string, text: string): string {
  return { better: `▼ ${text} better`, worse: `▲ ${text} worse` }[verdict] ?? text;
}

/** Opens a component in the editor. */
export function open(run: Run, i: number): void { reveal(run.place(i)); }
