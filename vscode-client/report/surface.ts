import { onTheme } from './theme';

/** A canvas as wide as its host; it is drawn again when its size or the colours change. */
export class Surface {
  readonly canvas = document.createElement('canvas');
  private wanted = false;

  /** draw gets a context in CSS pixels; height computes the height for a width. */
  constructor(host: HTMLElement, private readonly height: (width: number) => number,
    private readonly draw: (g: CanvasRenderingContext2D, width: number, height: number) => void) {
    host.append(this.canvas);
    onTheme(() => { this.redraw(); });
    new ResizeObserver(() => { this.redraw(); }).observe(host);
    this.redraw();
  }

  /** Draws with the next frame. */
  redraw(): void {
    if (!this.wanted) {
      this.wanted = true;
      requestAnimationFrame(() => { this.wanted = false; this.now(); });
    }
  }

  private now(): void {
    const width = this.canvas.parentElement?.clientWidth ?? 0;
    const g = width > 0 ? this.canvas.getContext('2d') : null;
    if (g === null) {
      return;
    }
    const height = this.height(width), ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    g.scale(ratio, ratio);
    this.draw(g, width, height);
  }
}

/** The font of text on a canvas. */
export function font(size: number): string {
  return `${size}px ${getComputedStyle(document.body).fontFamily}`;
}

/** Cuts a text to a width in pixels; '' if none of it fits. */
export function fitted(g: CanvasRenderingContext2D, text: string, width: number): string {
  if (width < 14) {
    return '';
  }
  if (g.measureText(text).width <= width) {
    return text;
  }
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (g.measureText(`${text.slice(0, middle)}…`).width <= width) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low < 2 ? '' : `${text.slice(0, low)}…`;
}
