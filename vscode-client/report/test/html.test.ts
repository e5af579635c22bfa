import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Report } from '../data';
import { embedded, data, open, part, written } from './page';

const attack = '</script><img src=x onerror="document.title=\'owned\'">';

test('the embedded page is the one that the source builds', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'spell-report-'));
  try {
    const built = path.join(dir, 'page.html');
    execFileSync(process.execPath, ['build.mjs', '--report', built]);
    assert.ok(readFileSync(built).equals(readFileSync(embedded)), 'run: npm run report');
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('names from source code are text wherever they are shown', () => {
  const { document, errors } = open(false);
  assert.deepEqual(errors, []);
  assert.equal(document.querySelectorAll('img').length, 0);
  assert.notEqual(document.title, 'owned');
  for (const details of document.querySelectorAll('details')) {
    details.open = true;
  }
  for (const section of ['header', '#figures', '#ranking', '#comparison', '#categories']) {
    assert.ok(part(document, section).textContent.includes(attack), section);
  }
});

test('compressed data are shown, at the section that was requested meanwhile; data that cannot be read give a message', { timeout: 20_000 }, async () => {
  const opened = open(false, gzipSync(JSON.stringify(data())).toString('base64'), 'application/gzip');
  opened.window.postMessage({ type: 'show', section: 'flame' }, '*');
  while (opened.document.activeElement?.id !== 'flame-title' && opened.errors.length === 0) {
    await setImmediate();
  }
  assert.deepEqual(opened.errors, []);
  assert.ok(part(opened.document, '#ranking').textContent.includes(attack));
  const broken = open(false, 'AAAA', 'application/gzip');
  while (broken.document.querySelector('[role=alert]') === null) {
    await setImmediate();
  }
  assert.match(part(broken.document, '[role=alert]').textContent, /cannot read the data of this report: .+/);
});

test('the markup has no styles and no handlers, which the policy would refuse', () => {
  const html = readFileSync(embedded, 'utf8').replace(/<(script|style)[^>]*>[^]*?<\/\1>/g, '');
  assert.doesNotMatch(html, /\sstyle=|\son\w+=|src=|href=/);
});

test('measured and estimated energy are told apart', () => {
  const box = part(open(false).document, '#figures').textContent;
  assert.match(box, /Estimated.*computed by a model/);
  assert.match(box, /1 component below resolution/);
  assert.match(box, /idle machineest\. 2\.75 J33\.3 %/);
  const measured = written({ ...data(), source: 'measured' });
  assert.match(part(open(false, measured).document, '#figures').textContent, /^Where these figures come fromMeasured/);
});

test('the first screen has the verdict, what the run is about, its first components and its doubts, before all else', () => {
  const run = data() as unknown as Report, words = run.honesty.first;
  const { document, told } = open(true);
  const header = part(document, 'header');
  const headlines = [...header.querySelectorAll('.headline')].map((node) => node.textContent);
  assert.deepEqual(headlines, [run.comparison?.headline, words.headline]);
  const rows = [...header.querySelectorAll('.leaders tbody')].map((body) => [...body.querySelectorAll('th, td')].map((cell) => cell.textContent));
  assert.deepEqual(rows, words.leaders.map(({ rank, share, amount, reason, calls }, i) => [
    `${run.components.zone[i]} ${run.components.name[i]}`, String(rank), `${run.components.files[run.components.file[i] ?? -1]}:${run.components.line[i]}`,
    `${(100 * share).toFixed(1)} %`, amount, calls, reason,
  ]));
  assert.deepEqual([...header.querySelectorAll('.caution li')].map((node) => node.textContent), [...run.comparison?.caveats ?? [], ...words.failed, ...words.doubts ?? []]);
  part(document, '.leaders .link').click();
  assert.equal((told.at(-1) as { line: number }).line, 10);
  assert.equal(header.nextElementSibling?.tagName, 'NAV', 'everything else is below');
});

test('the bar of the first screen divides the whole; shares that overlap have none', () => {
  const run = data() as unknown as Report;
  const parts = [...part(open(false).document, '.shares').children] as HTMLElement[];
  const sum = parts.reduce((all, node) => all + Number(node.style.flexGrow), 0);
  assert.ok(Math.abs(sum - 1) < 1e-9, String(sum));
  const first = { ...run.honesty.first, shares: false };
  const { document } = open(false, written({ ...run, honesty: { ...run.honesty, first } }));
  assert.equal(document.querySelector('.shares'), null);
});

test('a chosen component is shown in the editor; in a browser its place can be read', () => {
  const editor = open(true);
  assert.deepEqual(editor.told, [{ type: 'ready' }]);
  part(editor.document, '#row-0').click();
  assert.deepEqual(editor.told.slice(1), [{ type: 'reveal', id: `example.com/${attack}.${attack}a`, file: `${attack}.go`, line: 10 }]);
  const browser = open(false);
  part(browser.document, '#row-0').click();
  assert.ok(part(browser.document, '.details .place').textContent.endsWith('.go:10'));
  assert.equal(browser.document.querySelectorAll('.link').length, 0);
});

test('the power has a column, and its interval stands in the details', () => {
  const run = data() as { components: Record<string, unknown> };
  run.components['powers'] = { watts: [14.5, 0, 6], low: [13, 0, 0], high: [15.5, 0, 0], ratio: [1.43, 0, 0.6] };
  const { document, errors } = open(false, written(run));
  const heads = [...document.querySelectorAll('[role=columnheader]')].map((head) => head.textContent);
  const at = heads.indexOf('W');
  assert.notEqual(at, -1, heads.join());
  assert.equal(part(document, '#row-0').querySelectorAll('[role=gridcell]')[at]?.textContent, '14.5 W');
  assert.equal(part(document, '#row-1').querySelectorAll('[role=gridcell]')[at]?.textContent, '');
  part(document, '#row-0').click();
  assert.ok(part(document, '.details').textContent.includes('power14.5 W (13.0 W to 15.5 W), 1.4 times the mean'), part(document, '.details').textContent);
  part(document, '#row-1').click();
  assert.doesNotMatch(part(document, '.details').textContent, /times the mean/);
  assert.deepEqual(errors, []);
  assert.ok(![...open(false).document.querySelectorAll('[role=columnheader]')].some((head) => head.textContent === 'W'));
});

test('details have the structure of a function, if it is known', () => {
  const run = data() as { components: Record<string, unknown> };
  run.components['structure'] = { complexity: [1234, 0, 1], lines_of_code: [1, 0, 9], fan_in: [0, 0, 2], fan_out: [3, 0, 0] };
  const { document, errors } = open(false, written(run));
  part(document, '#row-0').click();
  assert.ok(part(document, '.details').textContent.includes('structurecomplexity 1,234, 1 line of code, fan-in 0, fan-out 3'), part(document, '.details').textContent);
  part(document, '#row-1').click();
  assert.doesNotMatch(part(document, '.details').textContent, /complexity/);
  const without = open(false);
  part(without.document, '#row-0').click();
  assert.doesNotMatch(part(without.document, '.details').textContent, /complexity/);
  assert.deepEqual(errors, []);
});

test('an editor requests a section of the page', async () => {
  const { window, document } = open(true);
  window.postMessage({ type: 'show', section: 'flame' }, '*');
  await new Promise((done) => setTimeout(done, 50));
  assert.equal(document.activeElement?.id, 'flame-title');
});

test('the ranking is used by keyboard: rows, heads, groups', () => {
  const { window, document } = open(true);
  const grid = part(document, '.grid');
  const press = (key: string) => grid.dispatchEvent(new window.KeyboardEvent('keydown', { key, bubbles: true }));
  press('ArrowDown');
  assert.equal(grid.getAttribute('aria-activedescendant'), 'row-1');
  press('End');
  assert.equal(grid.getAttribute('aria-activedescendant'), 'row-2');
  press('Enter');
  assert.match(part(document, '.details').textContent, /rank3/);
  const psi = [...document.querySelectorAll<HTMLButtonElement>('[role=columnheader] button')].find((head) => head.textContent === 'psi');
  psi?.click();
  psi?.click();
  assert.equal(psi?.parentElement?.getAttribute('aria-sort'), 'ascending');
  assert.ok(part(document, '#row-0').textContent.startsWith('3'), 'the lowest psi is first');
});

test('the ranking is filtered and grouped', () => {
  const { window, document } = open(false);
  const set = (node: HTMLElement, value: string, event: string) => {
    (node as HTMLInputElement).value = value;
    node.dispatchEvent(new window.Event(event));
  };
  const input = part(document, '#ranking input'), told = part(document, '#ranking .status');
  set(input, '>a', 'input');
  assert.match(told.textContent, /^1 function of 3 shown/);
  set(input, 'nothing is called so', 'input');
  assert.match(told.textContent, /^0 functions of 3/);
  set(input, '', 'input');
  const [zone, group] = document.querySelectorAll<HTMLElement>('#ranking select');
  assert.ok(zone !== undefined && group !== undefined);
  set(group, 'zone', 'change');
  const row = part(document, '#row-0');
  assert.match(row.textContent, /▾ red \(1\)/);
  row.click();
  assert.equal(part(document, '#row-0').getAttribute('aria-expanded'), 'false');
  assert.match(told.textContent, /^2 functions of 3 shown, some groups are closed/);
  set(zone, 'R', 'change');
  assert.match(told.textContent, /^0 functions/);
});

test('before and after: verdicts with their reasons', () => {
  const text = part(open(false).document, '#comparison').textContent;
  assert.match(text, /greenup1\.73/);
  assert.match(text, /▼ better/);
  assert.match(text, /below resolution/);
});

test('the heat map says if its values include callees', () => {
  const legend = (run: object) => part(open(false, written(run)).document, '#matrix .legend').textContent;
  assert.doesNotMatch(legend(data()), /with what a component calls/);
  assert.match(legend({ ...data(), inclusive: true }), /per round, with what a component calls\. /);
});

test('a run without energy has no joules anywhere', () => {
  const all = data() as { components: object };
  const none = written({ ...all, comparison: undefined, source: 'none', domains: [], weights: [], components: { ...all.components, energy_j: [] } });
  const { document, errors } = open(false, none);
  assert.deepEqual(errors, []);
  assert.doesNotMatch(part(document, '#ranking').textContent, / J\b/);
  assert.match(part(document, '#time').textContent, /No energy is known/);
});

test('a growth is read out size by size, stands in a table and in the details of its function, and its names are text', () => {
  const growth = {
    subject: attack, component: 0, series: `m.BenchmarkSort/${attack}=*`, sentence: 'grows as n^2.0 (1.9 to 2.1) with n, 16 to 1,024', size: 'n', unit: 'ms',
    sizes: [16, 128, 1024], costs: [0.5, 32, 2048], low: [0.4, 31, 2000], high: [0.6, 33, 2100],
    curve: { sizes: [16, 1024, 10240], costs: [0.5, 2048, 204800], low: [0.4, 2000, 180000], high: [0.6, 2100, 220000], extrapolated: 2 },
  };
  const { document, window, errors } = open(false, written({ ...data(), growths: [growth, { ...growth, component: -1 }] }));
  const frame = part(document, '#growth .growth');
  assert.match(frame.getAttribute('aria-label') ?? '', /grows as n\^2\.0/);
  const press = (key: string) => {
    frame.dispatchEvent(new window.KeyboardEvent('keydown', { key }));
    return part(document, '#growth [role=status]').textContent;
  };
  assert.equal(press('ArrowRight'), 'n 16: 500 µs (400 µs to 600 µs)');
  assert.equal(press('ArrowRight'), 'n 128: 32.0 ms (31.0 ms to 33.0 ms)');
  assert.equal(press('ArrowLeft'), 'n 16: 500 µs (400 µs to 600 µs)');
  const table = part(document, '#growth details') as HTMLDetailsElement;
  table.open = true;
  table.dispatchEvent(new window.Event('toggle'));
  assert.match(table.textContent, /1,024.*2\.05 s.*2\.00 s to 2\.10 s/);
  const select = part(document, '#growth select') as HTMLSelectElement;
  select.value = '1';
  select.dispatchEvent(new window.Event('change'));
  assert.ok(part(document, '#growth').textContent.includes(`m.BenchmarkSort/${attack}=* grows as`));
  part(document, '#ranking .space .row').click();
  assert.match(part(document, '#ranking .details').textContent, /growthgrows as n\^2\.0/);
  assert.equal(document.querySelectorAll('img').length, 0);
  assert.deepEqual(errors, []);
});
