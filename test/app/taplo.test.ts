import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { configJsonSchema } from '../../src/app/json-schema.ts';
import { projectTemplate } from '../../src/app/template.ts';
import { newFolder } from '../support/files.ts';
import { habits } from './habits.ts';

/** A file without a mistake, and what taplo, which editors use, must say of one change each. */
const good = `[cerebrium.deployment]
name = "web"
python_version = "3.12"
exclude = [".*"]
[cerebrium.hardware]
cpu = 2
memory = 8.0
compute = "AMPERE_A10"
gpu_count = 1
region = "us-east-1"
[cerebrium.scaling]
max_replicas = 2
cooldown = 30
scaling_metric = "concurrency_utilization"
[cerebrium.dependencies.pip]
torch = "latest"
`;

const mistakes: [right: string, wrong: string, says: RegExp][] = [
  ['name = "web"', 'name = "my app!"', /does not match/],
  ['name = "web"\n', '', /"name" is a required property/],
  ['python_version = "3.12"', 'python_version = 3.12', /is not of type "string"/],
  ['python_version = "3.12"', 'python_version = "3.9"', /is not one of \["3.10"/],
  ['exclude = [".*"]', 'exclude = ".*"', /is not of type "array"/],
  ['cpu = 2', 'cpu = "2"', /is not of type "number"/],
  ['cpu = 2', 'cpus = 2', /'cpus' was unexpected/],
  ['memory = 8.0', 'memory = "8GB"', /is not of type "number"/],
  ['compute = "AMPERE_A10"', 'compute = "A10"', /"A10" is not valid/],
  ['compute = "AMPERE_A10"', 'compute = []', /\[\] is not valid/],
  ['gpu_count = 1', 'gpu_count = -1', /less than the minimum/],
  ['region = "us-east-1"', 'region = "us-east1"', /is not one of \["us-east-1"/],
  ['max_replicas = 2', 'max_replica = 2', /'max_replica' was unexpected/],
  ['max_replicas = 2', 'max_replicas = -1', /less than the minimum/],
  ['cooldown = 30', 'cooldown = 9000', /greater than the maximum/],
  ['scaling_metric = "concurrency_utilization"', 'scaling_metric = "cpu"', /is not one of/],
  ['[cerebrium.scaling]', '[cerebrium.scalling]', /'scalling' was unexpected/],
  ['[cerebrium.scaling]', '[scaling]', /'scaling' was unexpected/],
  ['torch = "latest"', 'torch = 2', /is not of type "string"/],
];

const root = new URL('../../fixtures/', import.meta.url).pathname;
const valid = new Map([
  ['good', good],
  ['what gantry init writes', projectTemplate({ configFile: 'a.toml', name: 'a' })['a.toml'] ?? ''],
  // Editors remove a byte-order mark before they ask.
  ...habits.map(({ title, toml }): [string, string] => [title, toml.replace(/^\ufeff/, '')]),
  ...readdirSync(join(root, 'apps'))
    .filter((name) => name !== 'broken')
    .map((name): [string, string] => [name, readFileSync(join(root, 'apps', name, 'cerebrium.toml'), 'utf8')]),
  // One of these lacks a quote.
  ...readdirSync(join(root, 'realworld'))
    .map((name): [string, string] => [name, readFileSync(join(root, 'realworld', name), 'utf8')])
    .map(([name, text]): [string, string] => [name, text.replace('"latest # For', '"latest" # For')]),
]);

/** What taplo says of each file: `line: message`. One process reads all files, since it takes seconds to start. */
const said = new Map<string, string[]>();

beforeAll(async () => {
  const names = [...valid.keys(), ...mistakes.map(([, wrong]) => wrong)];
  const texts = [...valid.values(), ...mistakes.map(([right, wrong]) => good.replace(right, wrong))];
  const files = texts.map((text, at): [string, string] => [`${at}.toml`, text]);
  const place = newFolder({
    'schema.json': JSON.stringify(configJsonSchema()),
    ...Object.fromEntries(files),
  });
  const taplo = createRequire(import.meta.url).resolve('@taplo/cli/dist/cli.js');
  const words = ['lint', '--colors', 'never', '--schema', `file://${join(place, 'schema.json')}`];
  const paths = files.map(([name]) => join(place, name));
  const { stderr } = spawnSync(process.execPath, [taplo, ...words, ...paths], { encoding: 'utf8' });
  expect(stderr).toContain('some files were not valid');
  for (const [, message, at, line] of stderr.matchAll(/^error: (.*)\n.*\/(\d+)\.toml:(\d+):\d+$/gm)) {
    const name = names[Number(at)] ?? '';
    said.set(name, [...(said.get(name) ?? []), `${line}: ${message}`]);
  }
}, 120_000);

test.each([...valid.keys()])('taplo finds nothing wrong with: %s', (name) => {
  expect(said.get(name) ?? []).toEqual([]);
});

test.each(mistakes)('taplo marks the line of: %j written as %j', (right, wrong, says) => {
  const line = good.slice(0, good.indexOf(right)).split('\n').length;
  expect(said.get(wrong)).toContainEqual(expect.stringMatching(new RegExp(`^${line}: .*${says.source}`)));
});
