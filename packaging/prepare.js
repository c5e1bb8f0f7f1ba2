// npm runs this in a clone, and before it packs a dependency from git.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, realpathSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const windows = process.platform === 'win32';
if (process.env.npm_config_global === 'true' && /_cacache.tmp.git-clone/.test(process.cwd())) undoGlobalInstall();
if (!existsSync('node_modules/rolldown')) installLibraries();
await import('../build.js');

/**
 * `npm install --global` of a git repository runs `npm install` in its temporary clone. That one sees `--global` in the
 * environment: it installs no libraries there, but a link to the clone, which is gone soon.
 */
function undoGlobalInstall() {
  const { npm_config_global_prefix: globalPrefix, npm_config_prefix: prefix = globalPrefix ?? '' } = process.env;
  const link = join(prefix, windows ? '' : 'lib', 'node_modules', 'gantry');
  const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink();
  if (!isLink || !existsSync(link) || realpathSync(link) !== realpathSync('.')) return;
  unlinkSync(link);
  // The npm outside had made the folder, and unpacks into it.
  mkdirSync(link);
}

function installLibraries() {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_config_(global|location)$/i.test(name));
  const options = { env: Object.fromEntries(own), stdio: /** @type {const} */ ('inherit'), shell: windows };
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--include=dev'], options);
  if (status !== 0) throw new Error(`npm ci exited with ${status}`);
}
