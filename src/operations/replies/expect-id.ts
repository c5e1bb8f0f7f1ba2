import { UnexpectedReplyError } from '../../errors.ts';

/**
 * What the platform says of a build or a run. Throws UnexpectedReplyError when it is about another one; an answer without
 * an id is taken to be about what was asked for.
 */
export function expectAsked<T extends { id: string }>(kind: string, asked: string, answer: T): T {
  const { id } = answer;
  if (id === '') return { ...answer, id: asked };
  if (id.toLowerCase() === asked.toLowerCase()) return answer;
  throw new UnexpectedReplyError(`the platform answered with another ${kind} when asked for ${kind} ${asked}`, {
    details: { asked, answered: id },
  });
}
