import assert from 'node:assert/strict';
import test from 'node:test';
import type { Row } from '../src/protocol/answers';
import { findRow, isFunction, buildTree, pageSize, type Grouping, type Leaf, type Node } from '../src/results/treemodel';
import { groupings, remembered, sortings } from '../src/results/treechoices';
import { like, lost, sort } from './rows';

const add = like(sort, { rank: 2, id: 'example.com/parking.(*Park).Add', zone: 'yellow', psi: 0.3, file: 'park.go', place: { uri: 'file:///park/park.go', line: 4 } });
const wash = like(sort, { rank: 3, id: 'example.com/wash.Wash', package: 'example.com/wash', zone: 'green', psi: 0.1, stale: true });

/** A tree as indented lines. */
function drawn(nodes: Node[], indent = ''): string[] {
  return nodes.flatMap((node) => {
    switch (node.type) {
      case 'group':
        return [`${indent}${node.label}: ${node.description}`, ...drawn(node.children, `${indent}  `)];
      case 'row':
        return [`${indent}${node.row.rank}`];
      case 'more':
        return [`${indent}${node.label}`];
    }
  });
}

function rowsOf(nodes: Node[]): Leaf[] {
  return nodes.flatMap((node) => node.type === 'group' ? rowsOf(node.children) : node.type === 'row' ? [node] : []);
}

const trees: [Grouping, string[]][] = [
  ['none', ['1', '2', '3']],
  ['package', ['example.com/parking: 2 functions · psi 0.8812', '  1', '  2', 'example.com/wash: 1 function · psi 0.1000 · 1 stale', '  3']],
  ['file', ['order.go: 2 functions · psi 0.6812 · 1 stale', '  1', '  3', 'park.go: 1 function · psi 0.3000', '  2']],
  ['zone', [
    'Red zone: 1 function · psi 0.5812', '  1', 'Yellow zone: 1 function · psi 0.3000', '  2',
    'Measured before an edit: 1 function · psi 0.1000 · 1 stale', '  3',
  ]],
];
for (const [grouping, want] of trees) {
  test(`rows by ${grouping}`, () => {
    assert.deepEqual(drawn(buildTree([sort, add, wash], grouping, pageSize)), want);
  });
}

test('groups of zones have the picture of their zone', () => {
  const states = buildTree([sort, add, wash], 'zone', pageSize).map((node) => node.type === 'group' ? node.state : node.type);
  assert.deepEqual(states, ['red', 'yellow', 'stale']);
});

test('each measurement has a group of its own, with the grouping in it', () => {
  const part = like(add, { rank: 1, run: 'r2', scope: 'TestPark of .' });
  assert.deepEqual(drawn(buildTree([part, sort, wash], 'zone', pageSize)), [
    'TestPark of . in park: 1 function · psi 0.3000', '  Yellow zone: 1 function · psi 0.3000', '    1',
    'All of park: 2 functions · psi 0.6812 · 1 stale', '  Red zone: 1 function · psi 0.5812', '    1',
    '  Measured before an edit: 1 function · psi 0.1000 · 1 stale', '    3',
  ]);
});

test('a measurement of a part says so even if it is the only one', () => {
  assert.deepEqual(drawn(buildTree([like(add, { scope: 'TestPark of .' })], 'none', pageSize)), ['TestPark of . in park: 1 function · psi 0.3000', '  2']);
});

test('every node has a key of its own, also with the same function in two measurements', () => {
  const keys: string[] = [];
  const collect = (nodes: Node[]): void => {
    for (const node of nodes) {
      keys.push(node.key);
      collect(node.type === 'group' ? node.children : []);
    }
  };
  collect(buildTree([like(sort, { run: 'r2' }), sort, add, wash], 'file', 3));
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(keys.at(-1), 'more');
});

test('the first rows of a long ranking are shown, and an item for more', () => {
  const many = Array.from({ length: pageSize + 1 }, (_, i) => like(sort, { rank: i + 1, id: `f${i}` }));
  const tree = buildTree(many, 'none', pageSize);
  assert.equal(tree.length, pageSize + 1);
  assert.deepEqual(drawn(tree.slice(-2)), ['1000', 'Show 1,000 more (the first 1,000 are shown)']);
  assert.deepEqual(drawn(buildTree(many.slice(0, pageSize), 'none', pageSize).slice(-1)), ['1000']);
});

test('the sums of a measurement say if some of its rows are missing', () => {
  const rows = [add, sort, wash].map((row, i) => like(row, { run: i === 0 ? 'r1' : 'r2' }));
  assert.deepEqual(drawn(buildTree(rows, 'zone', 2)), [
    'All of park: 1 function · psi 0.3000', '  Yellow zone: 1 function · psi 0.3000', '    2',
    'All of park: 1 function of the first 2 · psi 0.5812', '  Red zone: 1 function of the first 2 · psi 0.5812', '    1',
    'Show 1,000 more (the first 2 are shown)',
  ]);
  assert.deepEqual(drawn(buildTree(rows, 'none', 1)).slice(0, 1), ['2'], 'the missing rows belong to another measurement');
});

test('the package is shown with the name if rows of several packages stand together', () => {
  const qualified = (rows: Row[], grouping: Grouping): boolean[] => rowsOf(buildTree(rows, grouping, pageSize)).map((node) => node.qualified);
  assert.deepEqual(qualified([sort, add], 'none'), [false, false]);
  assert.deepEqual(qualified([sort, wash], 'none'), [true, true]);
  assert.deepEqual(qualified([sort, wash], 'zone'), [true, true]);
  assert.deepEqual(qualified([sort, wash], 'package'), [false, false]);
});

test('a row is found by its function and file, and knows its group', () => {
  const tree = buildTree([sort, add, wash], 'package', pageSize);
  const found = findRow(tree, add.id, 'file:///park/park.go');
  assert.equal(found?.row, add);
  assert.equal(found.parent, tree[0]);
  assert.equal(findRow(tree, add.id, 'file:///park/other.go'), undefined);
});

test('a row carries what its commands need; only functions of Go can be measured', () => {
  const [node] = buildTree([sort], 'none', pageSize);
  assert.ok(node?.type === 'row');
  assert.deepEqual([node.id, node.name, node.kind, node.uri], [sort.id, '(*Park).Sort', 'function', 'file:///park/order.go']);
  assert.equal(isFunction(node), true);
  for (const other of [like(sort, { kind: 'block' }), like(sort, { place: { uri: 'file:///app.py', line: 1 } }), lost(sort)]) {
    const [no] = buildTree([other], 'none', pageSize);
    assert.ok(no?.type === 'row' && !isFunction(no));
  }
});

test('without results the tree is empty, and the view shows its welcome text', () => {
  assert.deepEqual(buildTree([], 'package', pageSize), []);
});

test('a remembered choice is used if it still exists', () => {
  assert.equal(remembered('file', groupings), 'file');
  assert.equal(remembered('colour', groupings), 'none');
  assert.equal(remembered(undefined, sortings), 'rank');
});
