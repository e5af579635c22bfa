import type { Tree } from './data';

/** Numbers of nodes that are not components, as spell/report writes them. */
export const smallCalls = -1;
export const unknownCallers = -2;

/** Deeper nodes are not drawn; measured stacks are cut long before. */
export const deepest = 256;

/** The places of a tree's nodes: from and to are shares of the whole width. */
export class Layout {
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly depth: Int32Array;
  /** The values of the nodes, callees included. */
  readonly value: Float64Array;
  readonly all: number;
  readonly rows: number;
  /** The first child of each node, and at the end the first root; -1: none. */
  readonly first: Int32Array;
  /** The next sibling of each node; -1: none. */
  readonly next: Int32Array;

  /** Siblings are ordered by value, the largest to the left. */
  constructor(readonly tree: Tree, own: number[]) {
    const n = tree.parent.length;
    this.value = Float64Array.from(own);
    this.from = new Float64Array(n);
    this.to = new Float64Array(n);
    this.depth = new Int32Array(n);
    let all = 0, rows = 0;
    for (let i = n - 1; i >= 0; i--) {
      const parent = this.parent(i);
      if (parent >= 0) {
        this.value[parent] = this.at(parent) + this.at(i);
      } else {
        all += this.at(i);
      }
    }
    this.all = all;
    [this.first, this.next] = this.links();
    const end = new Float64Array(n + 1); // where the next child of a node begins; at n, the next root
    for (const i of this.byValue()) {
      const parent = this.parent(i), above = parent < 0 ? n : parent;
      this.depth[i] = parent < 0 ? 0 : (this.depth[parent] ?? 0) + 1;
      rows = Math.max(rows, (this.depth[i] ?? 0) + 1);
      const from = end[above] ?? 0;
      this.from[i] = end[i] = from;
      this.to[i] = end[above] = from + (all === 0 ? 0 : this.at(i) / all);
    }
    this.rows = Math.min(rows, deepest);
  }

  parent(i: number): number { return this.tree.parent[i] ?? -1; }

  private at(i: number): number { return this.value[i] ?? 0; }

  private links(): [Int32Array, Int32Array] {
    const n = this.tree.parent.length;
    const first = new Int32Array(n + 1).fill(-1), next = new Int32Array(n).fill(-1);
    const order = Array.from({ length: n }, (_, i) => i).sort((a, b) => this.at(a) - this.at(b));
    for (const i of order) { // the largest is put in front last
      const above = this.parent(i) < 0 ? n : this.parent(i);
      next[i] = first[above] ?? -1;
      first[above] = i;
    }
    return [first, next];
  }

  /** All nodes, each after its parent, and the largest of siblings first. */
  private *byValue(): Generator<number> {
    const open: number[] = [this.tree.parent.length];
    for (let above = open.pop(); above !== undefined; above = open.pop()) {
      for (let i = this.first[above] ?? -1; i >= 0; i = this.next[i] ?? -1) {
        yield i;
        open.push(i);
      }
    }
  }

  /** The largest child; -1 if there is none. */
  child(i: number): number { return this.first[i < 0 ? this.tree.parent.length : i] ?? -1; }

  /** The neighbour to the right, or to the left; -1 if there is none. */
  beside(i: number, right: boolean): number {
    if (right) {
      return this.next[i] ?? -1;
    }
    let k = this.child(this.parent(i));
    while (k >= 0 && this.next[k] !== i) {
      k = this.next[k] ?? -1;
    }
    return k;
  }

  /** Tells whether a node is the other one or below it. */
  isBelow(i: number, other: number): boolean {
    let k = i;
    while (k >= 0 && k !== other) {
      k = this.parent(k);
    }
    return k === other;
  }
}
