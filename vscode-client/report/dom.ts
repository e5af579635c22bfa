/** The content of an element; a string is text, never markup. */
export type Child = Node | string | undefined;

/** Makes an element. The attribute style must not be among the attributes: the page's policy refuses it. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== undefined));
  return node;
}

/** A button with its label. */
export function button(label: string, press: () => void, attributes: Record<string, string> = {}): HTMLButtonElement {
  const node = el('button', { type: 'button', ...attributes }, label);
  node.addEventListener('click', press);
  return node;
}

/** A selection with its label; the first option is selected at first. */
export function choice<T extends string>(label: string, options: [T, string][], chosen: (value: T) => void): HTMLLabelElement {
  const select = el('select', {}, ...options.map(([value, text]) => el('option', { value }, text)));
  select.addEventListener('change', () => { chosen(select.value as T); });
  return el('label', {}, `${label} `, select);
}

/** A field to search in. */
export function search(label: string, typed: (parts: string[]) => void): HTMLLabelElement {
  const input = el('input', { type: 'search', placeholder: 'name, package or file' });
  input.addEventListener('input', () => { typed(input.value.toLowerCase().split(/\s+/).filter((part) => part !== '')); });
  return el('label', {}, `${label} `, input);
}

/** A line that screen readers read when it changes, also visible below a chart. */
export function statusLine(text = ''): HTMLParagraphElement {
  return el('p', { class: 'status', role: 'status', 'aria-live': 'polite' }, text);
}

/** A table. Heads that begin with # are of columns of numbers. The note of a row, if any, stands below it, over all columns. */
export function table(caption: string, heads: string[], rows: Child[][], notes: string[] = []): HTMLTableElement {
  const number = heads.map((head) => head.startsWith('#'));
  const cell = (tag: 'th' | 'td', i: number, child: Child, scope: Record<string, string>) =>
    el(tag, number[i] === true ? { ...scope, class: 'number' } : scope, child);
  const line = (row: Child[], scope: string) =>
    el('tr', {}, ...row.map((child, i) => i === 0 ? cell('th', i, child, { scope }) : cell('td', i, child, {})));
  const noted = (row: Child[], note: string) =>
    el('tbody', { class: 'noted' }, line(row, 'rowgroup'), el('tr', {}, el('td', { colspan: String(heads.length) }, el('p', {}, note))));
  return el('table', {}, el('caption', {}, caption),
    el('thead', {}, el('tr', {}, ...heads.map((head, i) => cell('th', i, head.replace(/^#/, ''), { scope: 'col' })))),
    ...notes.length === 0 ? [el('tbody', {}, ...rows.map((row) => line(row, 'row')))] : rows.map((row, i) => noted(row, notes[i] ?? '')));
}

/** Content that is closed at first, such as a table for those who cannot see the chart. */
export function collapsed(title: string, content: () => Node): HTMLDetailsElement {
  const details = el('details', {}, el('summary', {}, title));
  details.addEventListener('toggle', () => { details.append(content()); }, { once: true });
  return details;
}

/** A bar for a share from 0 to 1, with its text. */
export function bar(share: number, text: string, kind = ''): HTMLElement {
  const fill = el('span', { class: `fill ${kind}` });
  fill.style.width = `${Math.min(1, Math.max(0, share)) * 100}%`;
  return el('span', { class: 'bar' }, el('span', { class: 'track', 'aria-hidden': 'true' }, fill), el('span', {}, text));
}

const zones: Record<string, { name: string; shape: string }> = {
  R: { name: 'red', shape: 'M5 .8h6L15.2 5v6L11 15.2H5L.8 11V5z' },
  Y: { name: 'yellow', shape: 'M8 .5 15.8 15.2H.2z' },
  G: { name: 'green', shape: 'M8 .7a7.3 7.3 0 1 1 0 14.6A7.3 7.3 0 0 1 8 .7z' },
};

/** The name of a zone. */
export function zoneName(letter: string): string { return zones[letter]?.name ?? 'not ranked'; }

/** The mark of a zone. Zones differ in shape, letter and colour. */
export function zoneMark(letter: string): Node {
  const zone = zones[letter];
  if (zone === undefined) {
    return el('span', { title: 'not ranked' }, '-');
  }
  const space = 'http://www.w3.org/2000/svg';
  const make = (tag: string, attributes: Record<string, string>) => {
    const node = document.createElementNS(space, tag);
    Object.entries(attributes).forEach(([name, value]) => { node.setAttribute(name, value); });
    return node;
  };
  const svg = make('svg', { viewBox: '0 0 16 16', class: `zone zone-${zone.name}`, role: 'img', 'aria-label': zone.name });
  const text = make('text', { x: '8', y: letter === 'Y' ? '13.4' : '11.4', 'text-anchor': 'middle', 'font-size': letter === 'Y' ? '8.5' : '9.5' });
  text.textContent = letter;
  svg.append(make('path', { d: zone.shape }), text);
  return svg;
}
