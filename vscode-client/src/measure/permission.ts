import * as vscode from 'vscode';
import type { Server } from '../server/client';
import type { Measurement } from './measurement';
import { needs, reasons, unmet, type CommandName, type Need } from '../window/names';
import type { Overview } from '../results/overview';

/** Checks whether a command may run now. If not, the user is told why, and offered a remedy if there is one. */
export class Permission {
  constructor(private readonly server: Server, private readonly measurement: Measurement, private readonly overview: Overview) {}

  async check(name: CommandName): Promise<boolean> {
    const wanted: readonly Need[] = needs[name];
    const measuring = this.measurement.runs;
    const need = unmet(name, {
      trust: vscode.workspace.isTrusted, idle: !measuring, measuring,
      results: !wanted.includes('results') || await this.results(),
    });
    if (need !== undefined) {
      void refuse(need);
    }
    return need === undefined;
  }

  private async results(): Promise<boolean> {
    if (this.overview.rows.length === 0 && await this.server.running()) {
      await this.overview.refresh(); // the server may have just been started
    }
    return this.overview.rows.length > 0;
  }
}

async function refuse(need: Need): Promise<void> {
  const { why, remedy } = reasons[need];
  const chosen = await vscode.window.showInformationMessage(why, ...(remedy ? [remedy.title] : []));
  if (remedy !== undefined && chosen === remedy.title) {
    await vscode.commands.executeCommand(remedy.command);
  }
}
