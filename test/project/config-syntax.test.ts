import { expect, test } from 'vitest';
import { check, line, underlined } from './config-folder.ts';

/** A broken line among good ones; what is said, what is underlined. */
// biome-ignore format: a case is a line
const cases: [broken: string, problem: string, underlined: string][] = [
  ['x = "latest # For audio', 'error 3:5 this string is not closed -> x = "latest" # For audio', '"latest # For audio'],
  ["x = 'latest", "error 3:5 this string is not closed -> x = 'latest'", "'latest"],
  ['x = ["a", "b]', 'error 3:11 this string is not closed -> x = ["a", "b"]', '"b]'],
  ['x = "a#b', 'error 3:5 this string is not closed -> x = "a#b"', '"a#b'],
  ['x = "a" # it\'s fine\ny = "b', 'error 4:5 this string is not closed -> y = "b"', '"b'],
  ['x = """never', 'error 3:5 this string is never closed', '"""never'],
  ['x = ”1.2”', 'error 3:5 curly quotes are not quotes in TOML -> x = "1.2"', '”1.2”'],
  ['x = latest', 'error 3:5 latest is not a value: text wants quotes -> x = "latest"', 'latest'],
  ['x = 1.2.3 # pinned', 'error 3:5 1.2.3 is not a value: text wants quotes -> x = "1.2.3"', '1.2.3'],
  ['x = >=1.0', 'error 3:5 >=1.0 is not a value: text wants quotes -> x = ">=1.0"', '>=1.0'],
  ['x = True', 'error 3:5 True is written true -> x = true', 'True'],
  ['x =', 'error 3:3 x has no value', '='],
  ['x = "a",', 'error 3:8 there is no comma after a value -> x = "a"', ','],
  ['x = "a" "b"', 'error 3:9 there is more on this line than one key and its value', '"b"'],
  ['x = "C:\\quak"', "error 3:8 this backslash is not an escape -> x = 'C:\\quak'", '\\quak"'],
  ['x: "a"', 'error 3:2 a key is followed by =, not by a colon -> x = "a"', ':'],
  ['infinity[all] = "1"', 'error 3:1 this is not a key -> "infinity[all]" = "1"', 'infinity[all] '],
  ['just words', 'error 3:1 this line has no =', 'just words'],
  ['[cerebrium.scaling', 'error 3:1 this is not the name of a section in brackets -> [cerebrium.scaling]', '[cerebrium.scaling'],
  ['name = "b"', 'error 3:1 name is here a second time', 'name'],
  ['[cerebrium.deployment]', 'error 3:2 [cerebrium.deployment] is here a second time', 'cerebrium.deployment'],
  ['x = ["a" "b"]', 'error 3:10 a comma or a closing bracket is missing before this', '"b"]'],
  ['x = ["a"', 'error 3:8 this list or table is not closed', '"'],
];

test.each(cases)('%s', async (broken, problem, text) => {
  const { problems, project } = await check(`[cerebrium.deployment]\nname = "app"\n${broken}`);
  expect(project).toBeUndefined();
  expect(problems.map(line)).toContain(problem);
  expect(underlined(problems.find((one) => line(one) === problem) ?? { severity: 'error', message: '' })).toBe(text);
});

test('a broken line does not hide the next ones, and nothing follows from it', async () => {
  const { problems } = await check(`[cerebrium.deployment]
name = "app
python_version = 3.10
[cerebrium.hardware]
compute = ADA_L4
gpu_count = 2
cpu = four
[cerebrium.scaling
min_replicas = "1"`);
  expect(problems.map(line)).toEqual([
    'error 2:8 this string is not closed -> name = "app"',
    'error 3:18 python_version must be a string, and is a decimal number -> python_version = "3.10"',
    'error 5:11 ADA_L4 is not a value: text wants quotes -> compute = "ADA_L4"',
    'error 7:7 four is not a value: text wants quotes -> cpu = "four"',
    'error 8:1 this is not the name of a section in brackets -> [cerebrium.scaling]',
    'error 9:16 min_replicas must be a whole number, and is a string -> min_replicas = 1',
  ]);
});

test('a list that is not closed ends the reading: what follows cannot be told apart', async () => {
  const { problems } = await check('[cerebrium.deployment]\ninclude = ["*",\nname = "My App"\nuse_uv = 1');
  expect(problems).toHaveLength(1);
  expect(problems[0]?.place?.line).toBe(3);
});
