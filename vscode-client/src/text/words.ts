// What the extension says. Nothing here needs VS Code.

import type { Component, MeasureResult, Row, Zone } from '../protocol/protocol';
import { quantity } from './units';

const letters: Record<Zone, string> = { red: 'R', yellow: 'Y', green: 'G' };

/** The zone as a letter: colour alone is not for everybody. */
export function letter(zone: Zone): string {
  return letters[zone];
}

/** A component's id without the folders of its import path. */
export function shortName(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** Two digits; what would be rounded to nothing is not shown as nothing. */
export function psiText(psi: number): string {
  return psi > 0 && psi < 0.005 ? '<0.01' : psi.toFixed(2);
}

/** Text as Markdown shows it literally: names come from the source. */
export function escaped(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()<>#+\-.!|~&$]/g, '\\$&');
}

function named(c: Component): string {
  return `${shortName(c.id)} (${letter(c.zone)} ${psiText(c.psi)})`;
}

export function countText(n: number): string {
  return Number(n.toFixed(2)).toLocaleString('en');
}

export function plural(n: number, thing: string): string {
  return `${countText(n)} ${thing}${n === 1 ? '' : 's'}`;
}

/** How many rows there are, and of what: functions, packages or others, if they are of one kind. */
export function counted(rows: { kind: string }[]): string {
  const [kind, ...others] = new Set(rows.map((row) => row.kind));
  return plural(rows.length, kind === undefined || others.length > 0 ? 'component' : kind);
}

/**
 * The last word of a measurement: how much was measured, what came out on top,
 * and whether its energy is an estimate.
 */
export function finalWord(result: MeasureResult, estimated: boolean): string {
  const measured = `Measured ${plural(result.components, 'component')} in ${plural(result.tests, 'test')}.`;
  const top = result.top.slice(0, 3).map(named);
  const worst = top.length === 0 ? 'No component is ranked.' : `Highest psi: ${top.join(', ')}.`;
  return [measured, worst, ...(estimated ? ['The energy is estimated.'] : [])].join(' ');
}

/** Energy is never shown without saying so where it was not measured. */
export function energyText({ source }: Row, joules: number): string {
  switch (source) {
    case 'none':
      return 'energy unknown';
    case 'estimated':
      return `${quantity(joules, 'J')} estimated`;
    case 'measured':
      return quantity(joules, 'J');
    case '':
      return `${quantity(joules, 'J')} of unknown origin`;
  }
}

export interface Item<R extends Row> {
  label: string;
  description: string;
  detail: string;
  row: R;
}

/** A row of the ranking as a quick pick shows it. */
export function rankingItem<R extends Row>(row: R): Item<R> {
  const joules = row.joules === undefined ? [] : [energyText(row, row.joules)];
  const stale = row.stale ? ['measured before an edit'] : [];
  return {
    label: `${row.rank}. ${letter(row.zone)} ${shortName(row.id)}`,
    description: [`psi ${psiText(row.psi)}`, ...joules, ...stale].join(', '),
    detail: row.place === undefined ? `${row.id} (its place in the source is unknown)` : row.id,
    row,
  };
}

/** Why a row does not lead to what it is of; undefined if it does. */
export function lostText({ id, file, gone, place }: Row): string | undefined {
  if (place === undefined) {
    return `Where ${shortName(id)} is in the source is unknown.`;
  }
  return gone ? `${shortName(id)} is gone: it was deleted, or renamed and edited, since it was measured in ${file}.` : undefined;
}
