/**
 * The extension's own commands, without "spell.". The manifest declares them;
 * they differ from the server's, which the client library registers itself.
 */
export const commandNames = [
  'measureWorkspace', 'measurePackage', 'measureFile', 'measureTest',
  'cancel', 'showRanking', 'clear', 'doctor', 'restart',
] as const;

export type CommandName = (typeof commandNames)[number];
