import { el } from './dom';

/** A box beside the pointer. Its text is also in the chart's status line. */
const box = el('div', { class: 'tip', hidden: '', 'aria-hidden': 'true' });

/** Shows lines at a point of the window. */
export function tip(lines: string[], x: number, y: number): void {
  if (!box.isConnected) {
    document.body.append(box);
  }
  box.replaceChildren(...lines.map((line) => el('div', {}, line)));
  box.hidden = false;
  box.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.offsetWidth - 8))}px`;
  box.style.top = `${y + 18 + box.offsetHeight > innerHeight ? y - box.offsetHeight - 10 : y + 18}px`;
}

/** Hides the box. */
export function noTip(): void { box.hidden = true; }
