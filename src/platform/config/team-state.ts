import { UsageError } from '../../kernel/errors.ts';

/**
 * What is wrong with a folder for the team state, such as `default:/.gantry`. It is a folder of its own, below the root.
 * `origin` is undefined for one that was just typed.
 */
export function teamStateProblem(text: string, origin?: string): UsageError | undefined {
  const isFolder = /^(?:[A-Za-z][\w.-]+)?:(?:\/[^/\s]+)+\/?$/.test(text) && !/\/\.{1,2}(\/|$)/.test(text);
  if (isFolder || text === 'off') return undefined;
  const source = origin === undefined ? '' : `it comes from the ${origin}; `;
  return new UsageError(`invalid team state "${text}"`, {
    why: `${source}expected a folder on a volume, or off`,
    fix: 'use default:/.gantry',
  });
}
