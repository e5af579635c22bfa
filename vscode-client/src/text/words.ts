// Names, counts and amounts in words, and the summary of a measurement. Nothing here
// needs VS Code.

import type { Component, MeasureResult, Row } from '../protocol/answers';
import { letters } from './markstate';
import { plural, quantity, similarity } from './units';

/** A component's id without the folders of its import path. */
export function shortName(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

function named(c: Component): string {
  return `${shortName(c.id)} (${letters[c.zone]}, psi ${similarity(c.psi)})`;
}

/** The number of rows with their kind: 2 functions. Rows of several kinds are components. */
export function counted(rows: { kind: string }[]): string {
  const [kind, ...others] = new Set(rows.map((row) => row.kind));
  return plural(rows.length, kind === undefined || others.length > 0 ? 'component' : kind);
}

/** The summary of a measurement: what the server says of it; of an older server: how much was measured, which components are first in the ranking, and whether the energy is an estimate. */
export function summaryText(result: MeasureResult, estimated: boolean): string {
  if (result.summary !== '') {
    return result.summary;
  }
  const measured = `Measured ${plural(result.components, 'component')} in ${plural(result.tests, 'test')}.`;
  const top = result.top.slice(0, 3).map(named);
  const worst = top.length === 0 ? 'No component is ranked.' : `First in the ranking: ${top.join(', ')}.`;
  return [measured, worst, ...(estimated ? ['The energy is estimated.'] : [])].join(' ');
}

/** Energy with its source, unless it was measured. */
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
