// Light or dark, as the classes of the body say in an editor, or else as the system does.

const listeners: (() => void)[] = [];

function theme(): string {
  const classes = document.body.classList;
  if (classes.contains('vscode-high-contrast-light') || classes.contains('vscode-light')) {
    return 'light';
  }
  const dark = classes.contains('vscode-dark') || classes.contains('vscode-high-contrast');
  return dark || matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

function apply(): void {
  document.documentElement.dataset['theme'] = theme();
  listeners.forEach((listener) => { listener(); });
}

/** Follows the theme from now on. */
export function followTheme(): void {
  apply();
  new MutationObserver(apply).observe(document.body, { attributes: true, attributeFilter: ['class'] });
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)']) {
    matchMedia(query).addEventListener('change', apply);
  }
}

/** Calls the listener when colours have changed, so that canvases are drawn again. */
export function onTheme(listener: () => void): void { listeners.push(listener); }

/** A colour of style.css. */
export function color(name: string): string {
  return getComputedStyle(document.body).getPropertyValue(`--${name}`).trim() || 'currentColor';
}

/** Interpolates between colours, which are given as #rrggbb. */
export function ramp(stops: string[], steps: number): string[] {
  const parts = stops.map((stop) => [1, 3, 5].map((at) => parseInt(stop.slice(at, at + 2), 16)));
  return Array.from({ length: steps }, (_, step) => {
    const at = step / (steps - 1) * (stops.length - 1), k = Math.min(stops.length - 2, Math.floor(at));
    const mixed = [0, 1, 2].map((c) => Math.round((parts[k]?.[c] ?? 0) + ((parts[k + 1]?.[c] ?? 0) - (parts[k]?.[c] ?? 0)) * (at - k)));
    return `rgb(${mixed.join(' ')})`;
  });
}
