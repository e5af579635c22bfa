import assert from 'node:assert/strict';
import test from 'node:test';
import { escaped, spacedTables } from '../src/text/markdown';
import { description, label, lostText, pickItem, spoken, summary, tooltip } from '../src/text/rowtext';
import { like, lost, sort } from './rows';

const estimated = like(sort, { source: 'estimated', meter: 'model' });
const worn = like(estimated, { stale: true, belowResolution: true, change: '20 % less energy, significant' });

test('a row shows joules and psi, and before them the value that rows are sorted by', () => {
  assert.equal(description(sort, 'psi'), '1.50 J · psi 0.5812');
  assert.equal(description(sort, 'energy'), '1.50 J · psi 0.5812');
  assert.equal(description(sort, 'time'), '60.2 ms · 1.50 J · psi 0.5812');
  assert.equal(description(sort, 'n'), '600 calls · 1.50 J · psi 0.5812');
  assert.equal(description(like(sort, { n: 1 }), 'n'), '1 call · 1.50 J · psi 0.5812');
  assert.equal(description(estimated, 'epi'), 'est. 2.50 mJ a call · est. 1.50 J · psi 0.5812');
});

test('a name has its package if the rows around it have other packages', () => {
  assert.equal(label(sort, true), '1. parking.(*Park).Sort');
  assert.equal(label(sort, false), '1. (*Park).Sort');
  assert.equal(label(like(sort, { id: 'example.com/parking', kind: 'package' }), false), '1. parking');
  assert.equal(label(like(sort, { id: 'main.main', package: 'example.com/tool' }), false), '1. main.main');
});

test('a row says what is uncertain, and what has changed', () => {
  assert.equal(description(worn, 'psi'), 'est. 1.50 J · psi 0.5812 · stale · below resolution · 20 % less energy, significant');
  assert.equal(description(like(worn, { gone: true, change: '' }), 'psi'), 'est. 1.50 J · psi 0.5812 · gone · below resolution');
  assert.equal(description(like(sort, { source: 'none' }), 'psi'), 'energy unknown · psi 0.5812');
  assert.equal(description(like(sort, { source: '' }), 'psi'), '1.50 J of unknown origin · psi 0.5812');
});

test('the text for screen readers says everything in words, without letters for zones', () => {
  assert.equal(spoken(sort), 'Rank 1, parking.(*Park).Sort, red zone, psi 0.5812, 1.50 J, 600 calls, 60.2 ms');
  assert.equal(spoken(worn), 'Rank 1, parking.(*Park).Sort, measured before an edit, psi 0.5812, 1.50 J estimated, 600 calls, 60.2 ms, '
    + 'below the resolution of the meter, 20 % less energy, significant');
  assert.match(spoken(lost(sort)), /source location is unknown$/);
});

test('a tooltip is a table of what is known, with intervals and the source of the energy', () => {
  const text = tooltip(sort);
  assert.match(text, /^\*\*\\#1\\, red zone\*\* /);
  for (const line of [
    '| psi | 0\\.5812 \\(95 \\%\\: 0\\.5500 to 0\\.6100\\) |', '| energy | 1\\.50 J |', '| energy of cpu | 1\\.50 J \\(95 \\%\\: 1\\.40 J to 1\\.60 J\\) |',
    '| energy a call | 2\\.50 mJ |', '| calls | 600 |', '| place | order\\.go\\:9 |', '| measured | all of the folder |', '| meter | rapl |',
  ]) {
    assert.ok(text.includes(spacedTables(line)), `${line} is not in\n${text}`);
  }
  assert.doesNotMatch(text, /change|Edited/);
  assert.match(tooltip(worn), /Edited or removed since[\s\S]*Below the resolution[\s\S]*\| change \| &emsp;20 \\% less energy/);
  assert.match(tooltip(lost(sort)), /\| place \| &emsp;unknown \|/);
});

test('a name cannot become markup, a link or a row of the table', () => {
  const bad = '[x](command:evil) <img src=x> | `a` **b**\n# c &lt; $(trash)';
  assert.equal(escaped(bad), '\\[x\\]\\(command\\:evil\\) &lt;img src\\=x\\> \\| \\`a\\` \\*\\*b\\*\\* \\# c &amp;lt\\; \\$\\(trash\\)');
  const lines = tooltip(like(sort, { id: bad, scope: bad, meter: bad, change: bad })).split('\n');
  assert.equal(lines.length, tooltip(like(sort, { change: 'x' })).split('\n').length);
});

test('the line above the ranking names the meters, the number of stale rows, and the filter', () => {
  assert.equal(summary([sort, like(sort, { stale: true })], ''), 'Energy is measured (rapl). 1 function edited or removed since the measurement.');
  assert.match(summary([like(sort, { kind: 'package', stale: true }), like(sort, { kind: 'package', stale: true })], ''), /2 packages edited or removed since/);
  assert.equal(summary([estimated, sort], 'Sort'), 'Energy is estimated (model). Energy is measured (rapl). Filter: Sort');
  assert.equal(summary([like(sort, { source: 'none' })], ''), 'No energy meter: ranked by calls and running time.');
});

test('a row of a list to pick from shows rank, zone, name, psi and joules', () => {
  const { label: first, description: second, detail } = pickItem(sort);
  assert.deepEqual([first, second, detail], ['1. R parking.(*Park).Sort', 'psi 0.5812, 1.50 J', 'example.com/parking.(*Park).Sort']);
});

test('such a row says if it is estimated or stale, or if its place is unknown', () => {
  assert.equal(pickItem(like(estimated, { stale: true })).description, 'psi 0.5812, 1.50 J estimated, measured before an edit');
  assert.equal(pickItem(like(sort, { source: '' })).description, 'psi 0.5812, 1.50 J of unknown origin');
  const { joules, ...without } = lost(like(sort, { source: 'none' }));
  assert.equal(joules, 1.5);
  assert.equal(pickItem(without).description, 'psi 0.5812');
  assert.match(pickItem(without).detail, /source location is unknown/);
});

test('the user is told if a function is gone or its place was never known', () => {
  assert.equal(lostText(sort), undefined);
  assert.match(lostText(like(sort, { stale: true, gone: true })) ?? '', /^parking\.\(\*Park\)\.Sort is gone: it was deleted.* in order\.go\.$/);
  assert.match(lostText(lost(like(sort, { gone: true }))) ?? '', /unknown\.$/);
});
