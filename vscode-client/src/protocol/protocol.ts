// The server's commands, what they take and what they answer. Nothing here
// needs VS Code.

/**
 * The ids that the server registers. The client library makes a VS Code
 * command of each, so the extension's own commands need other ids.
 */
export const serverCommands = {
  measure: 'spell-lsp.measure',
  cancel: 'spell-lsp.cancel',
  clear: 'spell-lsp.clear',
  ranking: 'spell-lsp.ranking',
  doctor: 'spell-lsp.doctor',
  setBaseline: 'spell-lsp.setBaseline',
  compare: 'spell-lsp.compare',
  drillDown: 'spell-lsp.drillDown',
  load: 'spell-lsp.load',
  report: 'spell-lsp.report',
} as const;

/** LSP's error code of a request that was cancelled. */
export const requestCancelled = -32800;

/** The client library's error code of a request that was not answered before the connection ended. */
export const unanswered = -32097;

export function hasCode(error: unknown, code: number): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === code;
}

/** Why something failed, in words. */
export function reasonOf(error: unknown): string {
  return hasCode(error, unanswered) ? 'The server ended before it answered.' : error instanceof Error ? error.message : String(error);
}

export type Zone = 'red' | 'yellow' | 'green';

export type Scope = 'workspace' | 'package' | 'file' | 'function' | 'test';

export interface MeasureArguments {
  scope: Scope;
  uri?: string;
  name?: string;
}

export interface Component {
  id: string;
  psi: number;
  zone: Zone;
}

export interface MeasureResult {
  run: string;
  tests: number;
  components: number;
  top: Component[];
  /** What became of each test; only where a part of a folder was measured. */
  outcomes: Outcome[];
}

export interface Outcome {
  /** With its package, like example.com/park.TestPark. */
  name: string;
  /** pass, fail, skip, timeout or crash. */
  outcome: string;
}

/** A row of the ranking. The place is missing if the source is unknown. */
export interface Row extends Component {
  rank: number;
  /** What it is: function, block, type, file or package. */
  kind: string;
  /** Of all domains together; missing if nothing is known about energy. */
  joules?: number;
  place?: Place;
  /** The place's file, relative to the root of what was measured, with forward slashes. */
  file?: string;
  /** Whether it was edited since it was measured, or is gone. */
  stale: boolean;
  /** Whether it is nowhere any more. Its place, if there is one, is where it was. */
  gone: boolean;
  /** Whether a model, not a counter, gave the energy. */
  estimated: boolean;
  source: Source;
  /** The meter's name, and where its counters are if not the system's. */
  meter?: string;
}

/** How the energy of a row came to be; "" if nobody said. */
export type Source = 'measured' | 'estimated' | 'none' | '';

export interface Place {
  uri: string;
  /** From 0. */
  line: number;
}

export type Fields = Record<string, unknown>;

export function fields(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`the server's answer is not understood: ${what} is no object`);
  }
  return value as Fields;
}

export function field<T>(of: Fields, name: string, is: (value: unknown) => value is T): T {
  const value = of[name];
  if (!is(value)) {
    throw new Error(`the server's answer is not understood: "${name}" is ${JSON.stringify(value)}`);
  }
  return value;
}

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isNumber = (value: unknown): value is number => typeof value === 'number';
export const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
export const isList = (value: unknown): value is unknown[] => Array.isArray(value);
export const isZone = (value: unknown): value is Zone =>
  value === 'red' || value === 'yellow' || value === 'green';

const isSource = (value: unknown): value is Source =>
  value === 'measured' || value === 'estimated' || value === 'none' || value === '';

function component(of: Fields): Component {
  return { id: field(of, 'id', isText), psi: field(of, 'psi', isNumber), zone: field(of, 'zone', isZone) };
}

/** Reads the answer to {@link serverCommands.measure}. */
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

function outcome(of: Fields): Outcome {
  return { name: field(of, 'name', isText), outcome: field(of, 'outcome', isText) };
}

/** Reads one text of an answer that is an object, like the path of a report. */
export function parseText(answer: unknown, name: string): string {
  return field(fields(answer, 'the result'), name, isText);
}

/** Reads of a row what every list shows. */
export function rankingRow(of: Fields): Row {
  const joules = Object.values(fields(of['energy_j'] ?? {}, '"energy_j"')).filter(isNumber);
  const file = field(of, 'file', isText);
  return {
    ...component(of),
    rank: field(of, 'rank', isNumber),
    kind: field(of, 'kind', isText),
    stale: field(of, 'stale', isFlag),
    gone: field({ gone: false, ...of }, 'gone', isFlag),
    estimated: field(of, 'estimated', isFlag),
    source: field(of, 'source', isSource),
    ...(isText(of['meter']) && { meter: of['meter'] }),
    ...(joules.length > 0 && { joules: joules.reduce((sum, j) => sum + j) }),
    ...(file !== '' && { file, place: { uri: field(of, 'uri', isText), line: field(of, 'line', isNumber) - 1 } }),
  };
}
