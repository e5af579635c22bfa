import type { Report } from './data';

/** What one test used in one round. */
export interface Step { test: string; round: number; ms: number; joules: number; start: number }

/** The tests of all rounds, one after the other; start is in milliseconds. */
export function steps({ timeline, tests, rounds }: Report): Step[] {
  const list: Step[] = [];
  let start = 0;
  for (let round = 0; round < Math.max(1, rounds); round++) {
    timeline.test.forEach((test, k) => {
      const ms = timeline.time_ms[k]?.[round] ?? 0, joules = timeline.energy_j[k]?.[round] ?? 0;
      if (ms > 0) {
        list.push({ test: test < 0 ? 'all other tests' : tests.name[test] ?? '', round: round + 1, ms, joules, start });
        start += ms;
      }
    });
  }
  return list;
}

/** The step at a time; -1 if there is none. */
export function stepAt(list: Step[], ms: number): number {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.start ?? 0) <= ms) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}
