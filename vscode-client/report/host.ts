import type { Place } from './data';
import { button, el } from './dom';

interface Editor { postMessage(message: unknown): void }

declare function acquireVsCodeApi(): Editor;

/** The editor that shows the page; undefined in a browser. */
const editor: Editor | undefined = typeof acquireVsCodeApi === 'function' ? acquireVsCodeApi() : undefined;

/** Tells the editor that the page receives messages. */
export function ready(): void { editor?.postMessage({ type: 'ready' }); }

/** Shows a place in the editor; does nothing in a browser. */
export function reveal(place: Place | undefined): void {
  if (place !== undefined) {
    editor?.postMessage({ type: 'reveal', ...place });
  }
}

/** A place: in an editor a button that goes there, in a browser its text. */
export function link(place: Place | undefined, text: string): Node {
  if (editor === undefined || place === undefined) {
    return el('span', { class: 'place' }, text);
  }
  return button(text, () => { reveal(place); }, { class: 'place link', title: 'Open in the editor' });
}
