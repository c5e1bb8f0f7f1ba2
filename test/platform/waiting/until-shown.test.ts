import { expect, test } from 'vitest';
import { NotFoundError } from '../../../src/kernel/errors.ts';
import type { Context } from '../../../src/platform/context.ts';
import { untilShown } from '../../../src/platform/waiting/index.ts';

test.each<[string, misses: number, said: string[]]>([
  ['is there', 0, []],
  ['is late', 3, ['Waiting until the platform shows it', 'cleared']],
  ['is never there', Number.POSITIVE_INFINITY, ['Waiting until the platform shows it', 'cleared']],
])('whoever waits sees that it does, for what %s', async (_, misses, expected) => {
  const said: string[] = [];
  const step = (title: string) => ({ clear: () => said.push('cleared'), title: said.push(title) });
  const progress = { step } as unknown as Context['progress'];
  let asked = 0;
  const request = async () => {
    if (asked++ < misses) throw new NotFoundError('run not found');
    return 'run';
  };
  const found = untilShown(request, { delay: async () => {}, progress }).catch((error: Error) => error.message);
  expect(await found).toBe(misses < Number.POSITIVE_INFINITY ? 'run' : 'run not found');
  expect(said).toEqual(expected);
});
