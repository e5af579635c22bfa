import assert from 'node:assert/strict';
import test from 'node:test';
import manifest from '../package.json';
import { escaped } from '../src/text/markdown';
import { linked, statusLabel } from '../src/text/statuslabel';
import type { Row } from '../src/protocol/answers';
import { like, sort } from './rows';

const worst = like(sort, { meter: '' });
const idle = { trusted: true, rows: [] };
const ranked = { trusted: true, rows: [worst] };

test('a click measures, cancels, shows the ranking, manages trust, or looks for the server again', () => {
  const labels = [
    idle, { ...ranked, measuring: {} }, ranked, { ...idle, trusted: false }, { ...ranked, problem: 'no spell-lsp' },
  ].map(statusLabel);
  assert.deepEqual(labels.map(({ text, command }) => [text, command]), [
    ['$(pulse) spell', 'spell.measureWorkspace'],
    ['$(sync~spin) spell: measuring', 'spell.cancel'],
    ['$(pulse) spell: R 60.1 %', 'spell.showRanking'],
    ['$(shield) spell: restricted', 'workbench.trust.manage'],
    ['$(error) spell: no server', 'spell.restart'],
  ]);
  assert.deepEqual(labels.map((label) => label.alarm), [false, false, false, false, true]);
});

test('while measuring, the percentage that is done is shown', () => {
  assert.equal(statusLabel({ ...idle, measuring: { percent: 41.7 } }).text, '$(sync~spin) spell: measuring 42 %');
});

test('while measuring, the tooltip has the round and the time that is left, literally', () => {
  const doing = 'round 3 of at most 30, about 77 s each, 4 min left; now m/[a](b)';
  const { tooltip } = statusLabel({ ...idle, measuring: { percent: 10, doing } });
  assert.equal(tooltip, `Measuring energy: ${escaped(doing)}.\n\nClick to cancel.`);
  assert.ok(!tooltip.includes('[a](b)'), tooltip);
  assert.equal(statusLabel({ ...idle, measuring: {} }).tooltip, 'Measuring energy.\n\nClick to cancel.');
});

test('while a program runs, what has run longest so far is shown, and the first of them in the tooltip, literally', () => {
  const live = [{ id: 'example.com/shop/store.(*Store).Distance', share: 0.932 }, { id: 'example.com/shop.[a](b)', share: 0.0004 }];
  const { text, tooltip, spoken } = statusLabel({ ...ranked, measuring: { percent: 41.7, doing: 'round 1 of 3', live } });
  assert.equal(text, '$(sync~spin) spell: measuring 42 % · store.(*Store).Distance 93.2 %');
  assert.equal(spoken, 'spell: measuring 42 % · store.(*Store).Distance 93.2 %');
  assert.ok(tooltip.includes(`1. 93.2 % ${escaped('store.(*Store).Distance')}  \n2. <0.1 % ${escaped('shop.[a](b)')}`), tooltip);
  assert.match(tooltip, /of the running time so far/);
});

test('the machine that measures is named, whatever is shown, but where there is no server', () => {
  const machines = ['lab'];
  const labels = [{ ...idle, machines }, { ...ranked, machines, measuring: { percent: 41.7 } }, { ...ranked, machines }, { ...ranked, machines, problem: 'no spell-lsp' }].map(statusLabel);
  assert.deepEqual(labels.map(({ text, spoken }) => [text, spoken]), [
    ['$(pulse) spell on lab', 'spell on lab'],
    ['$(sync~spin) spell on lab: measuring 42 %', 'spell on lab: measuring 42 %'],
    ['$(pulse) spell on lab: R 60.1 %', 'spell on lab: R 60.1 %'],
    ['$(error) spell: no server', 'spell: no server'],
  ]);
  assert.match(labels[2]?.tooltip ?? '', /Measurements run on lab\.$/);
  assert.match(labels[0]?.tooltip ?? '', /\[Measure on\.\.\.\]\(command:spell\.measureOn\)/);
  assert.equal(statusLabel({ ...ranked, machines: [] }).text, '$(pulse) spell: R 60.1 %');
  assert.equal(statusLabel({ ...ranked, machines: ['lab', 'rack'] }).text, '$(pulse) spell on lab, rack: R 60.1 %', 'folders may choose several');
});

test('a long name leaves room in the status bar', () => {
  const { text } = statusLabel({ ...ranked, measuring: { live: [{ id: `example.com/x.${'Long'.repeat(20)}`, share: 1 }] } });
  assert.equal(text, '$(sync~spin) spell: measuring · x.LongLongLongLongLongLongLongL… 100.0 %');
});

const remarks: [string, Partial<Row>, string, RegExp][] = [
  ['a measurement', {}, '$(pulse) spell: R 60.1 %', /was measured by a counter/],
  ['a measurement whose counters are not the system\'s', { meter: "rapl from counters below /srv/planted, not the system's" }, '$(pulse) spell: R 60.1 %', /was measured by a counter\. \(rapl from counters below \/srv\/planted, not the system's\)/],
  ['an energy of unknown origin', { source: '' }, '$(pulse) spell: R 60.1 %, origin unknown', /1\.50 J of unknown origin[\s\S]*does not say whether its energy was measured/],
  ['an estimate', { source: 'estimated' }, '$(pulse) spell: R 60.1 %, estimated', /is estimated/],
  ['a stale result', { stale: true }, '$(history) spell: R 60.1 %, stale', /1 function of the first 1 measured before an edit/],
];
for (const [what, change, text, tooltip] of remarks) {
  test(`${what} is shown as such`, () => {
    const label = statusLabel({ ...ranked, rows: [{ ...worst, ...change }] });
    assert.equal(label.text, text);
    assert.match(label.tooltip, tooltip);
  });
}

test('stale rows are counted by their kind', () => {
  const stale = { ...worst, kind: 'package', stale: true };
  assert.match(statusLabel({ ...ranked, rows: [stale, stale, worst] }).tooltip, /2 packages of the first 3 measured/);
});

test('without a meter, no energy is claimed', () => {
  const { joules, ...without } = worst;
  assert.equal(joules, 1.5);
  const label = statusLabel({ ...ranked, rows: [without] });
  assert.equal(label.text, '$(pulse) spell: R 60.1 %, no meter');
  assert.match(label.tooltip, /No energy meter: only calls and running time are known/);
  assert.doesNotMatch(label.tooltip, / J/);
});

test('in a workspace that is not trusted, results are shown and nothing that runs code is offered', () => {
  const label = statusLabel({ ...ranked, trusted: false });
  assert.match(label.tooltip, /not trusted/);
  assert.doesNotMatch(label.tooltip, /measureWorkspace/);
});

test('names of the source are shown literally, and link to nothing', () => {
  const { tooltip } = statusLabel({ ...ranked, rows: [{ ...worst, id: 'x.[a](command:spell.clear)<b>*_\n#' }] });
  assert.ok(tooltip.includes('x\\.\\[a\\]\\(command\\:spell\\.clear\\)&lt;b\\>\\*\\_ \\#'), tooltip);
});

test('a link leads to a command of this extension, and screen readers hear no icons', () => {
  const declared = manifest.contributes.commands.map((c) => c.command);
  assert.deepEqual(linked.filter((command) => !declared.includes(command)), []);
  assert.equal(statusLabel(ranked).spoken, 'spell: R 60.1 %');
});
