import { bar, el, table, type Child } from './dom';
import { percent, plural, quantity } from './format';
import { sum, type Run } from './run';

const sources: Record<string, [string, string]> = {
  measured: ['Measured', 'Energy was read from a hardware counter.'],
  estimated: ['Estimated', 'Energy was computed by a model. It was not measured.'],
  none: ['No energy', 'There was no energy meter: only executions and running time are known.'],
  '': ['Unknown source', 'The file does not say whether its energy was measured or estimated.'],
};

/** The source of the figures, what was measured and how, and what limits them. */
export function figures(run: Run, host: HTMLElement): void {
  const h = run.report.honesty;
  const { root } = run.report;
  const [source, words] = root === undefined
    ? sources[run.report.source] ?? ['', '']
    : ['Measured elsewhere', `Energy was read from counters below ${root}, not the system's.`];
  const list = (items: string[]) => el('ul', {}, ...items.map((item) => el('li', {}, item)));
  const warnings = h.warnings ?? [], [first, ...groups] = h.localization ?? [];
  host.append(...[
    el('p', {}, el('strong', { class: `source source-${run.report.source}` }, source), ` ${words}`),
    el('dl', {}, ...h.facts.flatMap(({ label, text }) => [el('dt', {}, label), el('dd', {}, text)])),
    list([...general(run), ...(h.remarks ?? [])]),
    h.parts.length === 0 ? undefined : unattributed(run),
    warnings.length === 0 ? undefined : el('div', { class: 'caution' }, el('h3', {}, plural(warnings.length, 'warning')), list(warnings)),
    first === undefined ? undefined : el('details', {}, el('summary', {}, first), list(groups)),
  ].filter((node) => node !== undefined));
}

function general(run: Run): string[] {
  const h = run.report.honesty;
  return [
    'Figures are per round: the mean of the rounds that were kept.',
    run.report.inclusive === true
      ? 'INCLUSIVE: energy and time of a component include what it calls, so they do not add up.'
      : 'Energy and time of a component exclude what it calls, so they add up.',
    h.intervals ? '± is the distance to the farther end of the 95 % interval over rounds.' : 'There are no intervals: they need several rounds.',
    h.below_resolution === 0
      ? 'No component is below resolution.'
      : `${plural(h.below_resolution, 'component')} below resolution, marked ~: their energy is too uncertain to rely on.`,
  ];
}

/** Where the energy of the tests went. */
function unattributed(run: Run): HTMLElement {
  const h = run.report.honesty;
  const row = (name: string, joules: number): Child[] =>
    [name, run.est + quantity(joules, 'J'), bar(joules / Math.max(h.all_j, 1e-300), percent(joules / Math.max(h.all_j, 1e-300)))];
  const rest = h.unattributed_j - sum(h.parts.map((part) => part.energy_j));
  const rows = [row(`all ${run.report.kind}s`, Math.max(0, h.all_j - h.unattributed_j)), ...h.parts.map((part) => row(part.name, part.energy_j))];
  if (rest > 1e-4 * h.all_j) {
    rows.push(row('not distinguished', rest));
  }
  return table(`Where the energy of the ${run.row}s went, per round`, ['to', '#energy', 'share'], rows);
}
