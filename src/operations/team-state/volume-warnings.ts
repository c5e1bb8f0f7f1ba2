import { gantryCommand, sentence } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { GantryError } from '../../errors.ts';

/** What follows if the volume cannot be read. Throws what is no error of it. */
export function warnUnread({ progress }: Context, place: string, error: unknown): void {
  progress.warn({
    severity: 'warning',
    message: `cannot read the team state at ${place}: ${messageOf(error)}`,
    why: 'what other machines have deployed and found is not known',
    fix: gantryCommand`ls ${place}`,
  });
}

/** What follows if it cannot be written: reading may work. Throws what is no error of it. */
export function warnUnsent({ progress }: Context, place: string, error: unknown, isRead: boolean): void {
  progress.warn({
    severity: 'warning',
    message: `cannot write the team state at ${place}: ${messageOf(error)}`,
    why: `other machines do not know what this command did${isRead ? '; what they did is known here' : ''}`,
    fix: sentence`the next command of this machine that may change something tells them: ${gantryCommand`deploy --if-changed`}`,
  });
}

function messageOf(error: unknown): string {
  if (!(error instanceof GantryError) && typeof (error as NodeJS.ErrnoException).code !== 'string') throw error;
  return (error as Error).message;
}
