// npm run site: the pages of docs/, and one for each command, as a site with a search that needs no server of its own.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referencePages } from './reference.js';

const site = import.meta.dirname;
const docs = join(site, '../docs');
const pages = join(site, 'pages');

rmSync(pages, { recursive: true, force: true });
mkdirSync(join(pages, 'reference'), { recursive: true });
const written = readdirSync(docs).filter((name) => name.endsWith('.md'));
for (const name of written) {
  const text = readFileSync(join(docs, name), 'utf8');
  writeFileSync(join(pages, name === 'README.md' ? 'index.md' : name), forReaders(text));
}
cpSync(join(docs, 'pictures'), join(pages, 'pictures'), { recursive: true });

const program = join(site, '../bin/gantry.cjs');
const reference = JSON.parse(run(process.execPath, program, 'help', '--json'));
const schema = JSON.parse(run(process.execPath, program, 'check', '--schema'));
const made = referencePages(reference, schema);
for (const { name, text } of made) writeFileSync(join(pages, 'reference', `${name}.md`), text);
// What .vitepress/config.js shows at the left.
const index = readFileSync(join(docs, 'README.md'), 'utf8');
writeFileSync(join(pages, 'contents.json'), JSON.stringify([...contentsOf(index), contentsOfReference()]));

run(join(site, 'node_modules/.bin/vitepress'), 'build', site);
writeFileSync(join(site, 'dist/llms.txt'), forAgents(index));
process.stdout.write(`site/dist: ${written.length} pages, and ${made.length} about commands\n`);

/**
 * Without what is only for the tests that follow a page, and without links to what is not on the site.
 * @param {string} text
 */
function forReaders(text) {
  return text.replace(/<!--[\s\S]*?-->\n*/g, '').replace(/\[([^\]]+)\]\((?:\.\.|internals|decisions)\/[^)]*\)/g, '$1');
}

/**
 * The headings of the index and the links below each.
 * @param {string} text
 */
function contentsOf(text) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.split('\n', 1)[0],
      items: [...section.matchAll(/\[([^\]]+)\]\(([\w-]+)\.md\)/g)].map(([, text, page]) => ({
        text,
        link: `/${page}`,
      })),
    }))
    .filter(({ items }) => items.length > 0);
}

function contentsOfReference() {
  const items = made.map(({ name, title }) => ({ text: title, link: `/reference/${name}` }));
  return { text: 'Commands', collapsed: true, items };
}

/**
 * What agents read first (llmstxt.org): the pages, and the commands.
 * @param {string} index
 */
function forAgents(index) {
  const commands = made.map(({ name, title }) => `- [${title}](reference/${name}.html)`);
  return `${forReaders(index).replaceAll('.md)', '.html)')}\n## Commands\n\n${commands.join('\n')}\n`;
}

/**
 * @param {string} program
 * @param {string[]} words
 */
function run(program, ...words) {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`${program} ${words[0]} exited with ${status}: ${error ?? stdout + stderr}`);
  return stdout;
}
