import type { Leader, Line } from './data';
import { bar, el, table, type Child } from './dom';
import { percent } from './format';
import { link } from './host';
import type { Run } from './run';

/** Whether the lines of any of the first components are known. */
export function hasLines(run: Run): boolean { return run.report.honesty.first.leaders.some(({ lines }) => lines !== undefined); }

/** In which lines of their source the first components spend their own time. */
export function lines(run: Run, host: HTMLElement): void {
  const { leaders, amount } = run.report.honesty.first;
  host.append(
    el('p', { class: 'note' }, 'Shares are of the self time of the function, from samples; what is missing is in lines with too few of them.'),
    ...leaders.flatMap((leader) => leader.lines === undefined ? [] : [ofLeader(run, leader, leader.lines, amount)]));
}

function ofLeader(run: Run, { rank }: Leader, list: Line[], amount: string): HTMLElement {
  const i = rank - 1, place = run.place(i);
  const rows = list.map(({ line, share, amount: of, source, in: callees }): Child[] => {
    const text = el('span', {}, el('code', {}, source ?? ''), callees === undefined ? '' : el('span', { class: 'note' }, ` in ${callees}`));
    return [place === undefined ? String(line) : link({ ...place, id: '', line }, String(line)), bar(share, percent(share)), of, text];
  });
  return el('div', { class: 'wide lines' }, table(`Lines of ${run.name(i)}`, ['line', 'self time', `#${amount}`, 'source'], rows));
}
