// The extension's commands, and the conditions under which each may run. Nothing here needs VS Code.

/** A condition that must hold for a command to run. */
export type Need = 'trust' | 'idle' | 'measuring' | 'results';

const measuring: readonly Need[] = ['trust', 'idle'];

/**
 * The commands without "spell.", with their needs; the user is told the first that is
 * not met. The manifest declares them. Their IDs differ from the server's commands, which
 * the client library registers.
 */
export const needs = {
  measureWorkspace: measuring,
  measurePackage: measuring,
  measureFile: measuring,
  measureFunction: measuring,
  measureTest: measuring,
  measureProgram: measuring,
  measureScenario: measuring,
  measureOn: measuring,
  drillDown: [...measuring, 'results'],
  cancel: ['measuring'],
  showRanking: ['results'],
  showReport: ['results'],
  openFlameGraph: ['results'],
  compare: ['results'],
  setBaseline: ['results'],
  clear: ['results'],
  load: [],
  doctor: [],
  restart: [],
} as const satisfies Record<string, readonly Need[]>;

export type CommandName = keyof typeof needs;

export const commandNames = Object.keys(needs) as CommandName[];

/** The first need of a command that is not met, or undefined. */
export function unmet(name: CommandName, met: Record<Need, boolean>): Need | undefined {
  return needs[name].find((need) => !met[need]);
}

/** Why a command does not run, and a command that helps, with the title of its button. */
export const reasons: Record<Need, { why: string; remedy?: { title: string; command: string } }> = {
  trust: {
    why: 'Measuring runs the tests and programs of this workspace, but the workspace is not trusted.',
    remedy: { title: 'Manage Workspace Trust', command: 'workbench.trust.manage' },
  },
  idle: {
    why: 'A measurement is already running. Two at a time would disturb each other.',
    remedy: { title: 'Cancel It', command: 'spell.cancel' },
  },
  measuring: { why: 'Nothing is being measured.' },
  results: {
    why: 'There are no results: nothing has been measured yet, no test passed, or everything is excluded.',
    remedy: { title: 'Measure the Workspace', command: 'spell.measureWorkspace' },
  },
};

/** The step of the walkthrough that explains how to get the server. */
export const serverStep = { category: 'spell-lsp.spell-lsp#spell.start', step: 'spell.start.server' };
