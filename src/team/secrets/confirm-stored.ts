import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { ConflictError, FailedError } from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import type { Context } from '../../platform/context.ts';
import type { StoredSecrets } from '../../platform/contract/secrets.ts';
import { waitForChange } from '../../platform/waiting/index.ts';

/** Names of secrets that are not as they were sent. */
interface Differences {
  /** Not listed, or with the earlier value. */
  lost: string[];
  /** Set, with another value than was sent. */
  other: string[];
  /** Removed, and still listed, perhaps in other letters. */
  kept: string[];
  /** Not part of the change, with another value than before. */
  altered: string[];
}

/** When another command that changes secrets at the same time has sent its list, too. In ms. */
const secondLookMs = 1_000;

/**
 * Reads the secrets until they are what was sent, and once more a second later: a command that had read them before this
 * change replaces them all. The platform's documents do not say that omitting a secret removes it, so removed ones are
 * checked as well.
 */
export async function confirmStored(
  { delay, progress }: Pick<Context, 'delay' | 'progress'>,
  read: () => Promise<StoredSecrets>,
  before: StoredSecrets,
  after: StoredSecrets,
): Promise<void> {
  const compare = (now: StoredSecrets) => differences(now, before, after);
  const look = async () => {
    const now = await waitForChange(
      read,
      (seen) => {
        const { lost, kept } = compare(seen);
        return lost.length + kept.length === 0;
      },
      delay,
    );
    return compare(now);
  };
  throwUnlessStored(await look());
  await delay(secondLookMs);
  const { altered, ...undone } = await look();
  const names = Object.values(undone).flat().sort();
  if (names.length > 0) {
    throw new ConflictError(`secrets were changed by someone else right after: ${names.join(', ')}`, {
      why: 'the platform replaces all secrets at once, so the other change undid this one',
      fix: sentence`check ${gantryCommand`secrets list`}, then run the same command again`,
      details: { changed: names },
    });
  }
  if (altered.length === 0) return;
  progress.warn({
    severity: 'warning',
    message: `other values than before: ${altered.join(', ')}`,
    why: 'someone else changed them in the meantime, or the platform did; this command sent them as they were',
  });
}

export function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && stringifyJson(one) === stringifyJson(other));
}

function differences(now: StoredSecrets, before: StoredSecrets, after: StoredSecrets): Differences {
  const isChange = (name: string) => !Object.hasOwn(before, name) || !isSame(before[name], after[name]);
  const hasOldValue = (name: string) =>
    Object.hasOwn(before, name) && isChange(name) && isSame(now[name], before[name]);
  const [lost, stored] = [true, false].map((isLost) =>
    Object.keys(after)
      .filter((name) => (!Object.hasOwn(now, name) || hasOldValue(name)) === isLost)
      .sort(),
  ) as [string[], string[]];
  const differing = stored.filter((name) => !isSame(now[name], after[name]) && !isMasked(now[name]));
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const isKept = (name: string) =>
    !Object.hasOwn(after, name) && removed.some((each) => each.toLowerCase() === name.trim().toLowerCase());
  return {
    lost,
    other: differing.filter(isChange),
    kept: Object.keys(now).filter(isKept).sort(),
    altered: differing.filter((name) => !isChange(name)),
  };
}

/** The platform may hide values. */
function isMasked(value: unknown): boolean {
  return typeof value === 'string' && /^[*•]+$/.test(value);
}

function throwUnlessStored({ lost, other, kept }: Differences): void {
  if (lost.length > 0) {
    throw new FailedError(`the platform did not store ${lost.join(', ')}`, {
      why: 'it accepted the new secrets, but does not list them',
      fix: 'run the same command again',
      details: { lost },
    });
  }
  if (other.length > 0) {
    throw new ConflictError(`another value than was sent is stored for ${other.join(', ')}`, {
      why: 'someone else set it at the same time, or the platform changed it',
      fix: sentence`check ${gantryCommand`secrets list`}, then run the same command again`,
      details: { changed: other },
    });
  }
  if (kept.length > 0) {
    throw new FailedError(`the platform did not remove ${kept.join(', ')}`, {
      why: 'it accepted the new list of secrets, but kept those that are not in it',
      fix: 'remove them in the dashboard',
    });
  }
}
