// Draws the picture of the README from what the program prints. Run by `npm run docs`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a picture shows of the codes for colors and weights. @type {Record<string, string>} */
const styles = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow', 36: 'cyan' };
/** Makes the pipe that stdout is pass for a terminal: in a pipe a response is bytes without an end of line. */
const asTerminal = 'data:text/javascript,Object.assign(process.stdout,{isTTY:true,columns:90})';
const program = join(import.meta.dirname, '../../bin/gantry.cjs');
const folder = mkdtempSync(join(tmpdir(), 'gantry-pictures-'));
try {
  const lines = ['gantry init my-app', 'cd my-app', 'gantry deploy', 'gantry invoke . name=Ada', 'gantry logs'];
  draw('deploy', session(lines));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Command lines as they are typed one after another, on one emulator, each with what it prints: stdout and stderr as they
 * come.
 * @param {string[]} lines
 */
function session(lines) {
  const [node, bin] = [process.execPath, program].map((path) => `'${path}'`);
  const typed = lines.map((line) => `printf '%s\\n' '$ ${line}'; ${line} || exit`);
  // The emulator shows log lines a moment late, as the platform does.
  const script = `gantry() { sleep 0.5; ${node} --import '${asTerminal}' ${bin} "$@"; }\n${typed.join('\n')}`;
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    [program, 'emulator', 'exec', '--', 'sh', '-c', `{ ${script}\n} 2>&1`],
    {
      cwd: folder,
      env: { ...process.env, FORCE_COLOR: '1', NO_COLOR: '', TZ: 'UTC', GANTRY_CONFIG_DIR: join(folder, 'settings') },
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`the session exited with ${status}\n${stdout}${stderr}`);
  // A terminal shows an animation in place of these lines.
  return stdout.trimEnd().replace(/^(Building|Packing|Uploading|Waiting for)\b.*\n/gm, '');
}

/**
 * Writes a picture unless only numbers and ids differ from the one there is.
 * @param {string} name
 * @param {string} output
 */
function draw(name, output) {
  const file = join(import.meta.dirname, `${name}.svg`);
  const svg = pictureOf(output.split('\n'));
  const comparable = (/** @type {string} */ picture) =>
    picture
      .replace(/<[^>]*>/g, '')
      .replace(/\s/g, '')
      .replace(/[0-9a-f]{8}(-[\w-]+)?|\d[\d.,]*([a-zA-Z]+)?/g, '#');
  if (!existsSync(file) || comparable(readFileSync(file, 'utf8')) !== comparable(svg)) writeFileSync(file, svg);
}

/**
 * Lines of a terminal as SVG. Its colors follow the reader's choice of light or dark.
 * @param {string[]} lines
 */
function pictureOf(lines) {
  const cell = { width: 8.4, height: 17 };
  const columns = 90;
  const wrapped = lines.flatMap((line) => rowsOf(line, columns));
  const rows = wrapped.map((segments, row) =>
    segments
      .map(({ text, style, column }) => {
        const [x, y] = [16 + column * cell.width, 28 + row * cell.height];
        return `<text x="${x.toFixed(1)}" y="${y}"${style ? ` class="${style}"` : ''}>${escaped(text)}</text>`;
      })
      .join(''),
  );
  const [width, height] = [Math.ceil(32 + columns * cell.width), 32 + wrapped.length * cell.height];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>${escaped(lines[0] ?? '')}</title>
<style>
rect { fill: #f6f8fa } text { fill: #1f2328; font: 14px ui-monospace, Menlo, Consolas, monospace; white-space: pre }
.bold { font-weight: 600 } .dim { fill: #656d76 } .red { fill: #cf222e } .green { fill: #1a7f37 }
.yellow { fill: #9a6700 } .cyan { fill: #0969da }
@media (prefers-color-scheme: dark) {
  rect { fill: #161b22 } text { fill: #e6edf3 } .dim { fill: #8d96a0 } .red { fill: #ff7b72 } .green { fill: #3fb950 }
  .yellow { fill: #d29922 } .cyan { fill: #58a6ff }
}
</style>
<rect width="${width}" height="${height}" rx="8"/>
${rows.filter(Boolean).join('\n')}
</svg>
`;
}

/**
 * A line as rows of segments of one style each.
 * @param {string} line
 * @param {number} columns
 */
function rowsOf(line, columns) {
  /** @type {{ text: string, style: string, column: number }[][]} */
  const rows = [[]];
  let style = '';
  let column = 0;
  for (const [, code, text = ''] of line.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+)/g)) {
    if (code !== undefined) style = styles[code] ?? '';
    for (let rest = text; rest !== ''; ) {
      if (column === columns) {
        rows.push([]);
        column = 0;
      }
      const part = rest.slice(0, columns - column);
      rows.at(-1)?.push({ text: part, style, column });
      column += part.length;
      rest = rest.slice(part.length);
    }
  }
  return rows;
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
