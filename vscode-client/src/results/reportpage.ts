// The report's page as a webview shows it, and what the page may ask for. Nothing
// here needs VS Code.

import * as path from 'node:path';

const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/g;

/**
 * The page with a fresh nonce and the policy of a webview: nothing is loaded, and only
 * what came with the page runs.
 */
export function forWebview(html: string, nonce: string): string {
  const [meta, ...more] = html.matchAll(policy);
  const old = meta?.[1]?.match(/'nonce-([^']+)'/)?.[1];
  if (meta === undefined || old === undefined || more.length > 0) {
    throw new Error('the report is not understood: it must have one Content-Security-Policy, with a nonce');
  }
  const ours = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src data:; base-uri 'none'; form-action 'none'`;
  return html.replace(meta[0], `<meta http-equiv="Content-Security-Policy" content="${ours}">`)
    .replaceAll(`nonce="${old}"`, `nonce="${nonce}"`);
}

/** The page without its nonces, which differ in each report of the same run. */
export function withoutNonces(html: string): string {
  return html.replaceAll(/nonce[-=]"?[\w+/=-]+/g, '');
}

/** A function that the page asks to be shown. */
export interface Reveal {
  /** The ID of the component; "" if the page does not say. */
  id: string;
  /** Relative to the folder that was measured. */
  file: string;
  /** From 0. */
  line: number;
}

/** Reads a message of the page; undefined if it is unknown. */
export function parseReveal(message: unknown): Reveal | undefined {
  const { type, id, file, line } = (message ?? {}) as Record<string, unknown>;
  if (type !== 'reveal' || typeof file !== 'string' || file === '') {
    return undefined;
  }
  return { id: typeof id === 'string' ? id : '', file, line: typeof line === 'number' && Number.isInteger(line) && line > 0 ? line - 1 : 0 };
}

/** The full path of a file below root; undefined if it is in none of the open folders. */
export function openFile(root: string, file: string, folders: string[]): string | undefined {
  const full = path.resolve(root, file);
  const within = (folder: string): boolean => {
    const relative = path.relative(folder, full);
    return relative !== '' && relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
  };
  return folders.some(within) ? full : undefined;
}
