import { expect, test } from 'vitest';
import { ConflictError, type Problem } from '../../../src/kernel/errors.ts';
import { cancelAbandoned } from '../../../src/platform/waiting/index.ts';

test('work that ended before it could be canceled is reported as ended, with the command that shows it', async () => {
  const warnings: (Problem | string)[] = [];
  const context = {
    apiWithSignal: () => ({}),
    delay: async () => {},
    progress: { warn: (problem: Problem) => warnings.push(problem), note: () => {} },
  };
  const work = {
    kind: 'build' as const,
    app: 'web',
    id: 'b-1',
    isListed: async () => true,
    readStatus: async () => ({ status: 'success', hasEnded: true }),
    cancel: async () => {
      throw new ConflictError('too late');
    },
  };
  expect(await cancelAbandoned(context as never, work)).toBe('success');
  expect(warnings.map((warning) => JSON.parse(JSON.stringify(warning)))).toEqual([
    {
      severity: 'warning',
      message: 'build b-1 of web has already ended: success',
      fix: 'gantry builds get web b-1',
    },
  ]);
});
