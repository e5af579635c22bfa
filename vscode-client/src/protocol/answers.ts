// What the server says of files and of all that is shown. Nothing here needs VS Code.

import {
  field, fields, isFlag, isList, isNumber, isText, isZone, rankingRow, type Fields, type Row, type Zone,
} from './protocol';

/** Marks of a file, and the notification that they, or the ranking, may be others. */
export const marksMethod = 'spell-lsp/marks';
export const changedMethod = 'spell-lsp/changed';

/** Lines and characters count from 0. */
export interface Span {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

/** A measured function where it stands in a file now. */
export interface Mark {
  id: string;
  name: string;
  zone: Zone;
  /** Of its diagnostic: error, warning, information, hint or off. */
  level: string;
  psi: number;
  rank: number;
  stale: boolean;
  /** Of the name. */
  range: Span;
  /** Of the declaration. */
  extent: Span;
}

/** Reads the answer to {@link marksMethod}. */
export function parseMarks(answer: unknown): Mark[] {
  return field(fields(answer, 'the answer'), 'marks', isList).map((m) => {
    const of = fields(m, 'a mark');
    return {
      id: field(of, 'id', isText), name: field(of, 'name', isText), zone: field(of, 'zone', isZone),
      level: field(of, 'level', isText), psi: field(of, 'psi', isNumber), rank: field(of, 'rank', isNumber),
      stale: field(of, 'stale', isFlag), range: span(of, 'range'), extent: span(of, 'extent'),
    };
  });
}

function span(of: Fields, name: string): Span {
  const range = fields(of[name], `"${name}"`);
  return { start: position(range, 'start'), end: position(range, 'end') };
}

function position(of: Fields, name: string): Span['start'] {
  const at = fields(of[name], `"${name}"`);
  return { line: field(at, 'line', isNumber), character: field(at, 'character', isNumber) };
}

/** The innermost mark around a place, or undefined. */
export function markAt(marks: Mark[], line: number): Mark | undefined {
  const around = marks.filter(({ extent }) => extent.start.line <= line && line <= extent.end.line);
  const size = ({ extent }: Mark): number => extent.end.line - extent.start.line;
  return around.reduce<Mark | undefined>((best, m) => best === undefined || size(m) <= size(best) ? m : best, undefined);
}

/** A row of all that is shown. */
export interface ListedRow extends Row {
  name: string;
  package: string;
  /** Relative to the folder that was measured; "" if it is unknown. */
  file: string;
  n: number;
  timeMs: number;
  /** Joules a call. */
  epi: number;
  belowResolution: boolean;
  /** 95 %; missing if it is unknown. */
  psiInterval?: [number, number];
  domains: { name: string; joules: number; interval?: [number, number] }[];
  /** Since the baseline, in words; "" if there is none or nothing can be said. */
  change: string;
  run: string;
  /** What was measured, in words; "" for all of a folder. */
  scope: string;
  /** The URI of the folder that was measured. */
  folder: string;
  meter: string;
}

const isPair = (value: unknown): value is [number, number] =>
  isList(value) && value.length === 2 && value.every(isNumber);

/** Reads the answer to the command ranking. */
export function parseListing(answer: unknown): ListedRow[] {
  if (!isList(answer)) {
    throw new Error("the server's answer is not understood: the ranking is no list");
  }
  return answer.map((row) => listedRow(fields(row, 'a row of the ranking')));
}

function listedRow(of: Fields): ListedRow {
  const [low, high] = field(of, 'psi_ci', isPair);
  return {
    ...rankingRow(of),
    name: field(of, 'name', isText), package: field(of, 'package', isText),
    file: field(of, 'file', isText), n: field(of, 'n', isNumber), timeMs: field(of, 'time_ms', isNumber),
    epi: field(of, 'epi_j', isNumber), belowResolution: field(of, 'below_resolution', isFlag),
    ...((low !== 0 || high !== 0) && { psiInterval: [low, high] as [number, number] }),
    domains: domains(of), change: of['change'] === undefined ? '' : field(fields(of['change'], '"change"'), 'text', isText),
    run: field(of, 'run', isText), scope: field(of, 'scope', isText), folder: field(of, 'folder', isText),
    meter: field(of, 'meter', isText),
  };
}

function domains(of: Fields): ListedRow['domains'] {
  const intervals = fields(of['energy_ci_j'] ?? {}, '"energy_ci_j"');
  return Object.entries(fields(of['energy_j'] ?? {}, '"energy_j"')).flatMap(([name, joules]) => {
    const interval = intervals[name];
    return isNumber(joules) ? [{ name, joules, ...(isPair(interval) && { interval }) }] : [];
  });
}
