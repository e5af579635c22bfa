// What the server can be asked for, and the errors of the protocol. Nothing here needs
// VS Code.

/**
 * The commands of the server. The client library registers a VS Code command for
 * each, so the extension's own commands need other ids.
 */
export const serverCommands = {
  measure: 'spell-lsp.measure',
  applyAndMeasure: 'spell-lsp.applyAndMeasure',
  cancel: 'spell-lsp.cancel',
  clear: 'spell-lsp.clear',
  ranking: 'spell-lsp.ranking',
  doctor: 'spell-lsp.doctor',
  setBaseline: 'spell-lsp.setBaseline',
  compare: 'spell-lsp.compare',
  drillDown: 'spell-lsp.drillDown',
  load: 'spell-lsp.load',
  report: 'spell-lsp.report',
  programs: 'spell-lsp.programs',
  machines: 'spell-lsp.machines',
} as const;

export interface MeasureArguments {
  scope: 'workspace' | 'package' | 'file' | 'function' | 'test' | 'program' | 'scenario';
  uri?: string;
  name?: string;
}

/** The request for the measured functions of a file. */
export const marksMethod = 'spell-lsp/marks';

/** The notification that the answers to {@link marksMethod} or {@link serverCommands.ranking} may have changed. */
export const changedMethod = 'spell-lsp/changed';

/** LSP's error code of a request that was cancelled. */
export const requestCancelled = -32800;

/** The client library's error code of a request that was not answered before the connection ended. */
export const unanswered = -32097;

export function hasCode(error: unknown, code: number): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === code;
}

/** Whether the server has shown the error as a message too. */
export function wasShown(error: unknown): boolean {
  return error instanceof Error && (error as { data?: { shown?: unknown } | null }).data?.shown === true;
}

/** Why something failed, in words. */
export function reasonOf(error: unknown): string {
  return hasCode(error, unanswered) ? 'The server ended before it answered.' : error instanceof Error ? error.message : String(error);
}
