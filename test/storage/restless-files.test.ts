import { expect, test } from 'vitest';
import { RestlessFiles } from '../../src/local/dev/restless-files.ts';

/** What is said of a file that changes again and again, so long after the reload before it. */
function said({ path = 'state.db', pauseMs = 500, times = 9 }) {
  const heard: string[] = [];
  const files = new RestlessFiles({ warn: ({ fix }: { fix: string }) => heard.push(fix) } as never);
  for (let time = 0; time < times; time++) {
    files.count([path, `other-${time}`], files.endedAt + pauseMs, ['.*']);
    files.endedAt = 10_000 * time;
  }
  return { said: heard.join(), isIgnored: files.ignored.has(path) };
}

const restless = {
  said: expect.stringMatching(/^exclude = \["\.\*", "\.\/\S+"\] if the app/),
  isIgnored: true,
};
const calm = { said: '', isIgnored: false };

test.each([
  ['that is written at any time', {}, restless],
  ['that changes while the app is reloaded', { pauseMs: -900 }, restless],
  ['of Python, which only a person writes', { path: 'main.py' }, calm],
  ['that a person saves', { pauseMs: 3_000 }, calm],
  ['that changed four times', { times: 4 }, calm],
])('a file %s', (_, how, expected) => {
  expect(said(how)).toEqual(expected);
});
