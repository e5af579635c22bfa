import assert from 'node:assert/strict';
import test from 'node:test';
import { markAt, parseMachines, parseMarks, parseMeasureResult, parsePrograms, parseRanking } from '../src/protocol/answers';
import { heatBar, markStates, shownMarks } from '../src/text/markstate';

const mark = {
  id: 'example.com/park.(*Park).Sort', name: '(*Park).Sort', kind: 'function', zone: 'red', level: 'error', rank: 1, psi: 0.5,
  stale: false, belowResolution: false, estimated: true, title: 'RED #1',
  range: { start: { line: 4, character: 5 }, end: { line: 4, character: 9 } }, extent: { start: { line: 4, character: 0 }, end: { line: 20, character: 1 } },
};

const row = {
  rank: 1, id: 'example.com/park.(*Park).Sort', name: '(*Park).Sort', kind: 'function', package: 'example.com/park', zone: 'red', psi: 0.5, share: 0.4,
  psi_ci: [0.4, 0.6], energy_j: { cpu: 1.25, dram: 0.25 }, energy_ci_j: { cpu: [1, 1.5] }, epi_j: 0.1, n: 14, time_ms: 20,
  below_resolution: true, file: 'order.go', uri: 'file:///park/order.go', line: 9, stale: false, gone: false, estimated: true,
  change: { what: 'energy', relative: -0.5, verdict: 'better', text: '50 % less energy, significant' },
  run: 'r1', folder: 'file:///park', scope: '', meter: 'model', source: 'estimated',
};

test('a mark is read with the places of its name and its declaration', () => {
  const [read] = parseMarks({ marks: [mark] });
  assert.deepEqual(read, {
    id: mark.id, name: mark.name, zone: 'red', level: 'error', psi: 0.5, rank: 1, stale: false, range: mark.range, extent: mark.extent, lines: [],
  });
});

test('a mark has the lines of its function with what they hold', () => {
  const lines = [{ line: 6, share: 0.75, energy_j: { cpu: 1.5 }, text: '75.0 % of the self time, 1.50 J' }];
  assert.deepEqual(parseMarks({ marks: [{ ...mark, lines }] })[0]?.lines, [{ line: 6, share: 0.75, text: '75.0 % of the self time, 1.50 J' }]);
  assert.deepEqual([1, 0.5, 0.01].map(heatBar), ['▇▇▇▇▇▇▇▇', '▇▇▇▇▁▁▁▁', '▇▁▁▁▁▁▁▁']);
});

test('programs and scenarios are read, and a newer server may say more', () => {
  const programs = [{ name: './cmd/serve', uri: 'file:///m/cmd/serve' }];
  const scenarios = [{ name: 'serve', exec: './cmd/serve -addr :0', uri: 'file:///m' }];
  assert.deepEqual(parsePrograms({ programs, scenarios: scenarios.map((s) => ({ ...s, load: 'hey' })), more: 1 }), { programs, scenarios });
});

test('machines are read, also beside a file with a fault', () => {
  const answer = { file: '/home/me/machines.yaml', machines: [{ name: 'lab', host: 'me@lab' }], chosen: ['lab'] };
  assert.deepEqual(parseMachines({ ...answer, more: 1 }), { ...answer, problem: '' });
  assert.equal(parseMachines({ ...answer, machines: [], problem: 'machines.yaml:1:6: is no host' }).problem, 'machines.yaml:1:6: is no host');
});

test('a mark of a block names its function', () => {
  const [read] = parseMarks({ marks: [{ ...mark, id: `${mark.id}#for1`, kind: 'block', function: mark.id }] });
  assert.deepEqual([read?.id, read?.function], [`${mark.id}#for1`, mark.id]);
});

test('the function at the cursor is the innermost around it', () => {
  const at = (name: string, from: number, to: number): typeof mark => (
    { ...mark, name, extent: { start: { line: from, character: 0 }, end: { line: to, character: 1 } } });
  const marks = parseMarks({ marks: [at('outer', 0, 30), at('inner', 4, 8), at('last', 10, 12)] });
  assert.deepEqual([5, 9, 12, 31].map((line) => markAt(marks, line)?.name), ['inner', 'outer', 'last', undefined]);
});

test('a mark is drawn by its zone until it is stale, and not at all where its zone is off', () => {
  const stale = { ...mark, name: 'stale', stale: true, level: 'hint' };
  const off = [{ ...mark, zone: 'green', level: 'off' }, { ...mark, zone: 'green', stale: true, level: 'off' }];
  const marks = parseMarks({ marks: [mark, stale, ...off] });
  assert.deepEqual(markStates.map((state) => shownMarks(marks, state).map((m) => m.name)), [['(*Park).Sort'], [], [], ['stale']]);
});

test('a row has its domains with intervals, and its change in words', () => {
  const [read] = parseRanking([row]);
  assert.deepEqual(read, {
    rank: 1, id: row.id, name: row.name, kind: 'function', package: row.package, zone: 'red', psi: 0.5, share: 0.4, psiInterval: [0.4, 0.6], joules: 1.5,
    domains: [{ name: 'cpu', joules: 1.25, interval: [1, 1.5] }, { name: 'dram', joules: 0.25 }], joulesPerCall: 0.1, n: 14, timeMs: 20,
    belowResolution: true, file: 'order.go', place: { uri: row.uri, line: 8 }, stale: false, gone: false,
    change: '50 % less energy, significant', run: 'r1', folder: 'file:///park', scope: '', meter: 'model', source: 'estimated',
  });
});

test('the answer of a server that does not say what is gone can be read', () => {
  const { gone, ...rest } = row;
  assert.equal(gone || parseRanking([rest])[0]?.gone, false);
});

test('a component without a file has no place to go to', () => {
  const [read] = parseRanking([{ ...row, file: '' }]);
  assert.ok(read && !('place' in read));
});

test('unknown values are left out: without a domain, the energy is not 0 J', () => {
  const { change, energy_ci_j, ...rest } = row;
  assert.ok(change.text !== '' && energy_ci_j.cpu.length === 2);
  const [read] = parseRanking([{ ...rest, psi_ci: [0, 0], energy_j: null }]);
  assert.ok(read && !('psiInterval' in read) && !('joules' in read) && read.change === '' && read.domains.length === 0);
  const { energy_j, ...noEnergy } = row;
  assert.ok(energy_j.cpu > 0 && !('joules' in (parseRanking([noEnergy])[0] ?? {})));
});

const bad: [string, () => unknown, RegExp][] = [
  ['no programs', () => parsePrograms({ scenarios: [] }), /"programs" is undefined/],
  ['a machine without a host', () => parseMachines({ file: '', machines: [{ name: 'lab' }], chosen: [] }), /"host" is undefined/],
  ['a machine without a name that is chosen', () => parseMachines({ file: '', machines: [], chosen: [null] }), /"name" is null/],
  ['a scenario without a command', () => parsePrograms({ programs: [], scenarios: [{ name: 'serve', uri: 'file:///m' }] }), /"exec" is undefined/],
  ['no result', () => parseMeasureResult(null), /the result is not an object/],
  ['a count that is text', () => parseMeasureResult({ run: 'r', tests: '5', components: 1, top: [] }), /"tests" is "5"/],
  ['a component without psi', () => parseMeasureResult({ run: 'r', tests: 5, components: 1, top: [{ id: 'a' }] }), /"psi" is undefined/],
  ['outcomes that are not a list', () => parseMeasureResult({ run: 'r', tests: 5, components: 1, top: [], outcomes: {} }), /"outcomes" is \{\}/],
  ['an unknown zone', () => parseRanking([{ ...row, zone: 'blue' }]), /"zone" is "blue"/],
  ['no marks', () => parseMarks({}), /"marks" is undefined/],
  ['a mark without a place', () => parseMarks({ marks: [{ ...mark, range: null }] }), /"range" is not an object/],
  ['a line that is text', () => parseMarks({ marks: [{ ...mark, extent: { start: { line: '1', character: 0 }, end: mark.extent.end } }] }), /"line" is "1"/],
  ['a ranking that is not a list', () => parseRanking({ rows: [] }), /the ranking is not a list/],
  ['a row that is not an object', () => parseRanking([[]]), /a row of the ranking is not an object/],
  ['an unknown source', () => parseRanking([{ ...row, source: 'guessed' }]), /"source" is "guessed"/],
  ['an interval of three numbers', () => parseRanking([{ ...row, psi_ci: [1, 2, 3] }]), /"psi_ci" is \[1,2,3\]/],
];
for (const [what, parse, message] of bad) {
  test(`an answer of another version of the server is refused with its reason: ${what}`, () => {
    assert.throws(parse, message);
  });
}
