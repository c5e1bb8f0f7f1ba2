import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';

/**
 * The address beyond the loopback on which a port of this machine listens; undefined when there is none, or when the
 * system does not tell (it does on Linux only).
 */
export async function findExposedAddress(port: number): Promise<string | undefined> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  return tables.flatMap((table) => listeningAddresses(table, port)).find((address) => !isLoopback(address));
}

const listening = '0A';

/** The lines of a table are `sl local_address rem_address st …`, addresses and ports in hexadecimal. */
function listeningAddresses(table: string, port: number): string[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    const [address = '', hexPort = ''] = local.split(':');
    return state === listening && Number.parseInt(hexPort, 16) === port ? [readAddress(address)] : [];
  });
}

/** Four or sixteen bytes, in words of four in the order of this machine. */
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
