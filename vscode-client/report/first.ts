import type { Leader } from './data';
import { el, table, zoneMark, zoneName, type Child } from './dom';
import { percent, plural } from './format';
import { link } from './host';
import type { Run } from './run';

/** The first screen: what must be known before everything else, in the same words as on the command line. */
export function first(run: Run): HTMLElement {
  const { title, started, comparison: compared, honesty: { first: words } } = run.report;
  const when = started === undefined ? undefined : el('p', { class: 'note' }, 'Measured ', el('time', { datetime: started }, new Date(started).toLocaleString()));
  return el('header', {}, el('h1', {}, title), when,
    ...compared === undefined ? [] : [el('p', { class: 'headline verdict' }, compared.headline), list(compared.caveats ?? [], 'caution')],
    el('p', { class: 'headline' }, words.headline),
    words.totals === undefined ? undefined : el('p', {}, words.totals),
    ...words.leaders.length === 0 ? [] : [words.shares ? shares(run, words.leaders) : undefined, leaders(run, words.leaders, words.amount)],
    titled(words.failed_title ?? '', words.failed), titled(words.doubts_title, words.doubts ?? []));
}

function list(items: string[], kind: string): HTMLElement | undefined {
  return items.length === 0 ? undefined : el('ul', { class: kind }, ...items.map((item) => el('li', {}, item)));
}

function titled(title: string, items: string[]): HTMLElement | undefined {
  return items.length === 0 ? undefined : el('div', { class: 'caution' }, el('p', {}, title), list(items, ''));
}

/** One bar of what the first components and all others hold; the table below has it for screen readers. */
function shares(run: Run, list: Leader[]): HTMLElement {
  const part = (share: number, kind: string, label: string) => {
    const node = el('span', { class: `part ${kind}`, title: `${label}: ${percent(share)}` }, label);
    node.style.flexGrow = String(share);
    return node;
  };
  const parts = list.map(({ rank, share }) => part(share, zoneName(run.zone(rank - 1)), `${rank} ${run.name(rank - 1)}`));
  const others = run.size - list.length;
  if (others > 0) {
    parts.push(part(Math.max(0, 1 - list.reduce((sum, { share }) => sum + share, 0)), 'others', plural(others, 'other')));
  }
  return el('div', { class: 'shares', 'aria-hidden': 'true' }, ...parts);
}

function leaders(run: Run, list: Leader[], amount: string): HTMLElement {
  const calls = list.some((leader) => leader.calls !== undefined);
  const rows = list.map(({ rank, share, amount, calls: n }): Child[] => {
    const i = rank - 1, name = el('span', {}, zoneMark(run.zone(i)), ' ', link(run.place(i), run.name(i)));
    return [name, String(rank), run.where(i), percent(share), amount, ...calls ? [n ?? ''] : []];
  });
  const heads = [run.report.kind, '#rank', 'place', '#share', `#${amount}`, ...calls ? ['#calls'] : []];
  return el('div', { class: 'wide leaders' }, table(`The first ${list.length} by ${run.report.criterion}`, heads, rows, list.map(({ reason }) => reason)), note(run.report.honesty.first.order), rest(run, list));
}

function note(text?: string): HTMLElement | undefined {
  return text === undefined ? undefined : el('p', { class: 'note' }, text);
}

/** What all components hold that are not among the first; shares that overlap leave no rest. */
function rest(run: Run, list: Leader[]): HTMLElement | undefined {
  const others = run.size - list.length;
  if (others <= 0 || !run.report.honesty.first.shares) {
    return undefined;
  }
  const share = Math.max(0, 1 - list.reduce((sum, leader) => sum + leader.share, 0));
  return note(`${plural(others, 'other')}: ${percent(share)}.`);
}
