import { UnexpectedReplyError } from '../../kernel/errors.ts';

/** Throws UnexpectedReplyError if the platform replied with another app, build or run. A missing id is filled in. */
export function expectId<T extends { id: string }>(kind: string, expected: string, reply: T): T {
  const { id } = reply;
  if (id === '') return { ...reply, id: expected };
  if (id.toLowerCase() === expected.toLowerCase()) return reply;
  throw new UnexpectedReplyError(`the platform replied with another ${kind} when asked for ${kind} ${expected}`, {
    details: { asked: expected, answered: id },
  });
}
