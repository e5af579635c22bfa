// The server's hover below the diagnostics that VS Code shows above it.

import * as vscode from 'vscode';
import { withoutRepetition } from '../text/hovertext';
import { spacedTables } from '../text/markdown';

/** Leaves out of a hover what a diagnostic above it says already, unless VS Code is set to show no problems in editors. */
export function fitBelowDiagnostics(hover: vscode.Hover | null | undefined, document: vscode.TextDocument, position: vscode.Position): void {
  const shown = vscode.workspace.getConfiguration('problems', document.uri).get<boolean>('visibility', true);
  const above = vscode.languages.getDiagnostics(document.uri).filter(({ source, range }) => shown && source === 'spell' && range.contains(position));
  for (const part of hover?.contents ?? []) {
    if (part instanceof vscode.MarkdownString) {
      part.value = spacedTables(withoutRepetition(part.value, above.map(({ message }) => message)));
    }
  }
}
