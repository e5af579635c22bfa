// A row of the ranking as text. Nothing here needs VS Code.

import type { Row } from '../protocol/answers';
import { escaped, spacedTables } from './markdown';
import { letters, markStateOf, type MarkState } from './markstate';
import { count, duration, plural, quantity, similarity } from './units';
import { counted, energyText, shortName } from './words';

/** The value that rows are sorted by, under the server's names. */
export type Sorting = 'rank' | 'psi' | 'energy' | 'time' | 'n' | 'epi';

const stateWords: Record<MarkState, string> = {
  red: 'red zone', yellow: 'yellow zone', green: 'green zone', stale: 'measured before an edit',
};

export function stateText(state: MarkState): string {
  return stateWords[state];
}

function energyOf(row: Row): string {
  return energyText(row, row.joules ?? 0);
}

/** Rank and name; with the package if qualified. */
export function label(row: Row, qualified: boolean): string {
  const within = `${row.package}.`;
  return `${row.rank}. ${!qualified && row.id.startsWith(within) ? row.id.slice(within.length) : shortName(row.id)}`;
}

/** The energy with its caveat first, as the end of a line may be cut off. */
function shortEnergy(row: Row, joules: number): string {
  return row.source === 'estimated' ? `est. ${quantity(joules, 'J')}` : energyText(row, joules);
}

/** The text after the name: the value that rows are sorted by, joules, psi, and caveats. */
export function description(row: Row, sorting: Sorting): string {
  const by: Record<Sorting, string[]> = {
    rank: [], psi: [], energy: [], time: [duration(row.timeMs)], n: [plural(row.n, 'call')], epi: [`${shortEnergy(row, row.joulesPerCall)} a call`],
  };
  const values = [...by[sorting], shortEnergy(row, row.joules ?? 0), `psi ${similarity(row.psi)}`];
  return [...values, ...caveats(row)].join(' · ');
}

function caveats(row: Row): string[] {
  return [
    ...(row.gone ? ['gone'] : row.stale ? ['stale'] : []), ...(row.belowResolution ? ['below resolution'] : []), ...(row.change === '' ? [] : [row.change]),
  ];
}

/** All facts of a row, for screen readers. */
export function spoken(row: Row): string {
  const zone = row.stale ? stateWords.stale : stateWords[row.zone];
  const resolution = row.belowResolution ? ['below the resolution of the meter'] : [];
  const change = row.change === '' ? [] : [row.change];
  return [
    `Rank ${row.rank}`, shortName(row.id), zone, `psi ${similarity(row.psi)}`, energyOf(row), plural(row.n, 'call'), duration(row.timeMs),
    ...resolution, ...change, ...(row.place === undefined ? ['its source location is unknown'] : []),
  ].join(', ');
}

/** All facts of a row as Markdown: a headline and a table. */
export function tooltip(row: Row): string {
  const lines: [string, string][] = [
    ['psi', similarity(row.psi) + (row.psiInterval ? ` (95 %: ${row.psiInterval.map(similarity).join(' to ')})` : '')],
    ['energy', energyOf(row)],
    ...row.domains.filter((d) => row.domains.length > 1 || d.interval !== undefined).map(domainLine),
    ['energy a call', energyText(row, row.joulesPerCall)],
    ['calls', count(row.n)],
    ['time', duration(row.timeMs)],
    ['place', row.file === '' ? 'unknown' : place(row)],
    ['measured', row.scope === '' ? 'all of the folder' : row.scope],
    ['meter', row.source === 'none' ? 'none' : row.meter],
  ];
  if (row.change !== '') {
    lines.push(['change', row.change]);
  }
  const table = lines.map(([name, value]) => `| ${escaped(name)} | ${escaped(value)} |`);
  const warnings = [
    ...(row.stale ? ['Edited or removed since the measurement: these values are for the old code.'] : []),
    ...(row.belowResolution ? ['Below the resolution of the meter: its energy is less certain than that of other components.'] : []),
  ];
  const head = `**${escaped(`#${row.rank}, ${stateText(markStateOf(row))}`)}** ${escaped(row.id)}`;
  return [head, ...warnings.map(escaped), spacedTables(['| | |', '|---|---|', ...table].join('\n'))].join('\n\n');
}

function domainLine(d: Row['domains'][number]): [string, string] {
  const interval = d.interval ? ` (95 %: ${d.interval.map((joules) => quantity(joules, 'J')).join(' to ')})` : '';
  return [`energy of ${d.name}`, quantity(d.joules, 'J') + interval];
}

function place(row: Row): string {
  return row.place === undefined ? row.file : `${row.file}:${row.place.line + 1}`;
}

/** The line above the ranking: the sources of the energy, how many rows are stale, and the filter. */
export function summary(rows: Row[], filter: string): string {
  const meters = [...new Set(rows.map(meterText))];
  const stale = rows.filter((row) => row.stale);
  return [
    ...meters,
    ...(stale.length > 0 ? [`${counted(stale)} edited or removed since the measurement.`] : []),
    ...(filter === '' ? [] : [`Filter: ${filter}`]),
  ].join(' ');
}

function meterText(row: Row): string {
  switch (row.source) {
    case 'none':
      return 'No energy meter: ranked by calls and running time.';
    case 'estimated':
      return `Energy is estimated (${row.meter}).`;
    case 'measured':
      return `Energy is measured (${row.meter}).`;
    case '':
      return 'The file does not say whether its energy was measured or estimated.';
  }
}

export interface PickItem {
  label: string;
  description: string;
  detail: string;
  row: Row;
}

/** A row of the ranking as a quick pick shows it. */
export function pickItem(row: Row): PickItem {
  const joules = row.joules === undefined ? [] : [energyText(row, row.joules)];
  const stale = row.stale ? ['measured before an edit'] : [];
  return {
    label: `${row.rank}. ${letters[row.zone]} ${shortName(row.id)}`,
    description: [`psi ${similarity(row.psi)}`, ...joules, ...stale].join(', '),
    detail: row.place === undefined ? `${row.id} (its source location is unknown)` : row.id,
    row,
  };
}

/** Why a row does not lead to its function, or undefined if it does. */
export function lostText({ id, file, gone, place }: Row): string | undefined {
  if (place === undefined) {
    return `The place of ${shortName(id)} in the source is unknown.`;
  }
  return gone ? `${shortName(id)} is gone: it was deleted, or renamed and edited, since it was measured in ${file}.` : undefined;
}
