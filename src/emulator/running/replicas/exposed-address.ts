import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';

/** A non-loopback address on which a local port listens; undefined if there is none. Works on Linux only. */
export async function findExposedAddress(port: number): Promise<string | undefined> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  return tables.flatMap((table) => listeningAddresses(table, port)).find((address) => !isLoopback(address));
}

const listenState = '0A';

/** Lines are `sl local_address rem_address st …`, with addresses and ports in hexadecimal. */
function listeningAddresses(table: string, port: number): string[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    const [address = '', hexPort = ''] = local.split(':');
    return state === listenState && Number.parseInt(hexPort, 16) === port ? [readAddress(address)] : [];
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

function isLoopback(address: string): boolean {
  return /^127\.|^::1$|^::ffff:7f/.test(address);
}
