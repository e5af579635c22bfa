// The text of the status bar. Nothing here needs VS Code.

import type { Row, Source } from '../protocol/answers';
import { escaped } from './markdown';
import { letters } from './markstate';
import { counted, energyText, shortName } from './words';
import { percent, similarity } from './units';

/** The facts from which the text is made. A problem has precedence over a measurement, and a measurement over the ranking. */
export interface StatusFacts {
  /** The reason why there is no server; undefined if it runs or is starting. */
  problem?: string | undefined;
  /** The running measurement; its percent, what it is doing, and what costs most in a program that runs, are missing while unknown. */
  measuring?: Measuring | undefined;
  trusted: boolean;
  /** Names of the other machines that measure, as the settings choose; none for this one. */
  machines?: string[];
  /** The first rows of the ranking; empty if there are no results. */
  rows: Row[];
}

interface Measuring {
  percent?: number;
  doing?: string;
  /** Shares of the running time so far, 0 to 1. */
  live?: { id: string; share: number }[];
}

export interface Label {
  text: string;
  /** Markdown, with links to commands. */
  tooltip: string;
  command: string;
  /** The text without icons, for screen readers. */
  spoken: string;
  alarm: boolean;
}

export function statusLabel(facts: StatusFacts): Label {
  const { problem, machines = [] } = facts;
  if (problem !== undefined) {
    return label('error', 'no server', 'spell.restart', [escaped(problem), 'Click to try again.', links('doctor', 'restart')], true);
  }
  return machines.length === 0 ? labelHere(facts) : on(cut(machines.join(', ')), labelHere(facts));
}

/** The label, for measurements on other machines. */
function on(machines: string, { text, spoken, tooltip, ...same }: Label): Label {
  const named = (name: string): string => name.replace('spell', `spell on ${machines}`);
  return { ...same, text: named(text), spoken: named(spoken), tooltip: `${tooltip}\n\nMeasurements run on ${escaped(machines)}.` };
}

function labelHere(facts: StatusFacts): Label {
  const { measuring, trusted, rows: [worst] } = facts;
  if (measuring !== undefined) {
    return measuringLabel(measuring);
  }
  if (worst !== undefined) {
    return rankedLabel(facts, worst);
  }
  return trusted
    ? label('pulse', '', 'spell.measureWorkspace', ['Nothing has been measured yet. Click to measure the workspace.', links('measureWorkspace', 'measureOn', 'load', 'doctor')])
    : label('shield', 'restricted', 'workbench.trust.manage', [restricted, links('load', 'doctor')]);
}

function measuringLabel({ percent: done, doing, live: [first, ...others] = [] }: Measuring): Label {
  const share = done === undefined ? '' : ` ${Math.round(done)} %`;
  const top = first === undefined ? '' : ` · ${cut(shortName(first.id))} ${percent(first.share)}`;
  const list = first && [first, ...others].map((row, i) => `${i + 1}. ${percent(row.share)} ${escaped(shortName(row.id))}`).join('  \n');
  return label('sync~spin', `measuring${share}${top}`, 'spell.cancel', [
    `Measuring energy${doing === undefined ? '' : `: ${escaped(doing)}`}.`,
    ...(list === undefined ? [] : [list, 'Shares of the running time so far. The energy is known at the end.']),
    'Click to cancel.',
  ]);
}

/** A name that leaves room for other items of the status bar. */
function cut(name: string): string {
  const most = 32;
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`;
}

const restricted = 'The workspace is not trusted: saved results are shown, but nothing can be measured.';

function rankedLabel({ rows, trusted }: StatusFacts, worst: Row): Label {
  const stale = rows.filter((row) => row.stale);
  const remarks = [...originOf(worst).remarks, ...(worst.stale ? ['stale'] : [])];
  const icon = trusted ? (worst.stale ? 'history' : 'pulse') : 'shield';
  const what = [`${letters[worst.zone]} ${percent(worst.share)}`, ...remarks].join(', ');
  return label(icon, what, 'spell.showRanking', [
    rows.slice(0, 3).map(line).join('  \n'),
    originOf(worst).detail + (worst.source === 'measured' && worst.joules !== undefined && worst.meter !== '' ? ` (${worst.meter})` : ''),
    ...(stale.length > 0 ? [`${counted(stale)} of the first ${rows.length} measured before an edit.`] : []),
    ...(trusted ? [] : [restricted]),
    trusted ? links('showRanking', 'showReport', 'measureWorkspace', 'measureOn', 'compare', 'doctor') : links('showRanking', 'showReport', 'doctor'),
  ]);
}

/** The source of the energy, for the bar and for its tooltip. */
const origins: Record<Source, { remarks: string[]; detail: string }> = {
  none: { remarks: ['no meter'], detail: 'No energy meter: only calls and running time are known.' },
  estimated: { remarks: ['estimated'], detail: 'The energy is estimated by a model.' },
  measured: { remarks: [], detail: 'The energy was measured by a counter.' },
  '': { remarks: ['origin unknown'], detail: 'The file does not say whether its energy was measured or estimated.' },
};

function originOf({ source, joules }: Row): (typeof origins)[Source] {
  return origins[joules === undefined ? 'none' : source];
}

function line(row: Row): string {
  const joules = row.joules === undefined ? '' : `, ${energyText(row, row.joules)}`;
  return `${row.rank}. **${letters[row.zone]}** ${percent(row.share)} ${escaped(shortName(row.id))}${joules}, psi ${similarity(row.psi)}${row.stale ? ', stale' : ''}`;
}

const titles = {
  measureWorkspace: 'Measure the workspace',
  measureOn: 'Measure on...',
  showRanking: 'Ranking',
  showReport: 'Report',
  compare: 'Compare',
  load: 'Load a result',
  doctor: 'Meters',
  restart: 'Restart the server',
};

/** The commands that the tooltip links to. */
export const linked = Object.keys(titles).map((name) => `spell.${name}`);

function links(...names: (keyof typeof titles)[]): string {
  return names.map((name) => `[${titles[name]}](command:spell.${name})`).join(' · ');
}

function label(icon: string, what: string, command: string, tooltip: string[], alarm = false): Label {
  const spoken = what === '' ? 'spell' : `spell: ${what}`;
  return { text: `$(${icon}) ${spoken}`, tooltip: tooltip.join('\n\n'), command, spoken, alarm };
}
