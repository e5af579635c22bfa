// The settings that the server gets. Nothing here needs VS Code.

export const section = 'spell';

/** Settings that only the extension uses; the server would refuse them as unknown. */
const own = new Set(['server.path', 'trace.server', 'marks', 'heat']);

/** The values of one setting by scope; undefined where it is not set. */
export interface Inspection {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/** The names, without "spell.", of the settings that the manifest declares and the server knows. */
export function serverSettings(manifest: unknown): string[] {
  const { contributes } = manifest as { contributes: { configuration: { properties: Record<string, unknown> } } };
  return Object.keys(contributes.configuration.properties)
    .map((key) => key.slice(section.length + 1))
    .filter((name) => !own.has(name));
}

/**
 * The settings that are set explicitly, nested by group. Defaults are left out: the
 * server has the same ones, and values from an editor override the workspace's
 * .spell-lsp.yaml.
 */
export function explicit(names: string[], inspect: (name: string) => Inspection | undefined): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const name of names) {
    const found = inspect(name);
    const value = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
    if (value !== undefined && value !== null) {
      put(result, name.split('.'), value);
    }
  }
  return result;
}

function put(into: Record<string, unknown>, path: string[], value: unknown): void {
  const [head = '', ...rest] = path;
  if (rest.length === 0) {
    into[head] = value;
    return;
  }
  const group = (into[head] ??= {}) as Record<string, unknown>;
  put(group, rest, value);
}
