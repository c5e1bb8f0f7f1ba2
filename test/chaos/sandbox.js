import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bytesOf, markOf } from './content.js';

/** @typedef {import('./types.ts').LocalEntry} LocalEntry */

/** The folders of one seed: the user's work, what lies beside it, the home, gantry's own, and the temporary one. */
export class Sandbox {
  #isMounted = false;

  constructor() {
    this.root = mkdtempSync(join(tmpdir(), 'gantry-chaos-'));
    for (const name of ['work', 'outside', 'home', 'config', 'tmp']) mkdirSync(join(this.root, name));
  }

  /** @param {string} path */
  at(path) {
    return join(this.root, path);
  }

  /** A small disk below the work folder; false where this machine or user cannot mount one. @param {number} kiB */
  mount(kiB) {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kiB}k`, 'none', this.at('work')], { stdio: 'ignore' });
      this.#isMounted = true;
    } catch {}
    return this.#isMounted;
  }

  /** Gives the small disk more room. */
  enlarge() {
    if (!this.#isMounted) return;
    execFileSync('mount', ['-o', 'remount,size=200m', this.at('work')], { stdio: 'ignore' });
  }

  /** @param {string} folder @param {readonly LocalEntry[]} entries */
  write(folder, entries) {
    for (const { path, content, text, modified, folder: isFolder, link } of entries) {
      const file = join(this.root, folder, path);
      mkdirSync(isFolder ? file : dirname(file), { recursive: true });
      if (link !== undefined) symlinkSync(link, file);
      else if (!isFolder) writeFileSync(file, content ? bytesOf(content) : (text ?? ''));
      if (modified !== undefined) utimesSync(file, modified / 1000, modified / 1000);
    }
  }

  /** What somebody else does to the disk; nothing that is in its way makes it fail. @param {import('./types.ts').Meddling} meddling */
  meddle(meddling) {
    const { path } = meddling;
    const file = this.at(path);
    try {
      if (meddling.do === 'write') writeFileSync(file, bytesOf(meddling.content));
      else if (meddling.do === 'append') appendFileSync(file, bytesOf(meddling.content));
      else if (meddling.do === 'remove') rmSync(file, { recursive: true, force: true });
      else if (meddling.do === 'replace-by-link') {
        renameSync(file, `${file}.moved`);
        symlinkSync(
          join(
            ...path
              .split('/')
              .slice(2)
              .map(() => '..'),
            meddling.link,
          ),
          file,
        );
      }
    } catch {}
  }

  /** @param {string} path @returns {Buffer | undefined} */
  read(path) {
    try {
      return readFileSync(this.at(path));
    } catch {
      return undefined;
    }
  }

  /** All that is on the disk, by its path below the sandbox. @returns {import('./types.ts').Tree} */
  look() {
    /** @type {import('./types.ts').Tree} */
    const tree = new Map();
    const enter = (/** @type {string} */ folder) => {
      for (const name of readdirSync(join(this.root, folder))) {
        const path = folder ? `${folder}/${name}` : name;
        const stats = lstatSync(join(this.root, path));
        const { size, mode } = stats;
        if (stats.isDirectory()) {
          tree.set(path, { kind: 'folder', size: 0, mark: '', mode });
          enter(path);
        } else if (stats.isSymbolicLink()) {
          tree.set(path, { kind: 'link', size, mark: readlinkSync(join(this.root, path)), mode });
        } else {
          const isFile = stats.isFile();
          const mark = isFile ? markOf(readFileSync(join(this.root, path))) : '';
          tree.set(path, { kind: isFile ? 'file' : 'other', size, mark, mode });
        }
      }
    };
    enter('');
    return tree;
  }

  remove() {
    if (this.#isMounted) execFileSync('umount', ['-l', this.at('work')], { stdio: 'ignore' });
    this.#isMounted = false;
    rmSync(this.root, { recursive: true, force: true });
  }
}
