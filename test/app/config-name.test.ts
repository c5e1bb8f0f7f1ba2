import { expect, test } from 'vitest';
import { appNameDoubt, toAppName } from '../../src/app/rules/name.ts';
import { check, line } from './config-folder.ts';

test.each([
  ['My App', 'my-app'],
  ['-web-', 'web'],
  ['Größe', 'gro-e'],
  ['café', 'cafe'],
  ['a_b', 'a-b'],
  ['!!', 'my-app'],
  ['', 'my-app'],
  [`${'a'.repeat(62)}-${'b'.repeat(9)}`, 'a'.repeat(62)],
])('%j becomes the app name %j', (text, name) => {
  expect(toAppName(text)).toBe(name);
  expect(appNameDoubt(name)).toBeUndefined();
});

test.each(['a', '5-dockerfile', '1-langchain-QA', 'my_app', 'v1.2', '2-inferentia-vllm', 'a'.repeat(63)])(
  'the app name %s has no problem',
  async (name) => {
    const { config, problems } = await check(`[cerebrium.deployment]\nname = "${name}"\ndisable_auth = false`);
    expect(problems).toEqual([]);
    expect(config?.name).toBe(name);
  },
);

const deployment = (lines: string) => `[cerebrium.deployment]\ndisable_auth = false\n${lines}`;

test.each([
  [
    deployment('name = "My App"'),
    undefined,
    'warning 3:8 the platform may reject the app name "My App" -> name = "my-app"',
  ],
  [deployment('name = "a/b"'), undefined, 'warning 3:8 the platform may reject the app name "a/b" -> name = "a-b"'],
  [
    deployment('name = ""'),
    undefined,
    expect.stringMatching(/^error 3:8 the app name is empty -> name = "gantry-test-/),
  ],
  [
    deployment('name = " "'),
    undefined,
    expect.stringMatching(/^error 3:8 the app name is empty -> name = "gantry-test-/),
  ],
  [deployment('name = "My App"'), 'web', undefined],
  [deployment(''), 'web', undefined],
  [deployment(''), 'Web App', 'warning the platform may reject the app name "Web App" -> --name web-app'],
  [deployment(''), '', 'error the app name is empty -> --name my-app'],
])('%j with --name %s', async (text, name, problem) => {
  const { config, problems } = await check(text, undefined, { name });
  expect(problems.map(line)).toEqual(problem === undefined ? [] : [problem]);
  expect(config === undefined).toBe(problems.some(({ severity }) => severity === 'error'));
});

test("suggests the folder's name for a missing name", async () => {
  const { problems } = await check('# nothing yet\n[cerebrium.deployment]\ndisable_auth = false');
  expect(problems.map(line)).toEqual([
    expect.stringMatching(/^error 2:1 missing app name -> name = "gantry-test-[a-z0-9-]+"$/),
  ]);
  expect((await check('[cerebrium]')).problems.map(({ fix }) => fix)).toContainEqual(
    expect.stringMatching(/^\[cerebrium.deployment\]\nname = "/),
  );
});

test.each([
  [
    '[cerebrium]\nname = "web"\ndeployment.disable_auth = false',
    'error 2:1 name is ignored here: it belongs in [cerebrium.deployment] -> [cerebrium.deployment]\nname = "web"',
  ],
  [deployment('nam = "web"'), 'error 3:1 unknown key nam is ignored: did you mean name? -> name = "web"'],
])('a name in the wrong place is one problem with one fix: %j', async (text, problem) => {
  expect((await check(text)).problems.map(line)).toEqual([problem]);
});
