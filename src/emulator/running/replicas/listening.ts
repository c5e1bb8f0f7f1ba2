import { readdir, readFile, readlink } from 'node:fs/promises';
import { endianness } from 'node:os';
import { systemCode } from '../../../kernel/errors.ts';
import { processGroup, processTree } from '../metrics.ts';

/** A non-loopback address on which a local port listens; undefined if there is none. Works on Linux only. */
export async function findExposedAddress(port: number): Promise<string | undefined> {
  const listeners = await readListeners();
  return listeners.flatMap((one) => (one.port === port ? [readAddress(one.address)] : [])).find(isExposed);
}

/** The ports on which a process and its children listen. Works on Linux only; elsewhere none is known. */
export async function findListeningPorts(pid: number): Promise<number[]> {
  try {
    const sockets = new Set((await Promise.all(processTree(pid).map(socketsOf))).flat());
    const listeners = await readListeners();
    return [...new Set(listeners.flatMap(({ inode, port }) => (sockets.has(inode) ? [port] : [])))].sort(
      (a, b) => a - b,
    );
  } catch {
    return [];
  }
}

/** Whether another program than a process, its children and its group listens on a port. Works on Linux only. */
export async function isOfOther(port: number, pid: number): Promise<boolean> {
  const inodes = (await readListeners()).filter((one) => one.port === port).map(({ inode }) => inode);
  if (inodes.length === 0) return false;
  try {
    for (const processes of [processTree, processGroup]) {
      const sockets = (await Promise.all(processes(pid).map(socketsOf))).flat();
      if (inodes.some((inode) => sockets.includes(inode))) return false;
    }
    return true;
  } catch (error) {
    // One of them has ended: what listens is not known to be its own.
    return systemCode(error) === 'ENOENT' || systemCode(error) === 'ESRCH';
  }
}

async function socketsOf(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all((await readdir(folder)).map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}

const listenState = '0A';

interface Listener {
  /** In hexadecimal. */
  address: string;
  port: number;
  inode: string;
}

/** Lines are `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`. */
async function readListeners(): Promise<Listener[]> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  return tables
    .join('\n')
    .split('\n')
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      return state === listenState ? [{ address, port: Number.parseInt(port, 16), inode }] : [];
    });
}

/** 4 or 16 bytes, as 32-bit words in the byte order of this machine. */
function readAddress(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => {
    const inOrder = [...Buffer.from(word, 'hex')];
    return endianness() === 'LE' ? inOrder.reverse() : inOrder;
  });
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, at) =>
    Buffer.from(bytes)
      .readUInt16BE(at * 2)
      .toString(16),
  );
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

function isExposed(address: string): boolean {
  return !/^127\.|^::1$|^::ffff:7f/.test(address);
}
