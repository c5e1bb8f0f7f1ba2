// npm run check:workflows: actionlint on the workflows here, and on the one that gantry init --ci writes.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

const folder = '.github/workflows';
const files = readdirSync(folder).map((name) => `${folder}/${name}`);
const made = execFileSync(process.execPath, ['bin/gantry.cjs', 'init', '--ci', 'github', '--print'], {
  encoding: 'utf8',
});
/** @type {[path: string, text: string][]} */
const workflows = [
  ...files.map((file) => /** @type {[string, string]} */ ([file, readFileSync(file, 'utf8')])),
  ['gantry init --ci github', made],
];

/** What exists on GitHub, but not yet for this version of actionlint, the newest on npm. */
const newer =
  /^label "ubuntu-24\.04-arm" is unknown|^undefined variable "vars"|^unknown permission scope "attestations"/;

const lint = await createLinter();
const problems = workflows.flatMap(([path, text]) =>
  lint(text, path)
    .filter(({ message }) => !newer.test(message))
    .map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`),
);
/** What each part of a release is proven with, and what lets a release run again. */
const promised = {
  'provenance of the npm package': /publish\.js npm/,
  'provenance of all files of the release':
    /attest-build-provenance@\w{40}.*\n\s+with:\n\s+subject-checksums: release\/SHA256SUMS/,
  'provenance of the image': /subject-digest: .*\n\s+push-to-registry: true/,
  'the right to attest': /attestations: write/,
  'wheels that are published already': /skip-existing: true/,
};
const release = readFileSync(`${folder}/release.yml`, 'utf8');
for (const [what, pattern] of Object.entries(promised)) {
  if (!pattern.test(release)) problems.push(`${folder}/release.yml lacks ${what}`);
}
for (const problem of problems) process.stderr.write(`error: ${problem}\n`);
process.stdout.write(`${workflows.length} workflows, ${problems.length} problems\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
