import assert from 'node:assert/strict';
import test from 'node:test';
import { forWebview, withoutNonces, openFile, parseReveal } from '../src/results/reportpage';

function page(nonce: string): string {
  return `<!doctype html><html><head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src data:">
<style nonce="${nonce}">body { margin: 0 }</style></head>
<body><h2 id="flame">Flame</h2><script type="application/json" nonce="${nonce}">{"id":"a"}</script><script nonce="${nonce}">draw()</script></body></html>`;
}

test('the page in a webview has a fresh nonce on each script and style, and a policy that lets nothing else in', () => {
  const html = forWebview(page('SPELL-abc/+='), 'FRESH');
  assert.doesNotMatch(html, /SPELL-abc/);
  assert.equal(html.match(/<meta http-equiv/g)?.length, 1);
  assert.ok(html.includes(`content="default-src 'none'; script-src 'nonce-FRESH'; style-src 'nonce-FRESH'; img-src data:; base-uri 'none'; form-action 'none'"`));
  const tags = html.match(/<(script|style)[^>]*>/g) ?? [];
  assert.equal(tags.length, 3);
  assert.deepEqual(tags.filter((tag) => !tag.includes('nonce="FRESH"')), []);
});

test('a page of another shape is refused, not shown without its policy', () => {
  const policy = /<meta http-equiv[^>]*>/;
  assert.throws(() => forWebview(page('x').replace(policy, ''), 'n'), /must have one Content-Security-Policy/);
  assert.throws(() => forWebview(page('x') + page('x'), 'n'), /must have one/);
  assert.throws(() => forWebview(page('x').replace(policy, `<meta http-equiv="Content-Security-Policy" content="default-src *">`), 'n'), /with a nonce/);
});

test('reports of the same run are the same page, whatever their nonces', () => {
  assert.equal(withoutNonces(page('SPELL-abc/+=')), withoutNonces(page('SPELL-def')));
  assert.notEqual(withoutNonces(page('x')), withoutNonces(page('x').replace('"a"', '"b"')));
});

test('the page can ask for a function to be shown, and nothing else', () => {
  assert.deepEqual(parseReveal({ type: 'reveal', id: 'a.B', file: 'sub/b.go', line: 7 }), { id: 'a.B', file: 'sub/b.go', line: 6 });
  assert.deepEqual(parseReveal({ type: 'reveal', file: 'b.go', line: '7' }), { id: '', file: 'b.go', line: 0 });
  assert.deepEqual(parseReveal({ type: 'reveal', file: 'b.go', line: -1 }), { id: '', file: 'b.go', line: 0 });
  for (const other of [undefined, null, 'reveal', {}, { type: 'run', file: 'b.go' }, { type: 'reveal', file: 3 }, { type: 'reveal', file: '' }]) {
    assert.equal(parseReveal(other), undefined);
  }
});

test('a file is opened only if it is in an open folder', () => {
  const folders = ['/w/park', '/w/other'];
  assert.equal(openFile('/w/park', 'sub/b.go', folders), '/w/park/sub/b.go');
  assert.equal(openFile('/w/park', '../other/x.go', folders), '/w/other/x.go');
  assert.equal(openFile('/w/park', '..hidden.go', folders), '/w/park/..hidden.go');
  for (const outside of ['../secret.go', '../../etc/passwd', '/etc/passwd', '../parking/x.go', '.']) {
    assert.equal(openFile('/w/park', outside, folders), undefined, outside);
  }
});
