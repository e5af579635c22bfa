import type { Column } from './columns';
import type { Run } from './run';

export type Grouping = 'none' | 'package' | 'file' | 'zone';

/** How the ranking is shown. */
export interface Order { column: Column; descending: boolean; typed: string[]; zones: string; group: Grouping; closed: Set<string> }

/** A group of rows by its name. */
export interface Group { name: string; members: number[] }

export type Row = { component: number } | { group: Group };

/** The rows of the ranking in their order. */
export function rows(run: Run, order: Order): Row[] {
  const kept: number[] = [];
  for (let i = 0; i < run.size; i++) {
    if (order.zones.includes(run.zone(i)) && run.matches(i, order.typed)) {
      kept.push(i);
    }
  }
  if (order.column.id !== 'rank' || order.descending) { // they are in the order of ranks already
    sort(kept, order);
  }
  if (order.group === 'none') {
    return kept.map((component) => ({ component }));
  }
  const list = groups(run, kept, order.group);
  if (order.column.adds !== undefined) {
    const total = new Map(list.map((group) => [group, totalOf(group, order.column)]));
    const sign = order.descending ? -1 : 1;
    list.sort((a, b) => sign * ((total.get(a) ?? 0) - (total.get(b) ?? 0)));
  }
  return list.flatMap((group) => order.closed.has(group.name) ? [{ group }] : [{ group }, ...group.members.map((component) => ({ component }))]);
}

/** The sum of a column over a group. */
export function totalOf(group: Group, column: Column): number {
  return group.members.reduce((all, i) => all + Number(column.key(i)), 0);
}

/** Sorts by the column; ties by rank. */
function sort(list: number[], { column, descending }: Order): void {
  const sign = descending ? -1 : 1, keys: (number | string)[] = [];
  for (const i of list) {
    keys[i] = column.key(i);
  }
  list.sort((a, b) => {
    const x = keys[a] ?? 0, y = keys[b] ?? 0;
    return x === y ? a - b : x < y ? -sign : sign;
  });
}

const zoneNames: Record<string, string> = { R: 'red', Y: 'yellow', G: 'green' };

function groups(run: Run, list: number[], by: Grouping): Group[] {
  const name = { none: () => '', package: (i: number) => run.packageOf(i), file: (i: number) => run.file(i), zone: (i: number) => zoneNames[run.zone(i)] ?? 'not ranked' }[by];
  const found = new Map<string, number[]>();
  for (const i of list) {
    const members = found.get(name(i));
    if (members === undefined) {
      found.set(name(i), [i]);
    } else {
      members.push(i);
    }
  }
  return [...found].map(([key, members]) => ({ name: key === '' ? `no ${by}` : key, members }));
}
