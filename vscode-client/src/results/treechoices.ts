// The ID of the ranking's view, its commands, and its choices of grouping and sorting.
// Nothing here needs VS Code.

import type { Sorting } from '../text/rowtext';
import type { Grouping } from './treemodel';

export const viewId = 'spell.ranking';

/** The commands of the view, without the view's id and a dot. The manifest declares them. */
export const viewCommandNames = ['group', 'sort', 'filter', 'clearFilter', 'more', 'reveal'] as const;

export type ViewCommandName = (typeof viewCommandNames)[number];

export const groupings: Record<Grouping, string> = {
  none: 'Not grouped', package: 'By package', file: 'By file', zone: 'By zone',
};

export const sortings: Record<Sorting, string> = {
  rank: 'By rank', psi: 'By psi', energy: 'By energy', time: 'By running time', n: 'By number of calls', epi: 'By energy a call',
};

/** The remembered choice if it still exists, or else the first choice. */
export function remembered<T extends string>(value: unknown, choices: Record<T, string>): T {
  const names = Object.keys(choices) as T[];
  const found = names.find((name) => name === value) ?? names[0];
  if (found === undefined) {
    throw new Error('there is nothing to choose from');
  }
  return found;
}
