import { expect, test } from 'vitest';
import { RestlessFiles } from '../../src/local/dev/restless-files.ts';

/** What is said of a file that changes again and again, so long after the reload before it and after a line was printed. */
function said(
  path: string,
  { pauseMs = 500, silentMs = 10, grows = true, times = 9 },
): { said: string; isSent: boolean } {
  const heard: string[] = [];
  const progress = {
    note: (text: string) => heard.push(text),
    warn: ({ fix }: { fix: string }) => heard.push(fix),
  };
  const files = new RestlessFiles(progress as never);
  for (let time = 0; time < times && !files.outputs.has(path); time++) {
    files.count([path, `other-${time}`], {
      noticedAt: files.endedAt + pauseMs,
      silentMs,
      grows: () => grows,
      exclude: ['.*'],
    });
    files.endedAt = 10_000 * time;
  }
  return { said: heard.join(), isSent: !files.outputs.has(path) };
}

const output = { said: 'out.log grows by what gantry prints: it is not sent, and not watched any more', isSent: false };
const restless = { said: expect.stringMatching(/^exclude = \["\.\*", "\.\/\S+"\] if the app/), isSent: true };
const calm = { said: '', isSent: true };

test.each([
  ['that grows with each line', 'out.log', {}, output],
  ['that is written at any time', 'state.db', { silentMs: 900 }, restless],
  ['that is replaced after each line', 'state.db', { grows: false }, restless],
  ['that changes while the app is reloaded', 'state.db', { pauseMs: -900, silentMs: 400 }, restless],
  ['of Python, which only a person writes', 'main.py', {}, calm],
  ['that a person saves', 'prompt.txt', { pauseMs: 3_000, silentMs: 3_000 }, calm],
  ['that changed four times', 'out.log', { times: 4 }, calm],
])('a file %s', (_, path, how, expected) => {
  expect(said(path, how)).toEqual(expected);
});
