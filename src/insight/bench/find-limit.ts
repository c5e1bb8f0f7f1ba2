/** How close the search comes to the limit. */
const precision = 1.2;
const first = 1;
const highest = 2_048;

/**
 * Looks for the rate at which an app no longer keeps up: twice as many calls a second each time, and then between the last
 * two. `step` says whether the app kept up, or that the search is over.
 */
export async function findLimit(step: (rate: number) => Promise<boolean | 'over'>): Promise<void> {
  let holds = 0;
  let breaksAt = Number.POSITIVE_INFINITY;
  for (let rate = first; holds < rate && rate < breaksAt; ) {
    const keptUp = await step(rate);
    if (keptUp === 'over') return;
    if (keptUp) holds = rate;
    else breaksAt = rate;
    if (breaksAt === Number.POSITIVE_INFINITY) rate *= 2;
    else if (breaksAt / holds > precision) rate = niceRate(Math.sqrt(holds * breaksAt));
    if (rate > highest || holds === 0) return;
  }
}

/** Two digits say enough. */
function niceRate(rate: number): number {
  return Number(rate.toPrecision(2));
}
