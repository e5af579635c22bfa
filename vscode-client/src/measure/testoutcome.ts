// What a measurement says of tests. Nothing here needs VS Code.

import type { MeasureResult, Outcome, Row } from '../protocol/answers';
import { pickItem } from '../text/rowtext';
import { plural } from '../text/words';

export type Verdict = { is: 'passed' | 'skipped' } | { is: 'failed' | 'errored'; why: string };

/** What became of a test, by its name without the package. One that was not run is skipped. */
export function outcomeOf(test: string, outcomes: Outcome[]): Verdict {
  const of = outcomes.filter(({ name }) => name.endsWith(`.${test}`) || name.includes(`.${test}/`));
  const worst = ['crash', 'timeout', 'fail', 'pass'].find((outcome) => of.some((o) => o.outcome === outcome));
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

/** The head of the result's ranking, as lines of output. Rows may be of another result, if this one has none. */
export function topLines(result: MeasureResult, rows: Row[]): string[] {
  const items = rows.filter(({ run }) => run === result.run).map(pickItem);
  return [
    `Measured ${plural(result.components, 'component')} in ${plural(result.tests, 'test')}:`,
    ...items.map(({ label, description }) => `  ${label}: ${description}`),
  ];
}
