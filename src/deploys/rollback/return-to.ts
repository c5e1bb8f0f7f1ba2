import type { ServedBuild } from '../served-before.ts';

/** A build that a rollback may return to, and what decides whether it does. */
export interface ReturnCandidate extends ServedBuild {
  /** Sick: it was found so, or was rolled back. Not ready: it is in progress, or has failed. */
  state: 'well' | 'sick' | 'not-ready';
  /** Compared with the build that it would replace: that is this one, or has the same files. */
  files: 'live' | 'same' | 'others';
  /** Its files can be had: there is an archive, or a revision is given. */
  isKept: boolean;
}

/** What the build to return to is known by. That another one was created later says nothing of how it was. */
export const choices = ['name', 'history', 'order'] as const;

export interface Return {
  /** Nothing: that is what serves. The others say why there is no return. */
  do: 'return' | 'nothing' | 'not-ready' | 'no-archive' | 'unclear' | 'nothing-before';
  /** What is chosen, if anything is. */
  build: string | undefined;
  chosenBy: (typeof choices)[number];
  /** Those that may have served later than the one that is chosen. */
  unclear: readonly string[];
  /** Another one, with an archive. */
  other: string | undefined;
}

/**
 * Which build a rollback returns to. `before`: those that served before, the latest first. The named one, however it is; else
 * the last of them that is well and has other files. One that only the list of builds shows is a guess, which is asked for.
 */
export function returnTo(before: readonly ReturnCandidate[], named?: ReturnCandidate): Return {
  const fits = before.filter(({ state, files }) => state === 'well' && files === 'others');
  const clear = fits.filter(({ evidence }) => evidence !== 'unclear');
  const found = named ?? clear[0];
  const unclear = named ? [] : fits.slice(0, clear[0] && fits.indexOf(clear[0])).map(({ id }) => id);
  const other = clear.find(({ id, isKept }) => isKept && id !== found?.id)?.id;
  const chosenBy = named ? 'name' : found?.evidence === 'listed' ? 'order' : 'history';
  return { do: whatToDo(found, unclear.length > 0), build: found?.id, chosenBy, unclear, other };
}

function whatToDo(found: ReturnCandidate | undefined, mayBeOther: boolean): Return['do'] {
  if (!found) return mayBeOther ? 'unclear' : 'nothing-before';
  if (found.files === 'live') return 'nothing';
  if (found.state === 'not-ready') return 'not-ready';
  return found.isKept ? 'return' : 'no-archive';
}
