import { timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect, type Socket, SocketAddress } from 'node:net';
import { endianness } from 'node:os';

/** Whether the other end of a local connection belongs to the user who runs the emulator. */
export type OwnerCheck = (socket: Socket) => Promise<boolean>;

/**
 * Linux lists the user of each socket. Undefined where the system does not tell: elsewhere, and in some sandboxes, which
 * a connection to ourselves shows.
 */
export async function createOwnerCheck(port: number, folder = '/proc/self/net'): Promise<OwnerCheck | undefined> {
  const ownUid = process.getuid?.();
  // Users of other namespaces are listed as nobody.
  if (ownUid === undefined || ownUid === nobody || process.platform !== 'linux') return undefined;
  const check: OwnerCheck = async (socket) => (await userOf(socket, folder)) === ownUid;
  return (await recognizesItself(port, check)) ? check : undefined;
}

const nobody = 65_534;

/** Checks a connection of this process from its server's end. */
async function recognizesItself(port: number, check: OwnerCheck): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await new Promise((done, failed) => socket.once('connect', done).once('error', failed));
    const { localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0 } = socket;
    const serverEnd = { localAddress: remoteAddress, localPort: remotePort, remoteAddress: localAddress };
    return await check({ ...serverEnd, remotePort: localPort } as Socket);
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

type Ends = Pick<Socket, 'localAddress' | 'localPort' | 'remoteAddress' | 'remotePort'>;

/** Undefined if the other end is closed: the system then no longer knows its user. */
async function userOf(socket: Ends, folder: string): Promise<number | undefined> {
  const { localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0 } = socket;
  const isAt = (end: string, address: string, port: number) =>
    portOf(end) === port && addressOf(end) === plain(address);
  const sockets = await listSockets(folder);
  return sockets.find(
    ({ local, remote, inode }) =>
      isAt(local, remoteAddress, remotePort) && isAt(remote, localAddress, localPort) && inode !== '0',
  )?.user;
}

/** TCP sockets of this machine. Lines are `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`. */
export async function listSockets(folder = '/proc/net') {
  const tables = ['tcp', 'tcp6'].map((name) => readFile(`${folder}/${name}`, 'latin1').catch(() => ''));
  const lines = (await Promise.all(tables)).flatMap((table) => table.trim().split('\n').slice(1));
  return lines.map((line) => {
    const [, local = '', remote = '', state, , , , user, , inode = ''] = line.trim().split(/\s+/);
    return { local, remote, isListening: state === '0A', user: Number(user), inode };
  });
}

/** The port of one end of a listed socket: `0100007F:1F90`. */
export function portOf(end: string): number {
  return Number.parseInt(end.split(':')[1] ?? '', 16);
}

/** 4 or 16 bytes, as 32-bit words in the byte order of this machine. */
export function addressOf(end: string): string {
  const bytes = Buffer.from(end.split(':')[0] ?? '', 'hex');
  if (endianness() === 'LE') bytes.swap32();
  if (bytes.length === 4) return bytes.join('.');
  const groups = bytes.toString('hex').match(/.{4}/g) ?? [];
  return plain(new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address);
}

/** An address of IPv4 as such, where a socket of IPv6 has it. */
function plain(address: string): string {
  return address.replace(/^::ffff:/, '');
}

/** Compares secrets: the time does not tell how much of one is right. */
export function equalsInConstantTime(a: string, b: string): boolean {
  const bytes = Buffer.from(a);
  const other = Buffer.from(b);
  return bytes.length === other.length && timingSafeEqual(bytes, other);
}
