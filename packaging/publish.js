// node packaging/publish.js npm|github FOLDER: publishes a part of a release that is not published yet. A release
// that failed half-way is run again: what is there stays, if it is the same, and is an error if it is not.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { publishedManifest } from './owner.js';

const [part = '', folder = 'release'] = process.argv.slice(2);
const manifest = publishedManifest();
const tag = `v${manifest.version}`;
const files = readdirSync(folder).map((name) => join(folder, name));

/** @type {Record<string, () => void>} */
const parts = { npm: publishPackage, github: publishFiles };
const publish = parts[part];
if (!publish) throw new Error(`node packaging/publish.js ${Object.keys(parts).join('|')} FOLDER`);
publish();

function publishPackage() {
  const tarball = files.find((file) => file.endsWith('.tgz'));
  if (!tarball) throw new Error(`${folder} has no package`);
  const name = `${manifest.name}@${manifest.version}`;
  const view = run('npm', 'view', name, 'dist.integrity', '--json');
  // Not found is 404. Any other failure says nothing about what is published.
  if (view.status !== 0 && !/E404/.test(view.stdout + view.stderr)) throw new Error(`npm view failed: ${view.stderr}`);
  const published = view.status === 0 && view.stdout.trim() !== '' ? JSON.parse(view.stdout) : undefined;
  const own = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  if (published === own) return say(`${name} is published already`);
  if (published) throw new Error(`another ${name} is published: ${published}, and this one is ${own}`);
  must('npm', 'publish', tarball, '--provenance');
}

/** A file that is there already is replaced only by itself: the SHA256SUMS of the release must be these. */
function publishFiles() {
  const assets = files.filter((file) => /\.(tar\.gz|zip|tgz|whl|cdx\.json|rb)$|SHA256SUMS$/.test(file));
  const found = run('gh', 'release', 'view', tag, '--json', 'assets', '--jq', '.assets[].name');
  if (found.status !== 0 && !/not found/i.test(found.stderr))
    throw new Error(`gh release view failed: ${found.stderr}`);
  if (found.status !== 0) {
    // A draft until it is whole: nobody downloads half a release.
    must('gh', 'release', 'create', tag, '--draft', '--verify-tag', '--notes-file', join(folder, 'NOTES.md'));
  }
  const there = new Set(found.status === 0 ? found.stdout.split('\n') : []);
  if (there.has('SHA256SUMS')) {
    const sums = run('gh', 'release', 'download', tag, '--pattern', 'SHA256SUMS', '--output', '-').stdout;
    if (sums !== readFileSync(join(folder, 'SHA256SUMS'), 'utf8'))
      throw new Error(`the release ${tag} has other files`);
  }
  const missing = assets.filter((file) => !there.has(basename(file)));
  if (missing.length > 0) must('gh', 'release', 'upload', tag, ...missing);
  must('gh', 'release', 'edit', tag, '--draft=false');
  say(`${tag}: ${missing.length} of ${assets.length} files uploaded`);
}

/**
 * @param {string} program
 * @param {string[]} words
 */
function run(program, ...words) {
  return spawnSync(program, words, { encoding: 'utf8' });
}

/**
 * @param {string} program
 * @param {string[]} words
 */
function must(program, ...words) {
  const { status } = spawnSync(program, words, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${status}`);
}

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}
