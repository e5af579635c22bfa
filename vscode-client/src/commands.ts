import * as vscode from 'vscode';
import type { Server } from './server/client';
import type { Measurement } from './measure/measurement';
import { commandNames } from './window/names';
import type { Notices } from './window/notices';
import type { Permission } from './measure/permission';
import { parseText } from './protocol/answers';
import { serverCommands, type MeasureArguments } from './protocol/protocol';
import { pickFunction, showRanking } from './results/ranking';
import type { ReportView } from './results/report';
import type { Results } from './results/results';
import { chooseMachine } from './measure/machines';
import { programTarget, scenarioTarget } from './measure/programs';
import { fileTarget, functionTarget, isItem, itemAtCursor, testTarget, workspaceTarget } from './measure/targets';
import type { TextPages } from './window/textpage';

/** The parts that the commands use. */
export interface Parts {
  server: Server;
  measurement: Measurement;
  permission: Permission;
  report: ReportView;
  pages: TextPages;
  notices: Notices;
  results: Results;
}

/** Registers the commands that package.json declares. */
export function registerCommands(parts: Parts): vscode.Disposable {
  const actions = { ...measuringActions(parts), ...resultActions(parts), ...serverActions(parts) };
  const registered = commandNames.map((name) => vscode.commands.registerCommand(`spell.${name}`, async (argument?: unknown) => {
    if (!(await parts.permission.check(name))) {
      return;
    }
    try {
      await actions[name](argument);
    } catch (error) {
      parts.notices.failed('SPELL', error);
    }
  }));
  return vscode.Disposable.from(...registered);
}

type Action = (argument: unknown) => unknown;

type Measuring = 'measureWorkspace' | 'measurePackage' | 'measureFile' | 'measureFunction' | 'measureTest' | 'measureProgram' | 'measureScenario' | 'measureOn' | 'drillDown' | 'cancel';

function measuringActions({ server, measurement, results }: Parts): Record<Measuring, Action> {
  const measure = (argument: MeasureArguments | undefined): Promise<unknown> | undefined =>
    argument && measurement.run({ command: serverCommands.measure, argument });
  return {
    measureWorkspace: async () => measure(await workspaceTarget()),
    measurePackage: (argument) => measure(fileTarget('package', argument)),
    measureFile: (argument) => measure(fileTarget('file', argument)),
    measureFunction: (argument) => measure(functionTarget(argument)),
    measureTest: () => measure(testTarget()),
    measureProgram: async () => measure(await programTarget(server)),
    measureScenario: async () => measure(await scenarioTarget(server)),
    measureOn: async () => await chooseMachine(server) ? measure(await workspaceTarget()) : undefined,
    drillDown: async (argument) => {
      const item = isItem(argument) ? argument : await itemAtCursor(results) ?? await pickFunction(server, 'Choose the function to measure block by block');
      return item && measurement.run({ command: serverCommands.drillDown, argument: { id: item.id, ...(item.uri !== undefined && { uri: item.uri }) } });
    },
    cancel: () => measurement.cancel(),
  };
}

type Showing = 'showRanking' | 'showReport' | 'openFlameGraph' | 'compare' | 'setBaseline' | 'clear' | 'load';

function resultActions({ server, report, pages }: Parts): Record<Showing, Action> {
  return {
    showRanking: () => showRanking(server),
    showReport: () => report.show(),
    openFlameGraph: () => report.show('flame'),
    compare: async () => {
      const answer = await server.execute(serverCommands.compare);
      return answer && pages.show('Energy Comparison', parseText(answer, 'page'));
    },
    setBaseline: async () => {
      const answer = await server.execute(serverCommands.setBaseline);
      if (answer !== undefined) {
        void vscode.window.showInformationMessage(`Run ${parseText(answer, 'run')} is now the baseline.`);
      }
    },
    clear: async () => {
      report.close(); // a report that is being generated would fail with a message
      await server.execute(serverCommands.clear);
      report.close(); // it may have been opened meanwhile
    },
    load: () => load(server),
  };
}

/** Lets the user pick a saved run or a matrix, and shows its ranking. */
async function load(server: Server): Promise<void> {
  const [file] = await vscode.window.showOpenDialog({
    title: 'Open a spell-lsp run, or a matrix from any tool', openLabel: 'Show',
    filters: { 'Runs and matrices': ['json', 'csv', 'spell', 'trace', 'spellbin'], 'All files': ['*'] },
  }) ?? [];
  const answer = file && await server.execute(serverCommands.load, { path: file.fsPath });
  if (answer !== undefined) {
    await showRanking(server, undefined, parseText(answer, 'run'));
  }
}

function serverActions({ server, measurement, pages }: Parts): Record<'doctor' | 'restart', Action> {
  return {
    doctor: async () => {
      const found = await server.execute(serverCommands.doctor);
      if (typeof found === 'string') {
        await pages.show('Energy Meters', found);
      }
    },
    restart: async () => {
      measurement.cancel();
      await server.restart();
    },
  };
}
