import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { knownLimitsRule } from '../../src/app/rules/known-limits.ts';
import { readRoot } from '../../src/app/toml/root.ts';
import { readSections } from '../../src/app/toml/sections.ts';
import { createSource, readText } from '../../src/app/toml/source.ts';
import { parseToml } from '../../src/app/toml/syntax.ts';
import { builtWith, wheelTables } from '../../src/app/wheel-tables.ts';
import { missingWheels, pinnedVersion, releasesIn } from '../../src/app/wheels.ts';
import { newFolder } from '../support/files.ts';

/** What the rule says about a config file in a folder with these other files. */
async function issuesOf(toml: string, files: Record<string, string> = {}) {
  return await issuesIn(join(newFolder({ ...files, 'cerebrium.toml': toml }), 'cerebrium.toml'));
}

async function issuesIn(file: string) {
  const read = await readText(file, 'cerebrium.toml');
  if ('problem' in read) throw new Error(read.problem.message);
  const { cerebrium } = readRoot(parseToml(createSource(read.text, 'cerebrium.toml')).document ?? {});
  const folder = dirname(file);
  return [...knownLimitsRule({ root: folder, configFolder: folder, ...readSections(cerebrium ?? {}).draft })];
}

const apps = readdirSync('fixtures/apps').map((name) => resolve('fixtures/apps', name, 'cerebrium.toml'));
const realworld = readdirSync('fixtures/realworld').map((name) => resolve('fixtures/realworld', name));

test.each([...apps, ...realworld])('says nothing about the example %s', async (file) => {
  expect(await issuesIn(file)).toEqual([]);
});

test('each torch and vllm that has wheels is known by what it was built with, but for those that name nothing', () => {
  const versionsOf = (groups: Record<string, string>) => Object.values(groups).flatMap(releasesIn);
  const withWheels = (name: string) => versionsOf(wheelTables[name] ?? {});
  const unnamed = (name: 'torch' | 'vllm') => {
    const known = versionsOf(builtWith[name]);
    return withWheels(name).filter((version) => !known.includes(version));
  };
  expect(unnamed('torch')).toEqual([]);
  expect(unnamed('vllm').filter((version) => !/^0\.(1\.|2\.[0-5]$)/.test(version))).toEqual([]);
  const torches = versionsOf(builtWith.torch);
  expect(Object.keys(builtWith.vllm).filter((torch) => !torches.includes(torch))).toEqual([]);
});

test.each([
  [
    'torch = "1.12.1"',
    'HOPPER_H100',
    'torch 1.12.1 has no code for HOPPER_H100',
    'use torch 2.1.0 or later, or another GPU',
  ],
  ['torch = "==1.13.1+cu117"', 'HOPPER_H200', 'torch 1.13.1+cu117 has no code for HOPPER_H200', /torch 2\.1\.0/],
  ['torch = "2.3.0"', 'BLACKWELL_B200', 'torch 2.3.0 has no code for BLACKWELL_B200', /torch 2\.8\.0/],
  ['vllm = "0.6.3"', 'BLACKWELL_B200', 'vllm 0.6.3 has no code for BLACKWELL_B200', /a later vllm, for torch 2\.8\.0/],
  ['vllm = "0.8.2"', 'BLACKWELL_B200', 'vllm 0.8.2 has no code for BLACKWELL_B200', /a later vllm/],
  ['vllm = "0.9.1"', 'BLACKWELL_B200', 'vllm 0.9.1 has no code for BLACKWELL_B200', /a later vllm/],
  ['"vllm[audio]" = "0.6.3"', 'BLACKWELL_RTX6000', 'vllm 0.6.3 has no code for BLACKWELL_RTX6000', /vllm/],
])('warns about %s on %s', async (line, gpu, message, fix) => {
  const toml = `[cerebrium.deployment]\npython_version = "3.10"\n[cerebrium.hardware]\ncompute = "${gpu}"\n[cerebrium.dependencies.pip]\n${line}\n`;
  expect(await issuesOf(toml)).toMatchObject([
    { message, fix: expect.stringMatching(fix), why: expect.stringMatching(/CUDA \d+\.\d/) },
  ]);
});

test.each([
  ['torch = "2.3.0"', 'HOPPER_H100'],
  ['torch = "1.13.1"', 'ADA_L40'],
  ['torch = "1.12.1"', 'TURING_T4'],
  ['torch = "2.7.0+cu128"', 'BLACKWELL_B200'],
  ['torch = "2.0.1+cu118"', 'HOPPER_H100'],
  ['torch = ">=1.12"', 'BLACKWELL_B200'],
  ['vllm = "0.11.0"', 'BLACKWELL_B200'],
  ['vllm = "99.0.0"', 'BLACKWELL_B200'],
])('says nothing about %s on %s', async (line, gpu) => {
  const toml = `[cerebrium.deployment]\npython_version = "3.10"\n[cerebrium.hardware]\ncompute = "${gpu}"\n[cerebrium.dependencies.pip]\n${line}\n`;
  expect(await issuesOf(toml)).toEqual([]);
});

test('names the line of the file that pins a package', async () => {
  const toml = `[cerebrium.hardware]\ncompute = "BLACKWELL_B200"\n[cerebrium.dependencies.paths]\npip = "requirements.txt"\n`;
  const [issue] = await issuesOf(toml, { 'requirements.txt': '# pins\nrequests==2.32.0\ntorch==2.3.0\n' });
  expect(issue?.why).toMatch(/^requirements\.txt:3 pins it; it is built with CUDA 12\.1/);
});

test('knows no version that was never released', () => {
  expect(missingWheels('torch', '1.15.0', '3.12')).toBeUndefined();
  // Of a Python that was not asked for, nothing is known.
  expect(missingWheels('numpy', '1.26.4', '3.9')).toBeUndefined();
  expect(missingWheels('torchvision', '0.14.0', '3.12')?.pythons).toEqual(['3.10']);
});

test('compares versions by their numbers', () => {
  expect(missingWheels('tensorflow', '2.9.0', '3.11')?.pythons).toEqual(['3.10']);
  expect(missingWheels('tensorflow', '2.15.0.post1', '3.11')).toBeUndefined();
  expect(missingWheels('jax', '0.6.2', '3.10')).toBeUndefined();
  expect(missingWheels('jax', '0.7.0', '3.10')?.pythons).toEqual(['3.11', '3.12', '3.13']);
  expect([pinnedVersion('==2.1.0+cu121'), pinnedVersion('~=2.1'), pinnedVersion('2.1.*')]).toEqual([
    '2.1.0',
    undefined,
    undefined,
  ]);
});

test.each([
  ['nvidia/cuda:11.8.0-runtime-ubuntu22.04', 'BLACKWELL_B200', true],
  ['pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime', 'BLACKWELL_RTX6000', true],
  ['nvidia/cuda:12.8.1-devel-ubuntu22.04', 'BLACKWELL_B200', false],
  ['nvidia/cuda:11.8.0-runtime-ubuntu22.04', 'HOPPER_H100', false],
  ['debian:bookworm-slim', 'BLACKWELL_B200', false],
])('compares the CUDA version of %s with %s', async (image, gpu, isOlder) => {
  const toml = `[cerebrium.deployment]\ndocker_base_image_url = "${image}"\n[cerebrium.hardware]\ncompute = "${gpu}"\n`;
  expect((await issuesOf(toml)).length).toBe(isOlder ? 1 : 0);
});

const old = 'nvidia/cuda:11.8.0-runtime-ubuntu22.04';

test.each<[what: string, dockerfile: string, image: string | undefined]>([
  ['the image', `FROM ${old}\n`, old],
  ['a platform and a name', `from --platform=linux/amd64 ${old} as final\n`, old],
  [
    'an argument',
    `ARG CUDA=11.8.0\nFROM nvidia/cuda:\${CUDA}-base-ubuntu22.04\n`,
    'nvidia/cuda:11.8.0-base-ubuntu22.04',
  ],
  ['the default of an argument', `FROM nvidia/cuda:\${CUDA:-11.8.0}-base\n`, 'nvidia/cuda:11.8.0-base'],
  ['a stage before', `FROM ${old} AS base\nRUN true\nFROM base AS app\nFROM App\n`, old],
  ['a stage that only builds', `FROM ${old} AS build\nFROM nvidia/cuda:12.8.1-runtime-ubuntu22.04\n`, undefined],
  ['an argument without a value', 'ARG IMAGE\nFROM $IMAGE\n', undefined],
  ['no image', 'FROM scratch\n', undefined],
  ['no such file', '', undefined],
])('compares the CUDA version of the base image of a Dockerfile: %s', async (what, dockerfile, image) => {
  const toml = `[cerebrium.deployment]\ndocker_base_image_url = "${old}"\n[cerebrium.hardware]\ncompute = "BLACKWELL_B200"\n[cerebrium.runtime.custom]\ndockerfile_path = "./Dockerfile"\n`;
  const found = await issuesOf(toml, what === 'no such file' ? {} : { Dockerfile: dockerfile });
  const expected = {
    at: ['cerebrium', 'runtime', 'custom', 'dockerfile_path'],
    message: `the image ${image} has CUDA 11.8, which has no code for BLACKWELL_B200`,
  };
  expect(found).toMatchObject(image === undefined ? [] : [expected]);
});

test.each(
  Object.entries({
    'scaling_buffer = 2\nmin_replicas = 1': [
      'scaling_buffer 2 has no effect: min_replicas and max_replicas are both 1, so no replica can be added -> max_replicas = 3',
    ],
    'scaling_buffer = 2\nmax_replicas = 4': [],
    'scaling_buffer = 2': [],
  }),
)('warns about a buffer without replicas to add: %s', async (scaling, messages) => {
  const found = await issuesOf(`[cerebrium.scaling]\n${scaling}\n`);
  expect(found.map(({ message, why, fix }) => `${message}: ${why} -> ${fix}`)).toEqual(messages);
});
