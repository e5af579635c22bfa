import { readFileSync } from 'node:fs';
import { JSDOM } from 'jsdom';

/** The embedded page, and a run as spell/report writes it. */
export const embedded = '../spell/report/page.html';
const hostile = '../spell/report/testdata/hostile.json';

/** The run of spell/report's tests; its names look like markup. */
export function data(): Record<string, unknown> { return JSON.parse(readFileSync(hostile, 'utf8')) as Record<string, unknown>; }

/** A changed run, as spell/report would write it. */
export function written(run: object): string { return JSON.stringify(run).replaceAll('<', '\\u003c'); }

/** An open page; told has the messages that the editor got. */
export interface Played { window: JSDOM['window']; document: Document; told: unknown[]; errors: unknown[] }

/** Observers that jsdom lacks. Nothing comes into view: a section is filled when somebody goes to it. */
class Observer { observe(): void { /* nothing changes */ } }
const matchMedia = () => ({ matches: false, addEventListener: () => undefined });

/** Opens the page with a run, in an editor or in a browser. Nothing is drawn: there is no canvas. */
export function open(editor: boolean, text = readFileSync(hostile, 'utf8'), type = 'application/json'): Played {
  const told: unknown[] = [], errors: unknown[] = [];
  const html = readFileSync(embedded, 'utf8').replace('SPELL-TYPE', type).replace('SPELL-DATA', () => text);
  const { window } = new JSDOM(html, {
    runScripts: 'dangerously', pretendToBeVisual: true,
    beforeParse: (page) => {
      page.HTMLCanvasElement.prototype.getContext = () => null;
      page.Element.prototype.scrollIntoView = () => undefined;
      Object.assign(page, { matchMedia, ResizeObserver: Observer, IntersectionObserver: Observer, Blob, Response, DecompressionStream, Uint8Array });
      page.addEventListener('error', (event) => { errors.push(event.error); });
      if (editor) {
        Object.assign(page, { acquireVsCodeApi: () => ({ postMessage: (message: unknown) => { told.push(structuredClone(message)); } }) });
      }
    },
  });
  window.document.querySelector<HTMLElement>('nav a')?.click(); // fills all sections
  return { window, document: window.document, told, errors };
}

/** A part of the page. */
export function part(document: Document, selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (found === null) {
    throw new Error(`the page has no ${selector}`);
  }
  return found;
}
