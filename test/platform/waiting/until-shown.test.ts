import { expect, test } from 'vitest';
import { NotFoundError } from '../../../src/kernel/errors.ts';
import type { Context } from '../../../src/platform/context.ts';
import { untilShown } from '../../../src/platform/waiting/index.ts';

const id = '20ba8ea8-1f52-46e9-85c8-dd13c009ebe3';

test.each<[string, misses: number, said: string[], of?: { kind?: string; id: string }]>([
  ['is there', 0, []],
  ['is late', 3, ['Waiting until the platform shows it', 'cleared']],
  ['is never there', Number.POSITIVE_INFINITY, ['Waiting until the platform shows it', 'cleared']],
  ['has the id of no run', Number.POSITIVE_INFINITY, [], { kind: 'run', id: 'nope' }],
  ['is a build, and late', 3, ['Waiting until the platform shows it', 'cleared'], { kind: 'build', id: 'b-1' }],
])('whoever waits sees that it does, for what %s', async (_, misses, expected, of = { kind: 'run', id }) => {
  const said: string[] = [];
  const step = (title: string) => ({ clear: () => said.push('cleared'), title: said.push(title) });
  const progress = { step } as unknown as Context['progress'];
  let asked = 0;
  const request = async () => {
    if (asked++ < misses) throw new NotFoundError('run not found');
    return 'run';
  };
  const found = untilShown(request, { delay: async () => {}, progress }, of).catch((error: Error) => error.message);
  expect(await found).toBe(misses < Number.POSITIVE_INFINITY ? 'run' : 'run not found');
  expect(said).toEqual(expected);
});
