import { setTimeout as sleep } from 'node:timers/promises';

/** Catches a condition that never becomes true, also on a busy machine. */
export const patience = 60_000;

type Given<T> = Exclude<T, undefined | null | false>;

/** Waits until a condition returns something other than undefined, null or false, and returns it. The error says what was waited for. */
export async function until<T>(what: string, condition: () => T | Promise<T>, milliseconds = patience): Promise<Given<T>> {
  const end = Date.now() + milliseconds;
  for (;;) {
    const given = await condition();
    if (given !== undefined && given !== null && given !== false) {
      return given as Given<T>;
    }
    if (Date.now() > end) {
      throw new Error(`waited ${milliseconds / 1000} s for ${what}`);
    }
    await sleep(100);
  }
}
