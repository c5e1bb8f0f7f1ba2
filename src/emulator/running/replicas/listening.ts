import { readdir, readlink } from 'node:fs/promises';
import { systemCode } from '../../../kernel/errors.ts';
import { addressOf, listSockets, portOf } from '../../http/owner-check.ts';
import { processGroup, processTree } from '../processes/usage.ts';

/** A non-loopback address on which a local port listens; undefined if there is none. Works on Linux only. */
export async function findExposedAddress(port: number): Promise<string | undefined> {
  const listeners = await listListeners();
  return listeners.find((one) => one.port === port && !/^127\.|^::1$/.test(one.address))?.address;
}

/** The ports on which a process and its children listen. Works on Linux only; elsewhere none is known. */
export async function findListeningPorts(pid: number): Promise<number[]> {
  try {
    const sockets = new Set((await Promise.all(processTree(pid).map(socketsOf))).flat());
    const listeners = await listListeners();
    return [...new Set(listeners.flatMap(({ inode, port }) => (sockets.has(inode) ? [port] : [])))].sort(
      (a, b) => a - b,
    );
  } catch {
    return [];
  }
}

/** Whether another program than a process, its children and its group listens on a port. Works on Linux only. */
export async function isOfOther(port: number, pid: number): Promise<boolean> {
  const inodes = (await listListeners()).filter((one) => one.port === port).map(({ inode }) => inode);
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

async function listListeners() {
  const listeners = (await listSockets()).filter(({ isListening }) => isListening);
  return listeners.map(({ local, inode }) => ({ address: addressOf(local), port: portOf(local), inode }));
}
