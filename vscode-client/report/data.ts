/** The run as spell/report writes it: columns, with an entry for each component or test. */
export interface Report {
  title: string;
  started?: string;
  run: string;
  source: 'measured' | 'estimated' | 'none' | '';
  /** The folder of the counters, if not the system's. */
  root?: string;
  domains: string[];
  weights: number[];
  kind: string;
  /** What a test is called where programs were measured: program or scenario. */
  row?: string;
  rounds: number;
  seed?: number;
  /** "" is by rank. */
  sort: string;
  /** What the ranks and zones follow. */
  criterion: string;
  top: number;
  inclusive?: boolean;
  honesty: Honesty;
  components: Components;
  tests: Tests;
  timeline: { test: number[]; time_ms: number[][]; energy_j: number[][] };
  cells: Cells;
  tree: Tree;
  growths?: Growth[];
  comparison?: Comparison;
}

/** How the cost of a benchmark or component grows with one size; a component of -1 is a benchmark. */
export interface Growth {
  subject: string;
  component: number;
  /** The benchmark with * for the size; missing for sizes of calls. */
  series?: string;
  /** The formula in words, without the subject. */
  sentence: string;
  /** The name of the size. */
  size: string;
  unit: 'J' | 'ms';
  sizes: number[];
  costs: number[];
  low: number[];
  high: number[];
  /** The formula with its interval; entries from extrapolated on are beyond the sizes that were measured. */
  curve: { sizes: number[]; costs: number[]; low: number[]; high: number[]; extrapolated: number };
}

export interface Honesty {
  first: First;
  facts: { label: string; text: string }[];
  localization: string[] | null;
  remarks: string[] | null;
  warnings: string[] | null;
  parts: { name: string; energy_j: number }[];
  unattributed_j: number;
  all_j: number;
  below_resolution: number;
  intervals: boolean;
}

/** What the first screen says, in the words of the command line. */
export interface First {
  headline: string;
  totals?: string;
  /** The head of the column of amounts. */
  amount: string;
  leaders: Leader[];
  /** Whether the shares of the leaders are of one whole. */
  shares: boolean;
  /** Explains ranks that do not follow the shares. */
  order?: string;
  failed_title?: string;
  failed: string[];
  doubts_title: string;
  doubts: string[] | null;
}

/** One of the first components. */
export interface Leader { rank: number; share: number; amount: string; calls?: string; reason: string; lines?: Line[] }

/** A line of a component; the share is of the component's own time. */
export interface Line { line: number; share: number; amount: string; in?: string; source?: string }

/** Columns of the ranking, by rank. The columns of intervals are empty if no interval is known. */
export interface Components {
  prefixes: string[];
  packages: string[];
  files: string[];
  name: string[];
  prefix: number[];
  package: number[];
  file: number[];
  line: number[];
  zone: string;
  marks: string;
  psi: number[];
  psi_low: number[];
  psi_high: number[];
  energy_j: number[][];
  energy_low: number[];
  energy_high: number[];
  n: number[];
  time_ms: number[];
  cum_time_ms: number[];
  cum_energy_j: number[];
  explanations: string[];
  /** Columns of the power in W, 0 where it is not known, with the ends of its 95 % interval, both 0 where that is not known. Missing where none is known. */
  powers?: { watts: number[]; low: number[]; high: number[]; ratio: number[] };
  /** Columns of the structure in the source; a complexity of 0 is not known. Missing where none is known. */
  structure?: { complexity: number[]; lines_of_code: number[]; fan_in: number[]; fan_out: number[] };
}

export interface Tests {
  name: string[];
  outcome: string[];
  exit_code?: number[];
  counts: boolean[];
  below: boolean[];
  time_ms: number[];
  energy_j: number[];
  unattributed_j: number[];
}

/** The cells of the first components; `components` is the number of these. */
export interface Cells {
  components: number;
  test: number[];
  component: number[];
  n: number[];
  time_ms: number[];
  energy_j: number[];
}

/** A forest, parents before their children. Values exclude the children. */
export interface Tree {
  known: boolean;
  parent: number[];
  component: number[];
  time_ms: number[];
  energy_j: number[];
  n: number[];
  cut: number[];
  how?: number[]; // how the energy of each node is known, see howNames; absent if nothing is known of that
}

export interface Amount { base: number; head: number; change: number | null }

export interface Quantity extends Amount {
  change_ci?: [number, number];
  p_corrected?: number;
  effect?: string;
  verdict: Verdict;
  reason?: string;
}

export type Verdict = 'better' | 'worse' | 'unchanged' | 'undecided';

export interface Change {
  energy_j: Quantity;
  time_ms: Quantity;
  greenup: number | null;
  speedup: number | null;
  powerup: number | null;
}

/** Columns of quantities. -1 means no significance test in p, and no reason in reason. */
export interface Quantities {
  base: number[];
  head: number[];
  low: number[];
  high: number[];
  p: number[];
  verdict: string;
  reason: number[];
}

export interface Comparison {
  headline: string;
  caveats: string[] | null;
  warnings: string[] | null;
  base: { id: string; started: string; revision: string; rounds: number };
  pairs: number;
  level: number;
  total: Change & { n: Amount };
  energy: boolean;
  tests: (Change & { name: string })[] | null;
  removed: { id: string; file: string; line: number; energy_j: number; time_ms: number; n: number }[];
  added: number;
  reasons: string[];
  /** The components, by index, of the entries in the columns below. */
  of: number[];
  energy_j: Quantities;
  time_ms: Quantities;
  base_n: number[];
  head_n: number[];
  base_psi: number[];
  base_zone: string;
  notes: Record<string, string>;
}

/** A place in the source, as the page sends it to an editor. */
export interface Place { id: string; file: string; line: number }
