import { el } from './dom';

const rowHeight = 26;
/** Browsers draw nothing beyond some 16 million pixels. */
const tallest = 12_000_000;

/** A list of any length that only creates the rows in view. One row is active. */
export class Scroller {
  readonly view = el('div', { class: 'rows', role: 'rowgroup' });
  private readonly space = el('div', { class: 'space', role: 'presentation' });
  private length = 0;
  private first = -1;
  active = 0;

  /** make is called for each row that comes into view, chosen for the active row when the user chooses it. */
  constructor(private readonly frame: HTMLElement, private readonly make: (row: number) => HTMLElement,
    private readonly chosen: (row: number, key?: string) => void) {
    this.view.append(this.space);
    frame.tabIndex = 0;
    frame.append(this.view);
    frame.addEventListener('scroll', () => { this.draw(false); });
    frame.addEventListener('keydown', (event) => { this.key(event); });
    new ResizeObserver(() => { this.draw(true); }).observe(frame);
  }

  /** Shows a list of a new length, from its first row or from the current scroll position. */
  reset(length: number, fromFirst: boolean): void {
    this.length = length;
    this.active = fromFirst ? 0 : Math.min(this.active, Math.max(0, length - 1));
    if (fromFirst) {
      this.frame.scrollTop = 0;
    }
    this.space.style.height = `${this.height}px`;
    this.draw(true);
  }

  /** Makes a row the active one and scrolls to it. */
  go(row: number): void {
    this.active = Math.max(0, Math.min(this.length - 1, row));
    const top = this.active * rowHeight, head = this.space.offsetTop;
    const seen = this.frame.scrollTop * this.scale, height = Math.max(rowHeight, this.frame.clientHeight - head);
    if (top < seen) {
      this.frame.scrollTop = top / this.scale;
    } else if (top + rowHeight > seen + height) {
      this.frame.scrollTop = (top + rowHeight - height) / this.scale;
    }
    this.draw(true);
  }

  private get height(): number { return Math.min(tallest, this.length * rowHeight); }

  /** Pixels of rows for a pixel of the scroll bar. */
  private get scale(): number { return this.length === 0 ? 1 : this.length * rowHeight / this.height; }

  private draw(anew: boolean): void {
    const first = Math.max(0, Math.floor(this.frame.scrollTop * this.scale / rowHeight) - 8);
    if (!anew && first === this.first) {
      return;
    }
    this.first = first;
    const count = Math.ceil((this.frame.clientHeight || 600) / rowHeight) + 16;
    const rows: HTMLElement[] = [];
    for (let row = first; row < Math.min(this.length, first + count); row++) {
      rows.push(this.place(row));
    }
    this.space.replaceChildren(...rows);
    this.frame.setAttribute('aria-activedescendant', this.length === 0 ? '' : `row-${this.active}`);
  }

  private place(row: number): HTMLElement {
    const node = this.make(row);
    node.id = `row-${row}`;
    node.setAttribute('aria-rowindex', String(row + 2)); // the heads are the first
    node.classList.toggle('active', row === this.active);
    node.setAttribute('aria-selected', String(row === this.active));
    node.style.top = `${row * rowHeight - this.frame.scrollTop * (this.scale - 1)}px`;
    node.addEventListener('click', () => { this.go(row); this.chosen(row); });
    return node;
  }

  private key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.frame.clientHeight / rowHeight) - 2);
    const steps: Record<string, number> = {
      ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.length, End: this.length,
    };
    const step = steps[event.key];
    if (event.target !== this.frame || this.length === 0) {
      return;
    }
    if (step !== undefined) {
      this.go(this.active + step);
    } else if (['Enter', ' ', 'ArrowLeft', 'ArrowRight'].includes(event.key)) {
      this.chosen(this.active, event.key);
    } else {
      return;
    }
    event.preventDefault();
  }
}
