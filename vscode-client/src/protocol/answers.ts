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
  /** The number of measured tests. */
  tests: number;
  /** The number of components that they ran. */
  components: number;
  /** The first components of the ranking. */
  top: Component[];
  /** How each test ended; only where a part of a folder was measured. */
  outcomes: Outcome[];
  /** What the result is about, in a sentence or two; "" from an older server. */
  summary: string;
}

export interface Outcome {
  /** The name of the top-level test, without its package. */
  test: string;
  /** pass, fail, skip, timeout or crash. */
  outcome: string;
  /** The time that it took in a round, in milliseconds. */
  timeMs: number;
  /** The end of what it printed, if it did not pass. */
  output: string;
}

export interface Span {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

/** A measured function where it stands in a file now. */
export interface Mark extends Component {
  name: string;
  /** The ID of the function that a block is part of; missing for others. */
  function?: string;
  /** The severity of its diagnostic: error, warning, information, hint or off. */
  level: string;
  rank: number;
  /** Whether it was edited since it was measured. */
  stale: boolean;
  /** The place of the name. */
  range: Span;
  /** The place of the declaration. */
  extent: Span;
  /** The lines in which it spent its own time, the costliest first. */
  lines: LineShare[];
}

export interface LineShare {
  line: number;
  /** Of the function's own time, 0 to 1. */
  share: number;
  /** Share, energy and callees, in words. */
  text: string;
}

/** A component in the ranking. */
export interface Row extends Component {
  rank: number;
  name: string;
  package: string;
  /** function, block, type, file or package. */
  kind: string;
  /** The energy of all domains together; missing if unknown. */
  joules?: number;
  /** Its part of the energy of all components, 0 to 1; of the time or calls where no energy is known. */
  share: number;
  /** The 95 % interval of psi; missing if unknown. */
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
  /** Whether it no longer exists; its place is then where it was last. */
  gone: boolean;
  /** The change since the baseline, in words; "" if there is no baseline or the change is unknown. */
  change: string;
  run: string;
  /** The part of the folder that was measured, in words; "" for all of it. */
  scope: string;
  /** The URI of the folder that was measured. */
  folder: string;
}

/** What can be measured beside tests. */
export interface Programs {
  /** The name is of the folder of the main package, as Go writes it; the URI is of the folder. */
  programs: { name: string; uri: string }[];
  /** The URI is of the folder of the module. */
  scenarios: Scenario[];
}

export interface Scenario {
  name: string;
  /** The main package and the arguments of the program. */
  exec: string;
  uri: string;
}

/** Reads the answer to the command programs. */
export function parsePrograms(answer: unknown): Programs {
  const object = fields(answer, 'the answer');
  return {
    programs: field(object, 'programs', isList).map((p) => {
      const one = fields(p, 'a program');
      return { name: field(one, 'name', isText), uri: field(one, 'uri', isText) };
    }),
    scenarios: field(object, 'scenarios', isList).map((s) => {
      const one = fields(s, 'a scenario');
      return { name: field(one, 'name', isText), exec: field(one, 'exec', isText), uri: field(one, 'uri', isText) };
    }),
  };
}

/** The machines that can measure beside the one of the server. */
export interface Machines {
  /** The user's own file, in which they stand or would stand. */
  file: string;
  /** The host is what ssh connects to. */
  machines: { name: string; host: string }[];
  /** Names that the settings of the open folders choose. */
  chosen: string[];
  /** Why the file cannot be used; "" if it can. */
  problem: string;
}

/** Reads the answer to the command machines. */
export function parseMachines(answer: unknown): Machines {
  const object = fields(answer, 'the answer');
  return {
    file: field(object, 'file', isText),
    machines: field(object, 'machines', isList).map((m) => {
      const one = fields(m, 'a machine');
      return { name: field(one, 'name', isText), host: field(one, 'host', isText) };
    }),
    chosen: field(object, 'chosen', isList).map((name) => field({ name }, 'name', isText)),
    problem: field({ problem: '', ...object }, 'problem', isText),
  };
}

/** Reads one text field of an answer, such as the path of a report. */
export function parseText(answer: unknown, name: string): string {
  return field(fields(answer, 'the result'), name, isText);
}

/** Reads the answer to the command measure. */
export function parseMeasureResult(answer: unknown): MeasureResult {
  const object = fields(answer, 'the result');
  return {
    run: field(object, 'run', isText),
    tests: field(object, 'tests', isNumber),
    components: field(object, 'components', isNumber),
    top: field(object, 'top', isList).map((c) => component(fields(c, 'a component'))),
    outcomes: field({ outcomes: [], ...object }, 'outcomes', isList).map((o) => outcome(fields(o, 'an outcome'))),
    summary: field({ summary: '', ...object }, 'summary', isText),
  };
}

function component(object: Fields): Component {
  return { id: field(object, 'id', isText), psi: field(object, 'psi', isNumber), zone: field(object, 'zone', isZone) };
}

function outcome(object: Fields): Outcome {
  const known = { time_ms: 0, output: '', ...object }; // an older server does not know them
  return {
    test: field(object, 'test', isText), outcome: field(object, 'outcome', isText),
    timeMs: field(known, 'time_ms', isNumber), output: field(known, 'output', isText),
  };
}

/** Reads the answer to the request for a file's marks. */
export function parseMarks(answer: unknown): Mark[] {
  return field(fields(answer, 'the answer'), 'marks', isList).map((m) => {
    const object = fields(m, 'a mark');
    return {
      ...component(object), name: field(object, 'name', isText), ...(isText(object['function']) && { function: object['function'] }), level: field(object, 'level', isText), rank: field(object, 'rank', isNumber),
      stale: field(object, 'stale', isFlag), range: span(object, 'range'), extent: span(object, 'extent'),
      lines: field({ lines: [], ...object }, 'lines', isList).map(lineShare),
    };
  });
}

function lineShare(answer: unknown): LineShare {
  const object = fields(answer, 'a line');
  return { line: field(object, 'line', isNumber), share: field(object, 'share', isNumber), text: field(object, 'text', isText) };
}

function span(object: Fields, name: string): Span {
  const range = fields(object[name], `"${name}"`);
  return { start: position(range, 'start'), end: position(range, 'end') };
}

function position(object: Fields, name: string): Span['start'] {
  const at = fields(object[name], `"${name}"`);
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

function parseRow(object: Fields): Row {
  const [low, high] = field(object, 'psi_ci', isPair); // both 0 if unknown
  const inDomains = domains(object);
  const file = field(object, 'file', isText);
  return {
    ...component(object),
    rank: field(object, 'rank', isNumber), name: field(object, 'name', isText), package: field(object, 'package', isText), kind: field(object, 'kind', isText),
    ...(inDomains.length > 0 && { joules: inDomains.reduce((sum, { joules }) => sum + joules, 0) }),
    ...((low !== 0 || high !== 0) && { psiInterval: [low, high] as [number, number] }),
    domains: inDomains, n: field(object, 'n', isNumber), timeMs: field(object, 'time_ms', isNumber), share: field(object, 'share', isNumber), joulesPerCall: field(object, 'epi_j', isNumber),
    belowResolution: field(object, 'below_resolution', isFlag), source: field(object, 'source', isSource), meter: field(object, 'meter', isText),
    file, ...(file !== '' && { place: { uri: field(object, 'uri', isText), line: field(object, 'line', isNumber) - 1 } }),
    stale: field(object, 'stale', isFlag), gone: field({ gone: false, ...object }, 'gone', isFlag),
    change: object['change'] === undefined ? '' : field(fields(object['change'], '"change"'), 'text', isText),
    run: field(object, 'run', isText), scope: field(object, 'scope', isText), folder: field(object, 'folder', isText),
  };
}

function domains(object: Fields): Row['domains'] {
  const intervals = fields(object['energy_ci_j'] ?? {}, '"energy_ci_j"');
  return Object.entries(fields(object['energy_j'] ?? {}, '"energy_j"')).flatMap(([name, joules]) => {
    const interval = intervals[name];
    return isNumber(joules) ? [{ name, joules, ...(isPair(interval) && { interval }) }] : [];
  });
}
