// The licenses of the libraries in the bundle: each of them wants its notice with every copy.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Completion scripts are made with it (build/texts.js): no module of the bundle, but its text. */
const copied = ['node_modules/@bomb.sh/tab'];

/**
 * The text of THIRD-PARTY-NOTICES.txt. A library without a license fails the build.
 * @param {string[]} modules ids of the bundled modules; those outside of node_modules are ours
 */
export function noticesFor(modules) {
  const folders = new Set([...modules.flatMap(packageFolder), ...copied]);
  const notices = [...folders].map(notice).sort((a, b) => (a.title < b.title ? -1 : 1));
  return `${introduction}${sharing(notices).map(section).join('')}`;
}

/**
 * The libraries that a file of notices names.
 * @param {string} notices
 */
export function librariesIn(notices) {
  return [...notices.matchAll(/^(\S+) (\d\S*) \((.+)\)$/gm)].map(([, name = '', version = '', license = '']) => ({
    name,
    version,
    license,
  }));
}

const introduction = 'gantry contains the following libraries. Their licenses apply to their parts.\n';
const rule = '-'.repeat(80);

/**
 * The folder of the package that a module belongs to. The bundler adds some functions of its own.
 * @param {string} id
 */
function packageFolder(id) {
  if (id.startsWith('\0rolldown/')) return ['node_modules/rolldown'];
  const path = id.replace(/^\0/, '').replace(/\?.*$/, '').replaceAll('\\', '/');
  const [folder] = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
  return folder === undefined ? [] : [folder];
}

/** @param {string} folder */
function notice(folder) {
  const { name, version, license, author, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!license) throw new Error(`${name} has no license: it cannot be part of the program`);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const holder = typeof author === 'string' ? author : (author?.name ?? repository?.url ?? repository);
  const text = texts.join('\n\n') || `Copyright: ${holder}\n\nThe package has no text of its license, ${license}.`;
  return { title: `${name} ${version} (${license})`, ...parted(text.replaceAll('\r\n', '\n')) };
}

/** @typedef {{ title: string, holders: string[], terms: string }} Notice */

/** Splits a license into the lines that name who holds the copyright, and what these allow. @param {string} text */
function parted(text) {
  const holder = /^[ \t]*(?:copyright(?!\W*(?:notice|license|holder|owner|statement|\[))\b|\(c\) \d).*\n?/gim;
  const holders = (text.match(holder) ?? []).map((line) => line.trim());
  return { holders, terms: text.replace(holder, '').trim() };
}

/**
 * Libraries with the same terms, whose text is written once: most are those of MIT.
 * @param {Notice[]} notices
 */
function sharing(notices) {
  /** @type {Map<string, Notice[]>} */
  const groups = new Map();
  for (const each of new Map(notices.map((notice) => [notice.title, notice])).values()) {
    const words = each.terms
      .replace(/\W+/g, ' ')
      .replace(/^ ?(the )?MIT License (MIT )?/i, '')
      .trim();
    groups.set(words, [...(groups.get(words) ?? []), each]);
  }
  return [...groups.values()];
}

/** @param {Notice[]} notices */
function section(notices) {
  const named = notices.map(({ title, holders }) => [title, ...holders.map((line) => `  ${line}`)].join('\n'));
  return `\n${rule}\n${named.join('\n')}\n${rule}\n\n${notices[0]?.terms}\n`;
}
