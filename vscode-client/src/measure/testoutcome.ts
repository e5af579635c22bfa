// The results of tests in a measurement. Nothing here needs VS Code.

import type { MeasureResult, Outcome, Row } from '../protocol/answers';
import { pickItem } from '../text/rowtext';
import { plural } from '../text/units';

export type Verdict = { is: 'passed' | 'skipped' } | { is: 'failed' | 'errored'; why: string };

/** The worst outcome of a top-level test and its subtests. A test that did not run is skipped. */
export function outcomeOf(test: string, outcomes: Outcome[]): Verdict {
  const own = outcomes.filter((o) => o.test === test);
  const worst = ['crash', 'timeout', 'fail', 'pass'].find((outcome) => own.some((o) => o.outcome === outcome));
  switch (worst) {
    case 'pass':
      return { is: 'passed' };
    case 'fail':
      return { is: 'failed', why: withOutput(`${test} failed while its energy was measured`, own) };
    case undefined:
      return { is: 'skipped' };
    default:
      return { is: 'errored', why: withOutput(`${test} ended with a ${worst} while its energy was measured`, own) };
  }
}

/** The text with what the tests that did not pass printed. */
function withOutput(text: string, outcomes: Outcome[]): string {
  const output = outcomes.map((o) => o.output).filter((o) => o !== '').join('\n');
  return output === '' ? `${text}.` : `${text}:\n${output}`;
}

/** The time of a top-level test and its subtests in a round, in milliseconds; undefined if it did not run. */
export function timeOf(test: string, outcomes: Outcome[]): number | undefined {
  const own = outcomes.filter((o) => o.test === test && o.outcome !== 'skip');
  return own.length === 0 ? undefined : own.reduce((sum, o) => sum + o.timeMs, 0);
}

/** The first rows of the result's ranking, as lines of output. Rows of other results are left out. */
export function topLines(result: MeasureResult, rows: Row[]): string[] {
  const items = rows.filter(({ run }) => run === result.run).map(pickItem);
  return [
    ...(result.summary === '' ? [] : [result.summary]),
    `Measured ${plural(result.components, 'component')} in ${plural(result.tests, 'test')}:`,
    ...items.map(({ label, description }) => `  ${label}: ${description}`),
  ];
}
