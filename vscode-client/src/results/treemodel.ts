// The ranking as a tree. Nothing here needs VS Code.

import type { Row } from '../protocol/answers';
import { stateText } from '../text/rowtext';
import { markStateOf, markStates, type MarkState } from '../text/markstate';
import { counted } from '../text/words';
import { count, similarity } from '../text/units';

/** What rows are grouped by. */
export type Grouping = 'none' | 'package' | 'file' | 'zone';

export type Node = Group | Leaf | More;

/** The rows of one measurement, or of a package, file or zone in it. */
export interface Group {
  type: 'group';
  key: string;
  label: string;
  description: string;
  state?: MarkState;
  children: Node[];
  parent?: Group;
}

/** A row. Its fields are what the commands of its context menu need. */
export interface Leaf {
  type: 'row';
  key: string;
  id: string;
  name: string;
  kind: string;
  /** Whether the name is shown with its package, because the rows around it are of several packages. */
  qualified: boolean;
  /** The URI of its file; missing if unknown. */
  uri?: string;
  row: Row;
  parent?: Group;
}

/** Stands for the rows that were not fetched. */
export interface More {
  type: 'more';
  key: string;
  label: string;
}

/** How many rows are fetched at first, and each time the user asks for more. */
export const pageSize = 1000;

/**
 * Builds a tree of rows, which are ordered by measurement, then by rank. With more rows than
 * limit, the last node stands for the others. Several measurements, or one of a part of
 * a folder, have a group each: their psi and ranks cannot be compared.
 */
export function buildTree(rows: Row[], grouping: Grouping, limit: number): Node[] {
  const shown = rows.slice(0, limit);
  const runs = [...groupBy(shown, (row) => row.run)];
  const separate = runs.length > 1 || shown.some((row) => row.scope !== '');
  const qualified = (grouping === 'none' || grouping === 'zone') && new Set(shown.map((row) => row.package)).size > 1;
  const cut = rows[limit]?.run;
  const tree = runs.flatMap(([run, members]): Node[] => {
    const part: Part = { within: separate ? run : '', qualified, share: run === cut ? ` of the first ${count(limit)}` : '' };
    const nodes = grouped(members, grouping, part);
    return separate ? [group(part, '', measuredText(members), members, nodes)] : nodes;
  });
  const more: More = { type: 'more', key: 'more', label: `Show ${count(pageSize)} more (the first ${count(limit)} are shown)` };
  return rows.length > limit ? [...tree, more] : tree;
}

/** What the nodes of one measurement have in common. */
interface Part {
  /** The measurement, if there are several; else "". */
  within: string;
  qualified: boolean;
  /** How many of its rows were fetched, in words; "" for all. */
  share: string;
}

/** Groups rows by a key, in the order of each key's first row. */
export function groupBy<R, K>(rows: R[], key: (row: R) => K): Map<K, R[]> {
  const found = new Map<K, R[]>();
  for (const row of rows) {
    const members = found.get(key(row));
    if (members === undefined) {
      found.set(key(row), [row]);
    } else {
      members.push(row);
    }
  }
  return found;
}

/** What was measured, in words. */
export function measuredText([row]: Row[]): string {
  const folder = decodeURIComponent(row?.folder.split('/').filter((part) => part !== '').at(-1) ?? '');
  return row?.scope === '' ? `All of ${folder}` : `${row?.scope ?? ''} in ${folder}`;
}

function grouped(rows: Row[], grouping: Grouping, part: Part): Node[] {
  switch (grouping) {
    case 'none':
      return leaves(rows, part);
    case 'package':
      return groups(groupBy(rows, (row) => row.package || 'unknown package'), part);
    case 'file':
      return groups(groupBy(rows, (row) => row.file || 'unknown file'), part);
    case 'zone': {
      const byState = groupBy(rows, markStateOf);
      return markStates.flatMap((state) => {
        const members = byState.get(state);
        return members === undefined ? [] : [group(part, state, heading(state), members, leaves(members, part), state)];
      });
    }
  }
}

function heading(state: MarkState): string {
  const text = stateText(state);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function groups(byName: Map<string, Row[]>, part: Part): Node[] {
  return [...byName].map(([name, members]) => group(part, name, name, members, leaves(members, part)));
}

function group({ within, share }: Part, key: string, name: string, members: Row[], children: Node[], state?: MarkState): Group {
  const psi = members.reduce((sum, row) => sum + row.psi, 0);
  const stale = members.filter((row) => row.stale).length;
  const description = [counted(members) + share, `psi ${similarity(psi)}`, ...(stale > 0 ? [`${count(stale)} stale`] : [])].join(' · ');
  const made: Group = { type: 'group', key: `group|${within}|${key}`, label: name, description, children, ...(state && { state }) };
  for (const child of children) {
    if (child.type !== 'more') {
      child.parent = made;
    }
  }
  return made;
}

function leaves(rows: Row[], { qualified }: Part): Leaf[] {
  return rows.map((row) => ({
    type: 'row', key: `row|${row.run}|${row.folder}|${row.id}`, id: row.id, name: row.name, kind: row.kind, qualified,
    ...(row.place && { uri: row.place.uri }), row,
  }));
}

/** Whether the row is a Go function, which can be measured by its name. */
export function isFunction(node: Leaf): boolean {
  return node.kind === 'function' && node.uri?.endsWith('.go') === true;
}

/** Finds the row of a function, or undefined. */
export function findRow(nodes: Node[], id: string, uri: string): Leaf | undefined {
  for (const node of nodes) {
    const found = node.type === 'group' ? findRow(node.children, id, uri) : node.type === 'row' && node.id === id && node.uri === uri ? node : undefined;
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}
