import { createRequire } from 'node:module';

/** @import { Plugin } from 'rolldown' */

/**
 * Turns Commander's files from CommonJS into ES modules, so that they become part of a chunk without wrapper functions:
 * `apps list` then starts 2 to 3 ms faster. A Commander that is written differently fails the build.
 * @type {Plugin}
 */
export const flatCommander = {
  name: 'flat commander',
  // Its entry for ES modules wraps the one for CommonJS.
  resolveId: (source) => (source === 'commander' ? createRequire(import.meta.url).resolve('commander') : undefined),
  transform(code, id) {
    if (!/node_modules.commander.(lib|index)/.test(id)) return undefined;
    const flat = code
      // A program that nobody uses.
      .replace(/^exports\.program = new Command\(\);/m, '')
      .replace(/^const (.+) = require\(('\..+)\);$/gm, 'import $1 from $2;')
      .replace(/^exports\.(\w+) = \1;/gm, 'export { $1 };')
      .replace(/^exports\.(\w+) = /gm, 'export const $1 = ')
      // Loaded to start subcommands that are programs of their own. gantry has none.
      .replace(/^const childProcess = require\('node:child_process'\);/m, lazyChildProcess);
    if (!/^export /m.test(flat) || /\bexports\.|require\(['"]\.|^const.*child_process/m.test(flat)) {
      throw new Error(`${id} has changed: build/commander.js no longer makes an ES module of it`);
    }
    // Each line is still where it was.
    return { code: flat, map: null };
  },
};

const lazyChildProcess = "let childProcess = { spawn: (...given) => require('node:child_process').spawn(...given) };";
