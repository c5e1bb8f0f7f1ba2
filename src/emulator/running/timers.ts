/** What a timer of Node can wait; beyond it, it would end at once. Milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

/** Calls back after some seconds, of any number. */
export function afterSeconds(seconds: number, callback: () => void): NodeJS.Timeout {
  return setTimeout(callback, Math.min(seconds * 1000, maxTimerMs));
}
