import { readdirSync, readFileSync } from 'node:fs';

/** A process by its number, and the words of its command line. */
export interface Process {
  pid: number;
  command: string[];
}

/** The processes with a text in their environment. */
export function processesWith(environment: string): Process[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && read(name, 'environ').includes(environment))
    .map((name) => ({ pid: Number(name), command: read(name, 'cmdline').split('\0').slice(0, -1) }));
}

/** The command lines of all processes seen while an action runs. */
export async function during(processes: () => Process[], act: () => Promise<void>): Promise<string[]> {
  const seen = new Set<string>();
  const look = (): void => { processes().forEach(({ command }) => seen.add(command.join(' '))); };
  const looking = setInterval(look, 20);
  try {
    await act();
    look();
  } finally {
    clearInterval(looking);
  }
  return [...seen];
}

/** A file of a process; empty if the process has ended or is another user's. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') { // it ended by itself
      throw error;
    }
  }
}
