import { expect, test } from 'vitest';
import { appNameProblem, toAppName } from '../../src/project/rules/name.ts';
import { check, line } from './config-folder.ts';

test.each([
  ['My App', 'my-app'],
  ['1-langchain-QA', '1-langchain-qa'],
  ['-web-', 'web'],
  ['Größe', 'gro-e'],
  ['café', 'cafe'],
  ['a_b', 'a-b'],
  ['!!', 'my-app'],
  ['', 'my-app'],
  [`${'a'.repeat(62)}-${'b'.repeat(9)}`, 'a'.repeat(62)],
])('%j is an invalid app name, %j is suggested', (text, name) => {
  expect(appNameProblem(text)).toBeDefined();
  expect(toAppName(text)).toBe(name);
  expect(appNameProblem(name)).toBeUndefined();
});

test.each(['a', '5-dockerfile', '1-asgi-fastapi-server', 'a'.repeat(63)])('%s is a valid app name', (name) => {
  expect(appNameProblem(name)).toBeUndefined();
});

test.each([
  ['[cerebrium.deployment]\nname = "My App"', undefined, 'error 2:8 invalid app name "My App" -> name = "my-app"'],
  ['[cerebrium.deployment]\nname = ""', undefined, 'error 2:8 invalid app name "" -> name = "my-app"'],
  ['[cerebrium.deployment]\nname = "My App"', 'web', undefined],
  ['[cerebrium.hardware]', 'web', undefined],
  ['[cerebrium.hardware]', 'Web', 'error invalid app name "Web" -> --name web'],
])('%j with --name %s', async (text, name, problem) => {
  const { project, problems } = await check(text, undefined, { name });
  expect(problems.map(line)).toEqual(problem === undefined ? [] : [problem]);
  expect(project?.name).toBe(problem === undefined ? name : undefined);
});

test("suggests the folder's name for a missing name", async () => {
  const { problems } = await check('# nothing yet\n[cerebrium.deployment]\nuse_uv = true');
  expect(problems.map(line)).toEqual([
    expect.stringMatching(/^error 2:1 missing app name -> name = "gantry-config-[a-z0-9-]+"$/),
  ]);
  expect((await check('[cerebrium]')).problems[0]?.fix).toMatch(/^\[cerebrium.deployment\]\nname = "/);
});
