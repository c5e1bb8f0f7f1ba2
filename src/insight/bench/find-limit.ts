/** How close the search comes to the limit. */
const precision = 1.2;
const first = 1;
const highest = 2_048;

/**
 * Looks for the rate at which an app no longer keeps up: twice as many calls a second each time, and then between the last
 * two. `step` says whether the app kept up, or that the search is over.
 */
export async function findLimit(step: (rate: number) => Promise<boolean | 'over'>): Promise<void> {
  let holds: number | undefined;
  let breaksAt: number | undefined;
  for (let rate = first; rate <= highest && breaksAt === undefined; rate *= 2) {
    const keptUp = await step(rate);
    if (keptUp === 'over') return;
    if (keptUp) holds = rate;
    else breaksAt = rate;
  }
  while (holds !== undefined && breaksAt !== undefined && breaksAt / holds > precision) {
    const rate: number = niceRate(Math.sqrt(holds * breaksAt));
    if (rate === holds || rate === breaksAt) return;
    const keptUp = await step(rate);
    if (keptUp === 'over') return;
    if (keptUp) holds = rate;
    else breaksAt = rate;
  }
}

/** Two digits say enough. */
function niceRate(rate: number): number {
  return Number(rate.toPrecision(2));
}
