import { setTimeout as sleep } from 'node:timers/promises';

/** How long a condition may take to come true, on a machine that does other things as well. */
export const patience = 60_000;

type Given<T> = Exclude<T, undefined | null | false>;

/** Waits until a condition gives something, and returns it. What is waited for stands in the error. */
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
