// The server's answers. Nothing here needs VS Code. Lines and characters count from 0,
// also where the server counts from 1.

import { field, fields, isFlag, isList, isNumber, isPair, isText, oneOf, type Fields } from './fields';

export type Zone = 'red' | 'yellow' | 'green';

/** Where the energy comes from: a counter, a model, or nowhere; "" if the file that was loaded does not say. */
export type Source = 'measured' | 'estimated' | 'none' | '';

const isZone = oneOf<Zone>('red', 'yellow', 'green');
const isSource = oneOf<Source>('measured', 'estimated', 'none', '');

export interface Component {
  id: string;
  /** 0 to 1. */
  psi: number;
  zone: Zone;
}

export interface MeasureResult {
  run: string;
  /** How many were measured, and how many components they ran. */
  tests: number;
  components: number;
  /** The first of the ranking. */
  top: Component[];
  /** How each test ended; only where a part of a folder was measured. */
  outcomes: Outcome[];
}

export interface Outcome {
  /** Of the top-level test, without its package. */
  test: string;
  /** pass, fail, skip, timeout or crash. */
  outcome: string;
}

export interface Span {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

/** A measured function where it stands in a file now. */
export interface Mark extends Component {
  name: string;
  /** Of a block: the ID of its function. */
  function?: string;
  /** Of its diagnostic: error, warning, information, hint or off. */
  level: string;
  rank: number;
  /** Whether it was edited since it was measured. */
  stale: boolean;
  /** Of the name. */
  range: Span;
  /** Of the declaration. */
  extent: Span;
}

/** A component in the ranking. */
export interface Row extends Component {
  rank: number;
  name: string;
  package: string;
  /** function, block, type, file or package. */
  kind: string;
  /** Of all domains together; missing if nothing is known about energy. */
  joules?: number;
  /** 95 %; missing if it is unknown. */
  psiInterval?: [number, number];
  domains: { name: string; joules: number; interval?: [number, number] }[];
  n: number;
  timeMs: number;
  joulesPerCall: number;
  belowResolution: boolean;
  source: Source;
  /** The meter's name, and where its counters are if not the system's. */
  meter: string;
  /** Relative to the folder that was measured, with forward slashes; "" if it is unknown. */
  file: string;
  /** Missing if the source is unknown. */
  place?: { uri: string; line: number };
  /** Whether it was edited since it was measured, or is gone. */
  stale: boolean;
  /** Whether it is nowhere any more. Its place, if there is one, is where it was. */
  gone: boolean;
  /** Since the baseline, in words; "" if there is none or nothing can be said. */
  change: string;
  run: string;
  /** What was measured, in words; "" for all of a folder. */
  scope: string;
  /** The URI of the folder that was measured. */
  folder: string;
}

/** Reads one text of an answer that is an object, like the path of a report. */
export function parseText(answer: unknown, name: string): string {
  return field(fields(answer, 'the result'), name, isText);
}

/** Reads the answer to the command measure. */
export function parseMeasureResult(answer: unknown): MeasureResult {
  const of = fields(answer, 'the result');
  return {
    run: field(of, 'run', isText),
    tests: field(of, 'tests', isNumber),
    components: field(of, 'components', isNumber),
    top: field(of, 'top', isList).map((c) => component(fields(c, 'a component'))),
    outcomes: field({ outcomes: [], ...of }, 'outcomes', isList).map((o) => outcome(fields(o, 'an outcome'))),
  };
}

function component(of: Fields): Component {
  return { id: field(of, 'id', isText), psi: field(of, 'psi', isNumber), zone: field(of, 'zone', isZone) };
}

function outcome(of: Fields): Outcome {
  return { test: field(of, 'test', isText), outcome: field(of, 'outcome', isText) };
}

/** Reads the answer to the request for a file's marks. */
export function parseMarks(answer: unknown): Mark[] {
  return field(fields(answer, 'the answer'), 'marks', isList).map((m) => {
    const of = fields(m, 'a mark');
    return {
      ...component(of), name: field(of, 'name', isText), ...(isText(of['function']) && { function: of['function'] }), level: field(of, 'level', isText), rank: field(of, 'rank', isNumber),
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

/** The innermost mark around a line, or undefined. */
export function markAt(marks: Mark[], line: number): Mark | undefined {
  const around = marks.filter(({ extent }) => extent.start.line <= line && line <= extent.end.line);
  const size = ({ extent }: Mark): number => extent.end.line - extent.start.line;
  return around.reduce<Mark | undefined>((best, m) => best === undefined || size(m) <= size(best) ? m : best, undefined);
}

/** Reads the answer to the command ranking. */
export function parseRanking(answer: unknown): Row[] {
  if (!isList(answer)) {
    throw new Error("unexpected answer from the server: the ranking is not a list");
  }
  return answer.map((row) => parseRow(fields(row, 'a row of the ranking')));
}

function parseRow(of: Fields): Row {
  const [low, high] = field(of, 'psi_ci', isPair); // both 0 if it is unknown
  const inDomains = domains(of);
  const file = field(of, 'file', isText);
  return {
    ...component(of),
    rank: field(of, 'rank', isNumber), name: field(of, 'name', isText), package: field(of, 'package', isText), kind: field(of, 'kind', isText),
    ...(inDomains.length > 0 && { joules: inDomains.reduce((sum, { joules }) => sum + joules, 0) }),
    ...((low !== 0 || high !== 0) && { psiInterval: [low, high] as [number, number] }),
    domains: inDomains, n: field(of, 'n', isNumber), timeMs: field(of, 'time_ms', isNumber), joulesPerCall: field(of, 'epi_j', isNumber),
    belowResolution: field(of, 'below_resolution', isFlag), source: field(of, 'source', isSource), meter: field(of, 'meter', isText),
    file, ...(file !== '' && { place: { uri: field(of, 'uri', isText), line: field(of, 'line', isNumber) - 1 } }),
    stale: field(of, 'stale', isFlag), gone: field({ gone: false, ...of }, 'gone', isFlag),
    change: of['change'] === undefined ? '' : field(fields(of['change'], '"change"'), 'text', isText),
    run: field(of, 'run', isText), scope: field(of, 'scope', isText), folder: field(of, 'folder', isText),
  };
}

function domains(of: Fields): Row['domains'] {
  const intervals = fields(of['energy_ci_j'] ?? {}, '"energy_ci_j"');
  return Object.entries(fields(of['energy_j'] ?? {}, '"energy_j"')).flatMap(([name, joules]) => {
    const interval = intervals[name];
    return isNumber(joules) ? [{ name, joules, ...(isPair(interval) && { interval }) }] : [];
  });
}
