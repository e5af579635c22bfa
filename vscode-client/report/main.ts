import { categories } from './categories';
import { comparison } from './comparison';
import type { Report } from './data';
import { el } from './dom';
import { figures } from './figures';
import { first } from './first';
import { Flame } from './flame';
import { upper } from './format';
import { HeatMap } from './heatmap';
import { Growths } from './growth';
import { ready } from './host';
import { hasLines, lines } from './lines';
import { Ranking } from './ranking';
import { Run } from './run';
import './style.css';
import { followTheme } from './theme';
import { Timeline } from './time';

/** A part of the page, which is filled when it comes into view. */
interface Section { id: string; title: string; fill: (host: HTMLElement) => void }

function sections(run: Run): Section[] {
  const { comparison: compared, tree, cells } = run.report;
  const list: Section[] = [
    { id: 'ranking', title: 'Ranking', fill: (host) => { new Ranking(run, host); } },
    { id: 'time', title: 'Energy over time', fill: (host) => { new Timeline(run, host); } },
    {
      id: 'flame', title: 'Flame graph', fill: (host) => {
        if (tree.known) {
          new Flame(run, host);
        } else {
          host.append(el('p', {}, 'This run has no call tree.'));
        }
      },
    },
    { id: 'categories', title: 'What drives the rank', fill: (host) => { categories(run, host); } },
    {
      id: 'matrix', title: `${upper(run.row)}s and components`, fill: (host) => {
        if (cells.test.length > 0) {
          new HeatMap(run, host);
        } else {
          host.append(el('p', {}, `No ${run.row} ran any component.`));
        }
      },
    },
    { id: 'figures', title: 'Where these figures come from', fill: (host) => { figures(run, host); } },
  ];
  const [growth, ...growths] = run.report.growths ?? [];
  if (growth !== undefined) {
    list.splice(1, 0, { id: 'growth', title: 'Growth with the size of the input', fill: (host) => { new Growths(run, [growth, ...growths], host); } });
  }
  if (hasLines(run)) {
    list.splice(1, 0, { id: 'lines', title: 'Lines', fill: (host) => { lines(run, host); } });
  }
  if (compared !== undefined) {
    list.splice(1, 0, { id: 'comparison', title: 'Before and after', fill: (host) => { comparison(run, compared, host); } });
  }
  return list;
}

/** Adds the sections to the page; returns a function that goes to one of them. */
function layOut(page: HTMLElement, list: Section[]): (id: string) => void {
  const made = new Set<string>();
  const make = ({ id, fill }: Section) => {
    const host = document.getElementById(id);
    if (host !== null && !made.has(id)) {
      made.add(id);
      fill(host);
    }
  };
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      const section = list.find(({ id }) => id === target.id);
      if (isIntersecting && section !== undefined) {
        make(section);
      }
    }
  }, { rootMargin: '300px' });
  for (const section of list) {
    const host = el('section', { id: section.id, 'aria-labelledby': `${section.id}-title` }, el('h2', { id: `${section.id}-title`, tabindex: '-1' }, section.title));
    page.append(host);
    if (section.id === 'ranking' || section.id === 'figures') { // short, and what the doubts above are about
      make(section);
    } else {
      seen.observe(host);
    }
  }
  addEventListener('keydown', ({ key }) => {
    if (key === 'Tab') {
      list.forEach(make); // otherwise the focus would leave the page after the last filled section
    }
  });
  return (wanted) => {
    const title = document.getElementById(`${wanted}-title`);
    if (title !== null) {
      list.forEach(make); // otherwise the page would grow while it scrolls
      title.focus({ preventScroll: true });
      title.scrollIntoView();
    }
  };
}

function links(list: Section[], go: (id: string) => void): HTMLElement {
  return el('nav', { 'aria-label': 'Parts of the report' }, ...list.map(({ id, title }) => {
    const link = el('a', { href: `#${id}` }, title);
    link.addEventListener('click', (event) => { event.preventDefault(); go(id); });
    return link;
  }));
}

/** Shows the report; returns a function that goes to one of its sections. */
function show(report: Report): (id: string) => void {
  const run = new Run(report);
  const page = el('main', {}), list = sections(run);
  document.body.append(page);
  page.append(first(run));
  const go = layOut(page, list);
  page.querySelector('header')?.after(links(list, go));
  go(location.hash.slice(1));
  return go;
}

/** Decompresses large data, which come as base64. */
async function unpack(base64: string): Promise<Report> {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json() as Report;
}

function start(): void {
  followTheme();
  const data = document.querySelector<HTMLScriptElement>('script#data');
  const text = data?.textContent ?? '';
  let wanted = '', go = (id: string) => { wanted = id; }; // until the report is shown
  // An editor asks for a part of the page by a message.
  addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data === 'object' && data !== null && 'type' in data && data.type === 'show' && 'section' in data && typeof data.section === 'string') {
      go(data.section);
    }
  });
  ready();
  if (data?.type === 'application/json') {
    go = show(JSON.parse(text) as Report);
    return;
  }
  void unpack(text).then((report) => {
    go = show(report);
    go(wanted);
  }, (error: unknown) => {
    document.body.append(el('p', { role: 'alert' }, `This browser cannot read the data of this report: ${String(error)}`));
  });
}

start();
