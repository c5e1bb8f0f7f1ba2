// npm run smoke:windows [-- PROGRAM.exe]: the smoke list on Node for Windows, or on an executable, under wine. Says so if
// there is no wine.
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { nodeBinary } from './node-binary.js';
import { removeFolder, smoke } from './smoke-list.js';

/** The last version that starts on the Windows of Debian's wine. */
const version = '22.12.0';
const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/lib/wine'];
const wine = places
  .flatMap((folder) => ['wine64', 'wine'].map((name) => join(folder, name)))
  .find((file) => existsSync(file));

if (wine) await tryUnderWine(wine, process.argv[2]);
else process.stdout.write('wine is not here: the smoke list for Windows is skipped\n');

/**
 * @param {string} loader
 * @param {string | undefined} executable
 */
async function tryUnderWine(loader, executable) {
  const place = mkdtempSync(join(tmpdir(), 'gantry-wine-'));
  const program = executable
    ? [resolve(executable)]
    : [resolve(nodeBinary('win32-x64', version).file), resolve('bin/gantry.cjs')];
  const [home, temporary] = ['home', 'tmp'].map((name) => windowsPath(join(place, name)));
  for (const name of ['home', 'tmp', 'work']) mkdirSync(join(place, name));
  mkdirSync('node_modules/.cache', { recursive: true });
  try {
    const { passed, failed } = await smoke(
      {
        command: [loader, ...program],
        folder: join(place, 'work'),
        wine: true,
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          WINEPREFIX: resolve('node_modules/.cache/wine'),
          WINEDEBUG: '-all',
          USERPROFILE: home,
          APPDATA: home,
          LOCALAPPDATA: home,
          TEMP: temporary,
          TMP: temporary,
          NO_COLOR: '1',
          NODE_SKIP_PLATFORM_CHECK: '1',
          NODE_OPTIONS: `--require ${windowsPath(resolve('packaging/wine.cjs')).replaceAll('\\', '/')}`,
        },
      },
      manifest.version,
    );
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
    process.exitCode = failed > 0 ? 1 : 0;
  } finally {
    removeFolder(place);
  }
}

/** @param {string} path */
function windowsPath(path) {
  return `Z:${path.replaceAll('/', '\\')}`;
}
