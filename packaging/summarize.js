// node packaging/summarize.js FOLDER: checksums, the formula and the notes of a release, from the files in the folder.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import manifest from '../package.json' with { type: 'json' };
import { addresses, installNotes } from './owner.js';

/** @param {string} folder */
export function summarize(folder) {
  const files = readdirSync(folder).filter((file) => /\.(tgz|tar\.gz|zip|whl|cdx\.json)$/.test(file));
  const sums = new Map(files.sort().map((file) => [file, sha256(join(folder, file))]));
  const lines = [...sums].map(([file, sum]) => `${sum}  ${file}\n`).join('');
  writeFileSync(join(folder, 'SHA256SUMS'), lines);
  writeFileSync(
    join(folder, 'NOTES.md'),
    notesOf(readFileSync('CHANGELOG.md', 'utf8'), manifest.version) + installNotes(),
  );
  const text = formula(sums);
  // Without all of its executables, or an address, there is nothing to install.
  if (!text.includes('"undefined"')) writeFileSync(join(folder, 'gantry.rb'), text);
  return lines;
}

/**
 * The part of the change log about a version; before its release, what is not released.
 * @param {string} changelog
 * @param {string} version
 */
export function notesOf(changelog, version) {
  const sections = changelog.split(/^(?=## \[)/m);
  const section = [version, 'Unreleased'].map((name) => sections.find((text) => text.startsWith(`## [${name}]`)));
  return `${(section.find((text) => text) ?? '').replace(/^.*\n/, '').trim()}\n`;
}

/** @param {Map<string, string>} sums */
function formula(sums) {
  const { version, description } = manifest;
  const { repository: homepage, releases } = addresses() ?? {};
  const words = { version, description, homepage, releases };
  return readFileSync('packaging/homebrew/gantry.rb', 'utf8')
    .replace(/^# .*\n/, '')
    .replace(/\{([\w-]+)\}/g, (_, word) =>
      String(word in words ? Reflect.get(words, word) : sums.get(`gantry-${version}-${word}.tar.gz`)),
    );
}

/** @param {string} file */
function sha256(file) {
  return statSync(file).isFile() ? createHash('sha256').update(readFileSync(file)).digest('hex') : '';
}

const [, script = '', folder] = process.argv;
if (folder && import.meta.url === pathToFileURL(script).href) process.stdout.write(summarize(folder));
