// The results of tests in a measurement. Nothing here needs VS Code.

import type { MeasureResult, Outcome, Row } from '../protocol/answers';
import { pickItem } from '../text/rowtext';
import { plural } from '../text/words';

export type Verdict = { is: 'passed' | 'skipped' } | { is: 'failed' | 'errored'; why: string };

/** The worst outcome of a top-level test and its subtests. A test that did not run is skipped. */
export function outcomeOf(test: string, outcomes: Outcome[]): Verdict {
  const own = outcomes.filter((o) => o.test === test);
  const worst = ['crash', 'timeout', 'fail', 'pass'].find((outcome) => own.some((o) => o.outcome === outcome));
  switch (worst) {
    case 'pass':
      return { is: 'passed' };
    case 'fail':
      return { is: 'failed', why: `${test} failed while its energy was measured. Run it with go test to see why.` };
    case undefined:
      return { is: 'skipped' };
    default:
      return { is: 'errored', why: `${test} ended with a ${worst} while its energy was measured.` };
  }
}

/** The first rows of the result's ranking, as lines of output. Rows of other results are left out. */
export function topLines(result: MeasureResult, rows: Row[]): string[] {
  const items = rows.filter(({ run }) => run === result.run).map(pickItem);
  return [
    `Measured ${plural(result.components, 'component')} in ${plural(result.tests, 'test')}:`,
    ...items.map(({ label, description }) => `  ${label}: ${description}`),
  ];
}
