import { expect, test } from 'vitest';
import { check, line, lines, underlined } from './config-folder.ts';

/** A broken line among good ones; what is said, what is underlined. */
// biome-ignore format: a case is a line
const cases: [broken: string, problem: string, underlined: string][] = [
  ['x = "latest # For audio', 'error 3:5 unterminated string -> x = "latest" # For audio', '"latest # For audio'],
  ["x = 'latest", "error 3:5 unterminated string -> x = 'latest'", "'latest"],
  ['x = ["a", "b]', 'error 3:11 unterminated string -> x = ["a", "b"]', '"b]'],
  ['x = "a#b', 'error 3:5 unterminated string -> x = "a#b"', '"a#b'],
  ['x = "a" # it\'s fine\ny = "b', 'error 4:5 unterminated string -> y = "b"', '"b'],
  ['x = """never', 'error 3:5 unterminated string', '"""never'],
  ['x = ”1.2”', 'error 3:5 invalid quotes: TOML requires straight quotes -> x = "1.2"', '”1.2”'],
  ['x = latest', 'error 3:5 invalid value latest: strings must be quoted -> x = "latest"', 'latest'],
  ['x = 1.2.3 # pinned', 'error 3:5 invalid value 1.2.3: strings must be quoted -> x = "1.2.3"', '1.2.3'],
  ['x = >=1.0', 'error 3:5 invalid value >=1.0: strings must be quoted -> x = ">=1.0"', '>=1.0'],
  ['x = True', 'error 3:5 invalid value True: write true -> x = true', 'True'],
  ['cpu = two', 'error 3:7 invalid value two: write 2 -> cpu = 2', 'two'],
  ['cpu = many', 'error 3:7 invalid value many: cpu must be a number', 'many'],
  ['memory = 4GB', 'error 3:10 invalid value 4GB: write 4 -> memory = 4', '4GB'],
  ['use_uv = yes', 'error 3:10 invalid value yes: write true -> use_uv = true', 'yes'],
  ['include = src', 'error 3:11 invalid value src: strings must be quoted -> include = ["src"]', 'src'],
  ['x =', 'error 3:3 x has no value', '='],
  ['x = "a",', 'error 3:8 unexpected comma after a value -> x = "a"', ','],
  ['x = "a" "b"', 'error 3:9 unexpected text after the value', '"b"'],
  ['x = "C:\\quak"', "error 3:8 invalid escape -> x = 'C:\\quak'", '\\quak"'],
  ['x: "a"', 'error 3:2 invalid separator: use = instead of a colon -> x = "a"', ':'],
  ['infinity[all] = "1"', 'error 3:1 invalid key -> "infinity[all]" = "1"', 'infinity[all] '],
  ['<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> main', 'error 3:1 unresolved merge conflict', '<<<<<<< HEAD'],
  ['x = ["a",\n<<<<<<< HEAD\n"b"]', 'error 4:1 unresolved merge conflict', '<<<<<<< HEAD'],
  ['just words', 'error 3:1 missing =', 'just words'],
  ['[cerebrium.scaling', 'error 3:1 invalid section header -> [cerebrium.scaling]', '[cerebrium.scaling'],
  ['name = "b"', 'error 3:1 name is defined twice', 'name'],
  ['[cerebrium.deployment]', 'error 3:2 [cerebrium.deployment] is defined twice', 'cerebrium.deployment'],
  ['x = ["a" "b"]', 'error 3:10 missing comma or closing bracket', '"b"]'],
  ['x = ["a"', 'error 3:8 unterminated list or table', '"'],
];

test.each(cases)('%s', async (broken, problem, text) => {
  const { problems, config } = await check(`[cerebrium.deployment]\nname = "app"\n${broken}`);
  expect(config).toBeUndefined();
  expect(problems.map(line)).toContain(problem);
  expect(underlined(problems.find((one) => line(one) === problem) ?? { severity: 'error', message: '' })).toBe(text);
});

test.each([
  ['cpu = "many"', 'a number of cores, such as 2'],
  ['cpu = many', 'a number of cores, such as 2'],
  ['cpu = 1\ncpu = 2', 'a key may occur only once in a section: remove one of the two'],
  ['[cerebrium.hardware]', 'a section may occur only once: move its keys to the first one'],
])('%s tells what to write', async (broken, why) => {
  const { problems } = await check(`[cerebrium.deployment]\nname = "app"\n[cerebrium.hardware]\n${broken}`);
  expect(problems.map((each) => each.why)).toContain(why);
});

test('the first broken line is the only problem', async () => {
  const { problems } = await check(`[cerebrium.deployment]
name = "app
python_version = 3.10
[cerebrium.hardware]
compute = ADA_L4`);
  expect(lines(problems)).toEqual(['error 2:8 unterminated string -> name = "app"']);
});

test('an unclosed list ends parsing', async () => {
  const { problems } = await check('[cerebrium.deployment]\ninclude = ["*",\nname = "My App"\nuse_uv = 1');
  expect(problems).toHaveLength(1);
  expect(problems[0]?.location?.line).toBe(3);
});
