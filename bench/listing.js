// A volume of any number of files, in a process of its own: the listing of a folder is made from its path, so that the
// server holds nothing, and is never what grows. `/deep-1000/` has 20 files and 4 folders in each folder, `/flat-1000/`
// has all files in one folder, and `/mixed-1000/` the same in no order.
// Started by growth.js, with the numbers of files as JSON; it says its address.
import { createServer } from 'node:net';
import { converse, json, reply } from './conversation.js';
import { fileName, filesPerFolder, folderName, innerFolders, modified } from './numbered-tree.js';

/** @import { Socket } from 'node:net' */

/** @typedef {number[]} TreeSizes numbers of files: a tree of each shape has so many */

/** @type {TreeSizes} */
const sizes = JSON.parse(process.argv[2] ?? '[]');
const trees = ['deep', 'flat', 'mixed'].flatMap((shape) => sizes.map((files) => `${shape}-${files}`));

/** Missing in the next listing of the root, which confirms the removal, and there again in the one after. */
const removed = new Set();

const server = createServer({ noDelay: true }, (socket) => {
  converse(socket, ({ method, url }) => {
    if (method === 'DELETE') {
      removed.add(url.searchParams.get('file_path'));
      socket.write(reply('200 OK', { 'content-type': 'text/plain' }));
    } else if (url.pathname.endsWith('/ls')) void list(url.searchParams.get('dir') ?? '/', socket);
    else socket.write(reply('404 Not Found', {}));
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.stdout.write(`http://127.0.0.1:${port}`);
});

/**
 * @param {string} dir
 * @param {Socket} socket
 */
async function list(dir, socket) {
  const [, shape, files, number = 0] = /^\/(\w+)-(\d+)\/(?:(?:.*\/)?d(\d+)\/)?$/.exec(dir) ?? [];
  if (dir === '/') socket.write(json(root()));
  else if (shape === 'deep') socket.write(json(deepFolder(Number(number), Number(files))));
  else if (shape) await listFlat(Number(files), shape === 'mixed', socket);
  else socket.write(reply('404 Not Found', {}));
}

function root() {
  const entries = trees.filter((name) => !removed.has(`/${name}/`)).map(folderEntry);
  removed.clear();
  return entries;
}

/**
 * @param {number} number
 * @param {number} files of the whole tree
 */
function deepFolder(number, files) {
  const folders = innerFolders(number, files).map((each) => folderEntry(folderName(each)));
  const own = Array.from({ length: filesPerFolder }, (_, index) => fileEntry(number * filesPerFolder + index));
  return [...folders, ...own];
}

/**
 * Every entry has the same length, so the length of the reply is known before it is made.
 * @param {number} files
 * @param {boolean} isMixed
 * @param {Socket} socket
 */
async function listFlat(files, isMixed, socket) {
  const entryLength = JSON.stringify(fileEntry(0)).length;
  socket.write(reply('200 OK', { 'content-type': 'application/json' }, files * (entryLength + 1) + 1));
  for (let start = 0; start < files && !socket.destroyed; start += entriesAtOnce) {
    const numbers = Array.from({ length: Math.min(entriesAtOnce, files - start) }, (_, index) => start + index);
    const entries = numbers.map((number) => JSON.stringify(fileEntry(isMixed ? (number * stride) % files : number)));
    const isDrained = socket.write(`${start === 0 ? '[' : ','}${entries.join(',')}`);
    if (!isDrained) await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
  }
  socket.write(']');
}

const entriesAtOnce = 1_000;
/** A prime: its multiples are all numbers below a number of files that it does not divide. */
const stride = 7_919;

/** @param {number} number */
function fileEntry(number) {
  return { name: fileName(number), is_folder: false, size_bytes: 0, last_modified: modified };
}

/** @param {string} name */
function folderEntry(name) {
  return { name: `${name}/`, is_folder: true, size_bytes: 0, last_modified: '0001-01-01T00:00:00Z' };
}
