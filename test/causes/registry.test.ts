import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { escaped } from '../../build/ascii.js';
import { fill } from '../../src/causes/fill.ts';
import { isOfCode } from '../../src/causes/index.ts';
import { rows } from '../../src/causes/rule.ts';
import { rules } from '../../src/causes/rules/index.ts';

const first = new Map([...rules].reverse().map((rule) => [rule.cause, rule]));
const causes = [...first.keys()].sort();

/** Causes whose look is a rule of the config file, or of one of its files. */
const inSettings: Record<string, string> = {
  'dockerfile-missing': 'src/app/rules/files.ts',
  'gpu-driver-too-old': 'src/app/rules/known-limits.ts',
  'gpu-kernels-missing': 'src/app/rules/known-limits.ts',
  'gpu-out-of-memory': 'src/app/rules/known-limits.ts',
};

/** Why there is no look at files for a cause. */
const withoutLook: Record<string, string> = {
  // The platform, the machine or another host decides it.
  'the platform says it': 'build-timeout container-engine-failed hardware-unavailable quota-exceeded run-timeout',
  'another host decides it': `apt-locked apt-repository-failed conda-channel-failed
    conda-terms-not-accepted download-failed git-ref-not-found hash-mismatch stale-file image-access-denied image-rate-limited
    model-access-denied network-failed package-index-denied service-access-denied service-quota-exceeded`,
  // The app does it when it runs.
  'it depends on what the app does': `cuda-after-fork database-locked device-mismatch disk-full
    body-too-large code-error display-missing file-system-read-only gpu-connection-failed host-not-allowed main-guard-missing not-picklable out-of-memory
    port-in-use result-not-json task-unknown process-limit-reached segfault shared-memory-full start-timeout weights-mismatch worker-timeout`,
  'it depends on the model': 'model-code-not-trusted model-settings-invalid',
  'it depends on addresses of the machine': 'mount-invalid address-unavailable port-not-allowed',
  // Only the versions that are chosen in the build show it.
  'it depends on the packages that are chosen in the build': `apt-conflict apt-version-not-found
    binary-incompatible build-dependency-missing build-out-of-memory conda-conflict
    conda-package-not-found cpu-unsupported cuda-toolkit-missing package-build-failed
    package-renamed sqlite-too-old system-library-missing torch-without-cuda`,
  'it depends on what the image brings': 'conda-not-initialized environment-missing glibc-too-old',
  'the message says it': 'fix-in-message',
  // Of 200 planted mistakes in 20 apps, a look at files named none of these.
  'the log names it, and files seldom show it': `app-exited apt-needs-confirmation browser-missing certificate-invalid
    compiler-missing conda-environment-missing database-schema-missing environment-externally-managed event-loop-misused
    hash-missing
    wrong-architecture`,
  // Their reason lies in files.
  'only setuptools knows which folders it finds': 'package-layout-invalid',
};

/** Names of causes in the looks at files. */
function seenByLooks(): string[] {
  const folder = 'src/causes/files';
  const sources = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  const quoted = new Set(sources.flatMap((text) => text.match(/(?<=['`])[a-z]+(?:-[a-z]+)+(?=['` ])/g) ?? []));
  return causes.filter((cause) => quoted.has(cause));
}

const inFiles = [...new Set([...seenByLooks(), ...Object.keys(inSettings)])].sort();

describe('the registry of causes', () => {
  test('has those that lie in the code of an app', () => {
    expect(causes.filter(isOfCode)).toEqual(['code-error', 'shell-syntax-error', 'syntax-error']);
  });

  test('has a look at files for each cause, or a reason why not', () => {
    const excused = Object.values(withoutLook).flatMap((list) => list.trim().split(/\s+/));
    expect([...new Set(excused)].sort()).toEqual([...excused].sort());
    expect(causes.filter((cause) => !inFiles.includes(cause))).toEqual(excused.sort());
  });

  test('has a sentence, and what helps, for each', () => {
    for (const { cause, title, fix } of first.values())
      expect([cause, title.length > 9, fix.length > 3]).toEqual([cause, true, true]);
  });
});

test('docs/failures.md has a line for each cause, with where it is seen', async () => {
  const text = readFileSync('docs/failures.md', 'utf8');
  const said = new Map(
    [...text.matchAll(/^\| `([\w-]+)`\S* \| (.*) \|$/gm)].map(([, cause = '', what = '']) => [cause, what]),
  );
  const rows = causes.map((cause) => {
    const { title = '' } = first.get(cause) ?? {};
    const signs = rules.filter((rule) => rule.cause === cause).flatMap((rule) => rule.signs);
    const mark = inFiles.includes(cause) ? (signs.length > 0 ? '†' : '‡') : '';
    const shown = fill(title, new Proxy({}, { get: (_, name) => `_${String(name)}_` }));
    return `| \`${cause}\`${mark} | ${said.get(cause) ?? shown} |`;
  });
  const table = ['| cause | what happened |', '| --- | --- |', ...rows].join('\n');
  const renewed = text.replace(/(?<=<!-- causes -->\n\n)[\s\S]*?(?=\n\n<!-- end of causes -->)/, () => table);
  expect(renewed).toContain(table);
  await expect(renewed).toMatchFileSnapshot('../../docs/failures.md');
});

test('every rule has a cause, a title and a fix', () => {
  const incomplete = rules.filter(
    ({ cause, title, fix }) => !/^[a-z][a-z-]+$/.test(cause) || title === '' || fix === '',
  );
  expect(incomplete).toEqual([]);
});

test('rows mean the same in the program, whose build escapes what is beyond ASCII', () => {
  const table = '3 file-invalid † | ^a ‘{name}’ … is {not|no} “b” | {name} × | → mend it';
  const asRows = (text: string) => rows(Object.assign([text], { raw: [text] }));
  expect(asRows(escaped(table))).toEqual(asRows(table));
  expect(asRows(table)[0]).toMatchObject({ cause: 'file-invalid', rank: 3, inFiles: true });
});
