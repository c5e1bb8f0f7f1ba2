import { expect } from 'vitest';
import { isWhole } from './extent.ts';

/**
 * Work is measured in CPU time of this process, so that a busy machine does not matter: of a text in one piece, and of as
 * much text in 16 pieces. Quadratic work takes 16 times as long in one piece. A large heap and the caches of the processor
 * may make it up to four times as long: 4.2 was seen of three runs in a worker that had run many files.
 */
const pieces = 16;
const most = 6;
/** In characters. In the suite, what is quadratic is seen at this length; CI (.ci/run) looks at texts four times as long. */
const longest = isWhole ? 262_144 : 65_536;

/**
 * What takes too little time to be measured also on the longest text is not quadratic. Where one run of each is far from that,
 * it is enough. What looks so is measured three times.
 */
export async function expectLinear(prepare: (length: number) => () => unknown): Promise<void> {
  for (const length of [longest / 4, longest]) {
    const first = await cpuOf(prepare(length), once);
    if (first < enough) continue;
    const inPieces = await cpuOf(piecesOf(prepare(length / pieces)), once);
    if (inPieces >= enough && first / inPieces < most / 2) return;
    const whole = await cpuOf(prepare(length), enough);
    if (whole < enough) continue;
    const ratios = [await ratioOf(whole, prepare(length / pieces))];
    while (ratios.length < 3 && Math.min(...ratios) >= most) {
      ratios.push(await ratioOf(await cpuOf(prepare(length)), prepare(length / pieces)));
    }
    return expect(Math.min(...ratios)).toBeLessThan(most);
  }
}

/** In microseconds. Less than a few milliseconds is noise. */
const enough = 20_000;
/** Any run is below it. */
const once = Number.POSITIVE_INFINITY;

/** How many times as long a text takes in one piece. */
async function ratioOf(whole: number, piece: () => unknown): Promise<number> {
  return whole / Math.max(await cpuOf(piecesOf(piece)), 1_000);
}

function piecesOf(piece: () => unknown): () => Promise<void> {
  return async () => {
    for (let count = 0; count < pieces; count++) await piece();
  };
}

/** The least of three runs, in microseconds, or of fewer that are below a limit. What takes a second stands out at once. */
async function cpuOf(work: () => unknown, limit = 1): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3 && least >= limit; run++) {
    const before = process.cpuUsage();
    await work();
    least = Math.min(least, spent(before));
    if (least > 1_000_000) break;
  }
  return least;
}

/** Microseconds. */
function spent(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
