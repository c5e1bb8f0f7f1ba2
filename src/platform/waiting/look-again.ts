/** Looks until something is as it should be: at once, and after each pause. Returns whether it is. */
export async function lookAgain(
  pausesMs: readonly number[],
  delay: (ms: number) => Promise<void>,
  look: () => Promise<boolean>,
): Promise<boolean> {
  if (await look()) return true;
  for (const pauseMs of pausesMs) {
    await delay(pauseMs);
    if (await look()) return true;
  }
  return false;
}
