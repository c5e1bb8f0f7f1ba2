import { timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { endianness } from 'node:os';

/** Whether the other end of a local connection belongs to the user who runs the emulator. */
export type OwnerCheck = (socket: Socket) => Promise<boolean>;

/**
 * Linux lists the user of each socket. Undefined where the system does not tell: elsewhere, and in some sandboxes, which
 * a connection to ourselves shows.
 */
export async function createOwnerCheck(port: number, folder = '/proc/self/net'): Promise<OwnerCheck | undefined> {
  const own = process.getuid?.();
  // Users of other namespaces are listed as nobody.
  if (own === undefined || own === nobody || process.platform !== 'linux') return undefined;
  const check: OwnerCheck = async (socket) => (await userOf(socket, folder)) === own;
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
  const tables = remoteAddress === '::1' ? ipv6Tables : ipv4Tables;
  for (const [file, encode] of tables) {
    const wanted = `${endpoint(encode(remoteAddress), remotePort)} ${endpoint(encode(localAddress), localPort)}`;
    const table = await readFile(`${folder}/${file}`, 'latin1').catch(() => '');
    const line = table.split('\n').find((each) => each.includes(wanted));
    const [, , , , , , , user, , inode] = line?.trim().split(/\s+/) ?? [];
    if (user !== undefined && inode !== '0') return Number(user);
  }
  return undefined;
}

const ipv4Tables = [['tcp', encodeV4] as const, ['tcp6', encodeMapped] as const];
const ipv6Tables = [['tcp6', encodeLoopback] as const];

function endpoint(address: string, port: number): string {
  return `${address}:${port.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The kernel prints the bytes of each word in the order of this machine. */
const inOrder = (bytes: number[]) => (endianness() === 'LE' ? bytes.toReversed() : bytes);

function encodeV4(address: string): string {
  const bytes = address
    .replace(/^::ffff:/, '')
    .split('.')
    .map(Number);
  return hex(inOrder(bytes));
}

/** An IPv4 address as sockets of IPv6 have it. */
function encodeMapped(address: string): string {
  return `${'0'.repeat(16)}${hex(inOrder([0, 0, 255, 255]))}${encodeV4(address)}`;
}

/** `::1` */
function encodeLoopback(): string {
  return `${'0'.repeat(24)}${hex(inOrder([0, 0, 0, 1]))}`;
}

function hex(bytes: number[]): string {
  return bytes.map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join('');
}

/** Compares secrets: the time does not tell how much of one is right. */
export function equalsInConstantTime(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
