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
  const unique = new Map(notices.map(({ title, text }) => [title, text]));
  return `${introduction}${[...unique].map(([title, text]) => `\n${rule}\n${title}\n${rule}\n\n${text}\n`).join('')}`;
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
  const text = texts.join('\n\n') || `Copyright: ${holder}. The package has no text of its license, ${license}.`;
  return { title: `${name} ${version} (${license})`, text: text.replaceAll('\r\n', '\n') };
}
