import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

/**
 * Archives whose bytes depend on nothing but their content: no times, no users.
 * @typedef {{ name: string, data: Buffer, executable?: boolean }} Entry
 */

/** @param {Entry[]} entries */
export function zip(entries) {
  let offset = 0;
  const parts = entries.map(({ name, data, executable }) => {
    const packed = deflateRawSync(data, { level: 6 });
    const path = Buffer.from(name);
    // Version, flags, method, time and date, checksum, sizes, length of the name, no extra field.
    const common = Buffer.alloc(26);
    [20, 0x800, 8, 0, firstDay].forEach((value, at) => {
      common.writeUInt16LE(value, at * 2);
    });
    [crc32(data), packed.length, data.length].forEach((value, at) => {
      common.writeUInt32LE(value, 10 + at * 4);
    });
    common.writeUInt16LE(path.length, 22);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(((0o100000 | (executable ? 0o755 : 0o644)) << 16) >>> 0, 6);
    central.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, path, packed]);
    offset += local.length;
    // Made by Unix, so that modes count.
    return { local, central: Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), common, central, path]) };
  });
  const directory = Buffer.concat(parts.map(({ central }) => central));
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts.map(({ local }) => local), directory, end]);
}

/** 1980-01-01, the first day that a zip can name. */
const firstDay = 0x21;

/** @param {Entry[]} entries */
export function tarGz(entries) {
  const blocks = entries.flatMap(({ name, data, executable }) => {
    const header = Buffer.alloc(512);
    const octal = (/** @type {number} */ value, /** @type {number} */ length) =>
      `${value.toString(8).padStart(length - 1, '0')}\0`;
    header.write(name, 0);
    header.write(octal(executable ? 0o755 : 0o644, 8), 100);
    header.write(octal(0, 8) + octal(0, 8) + octal(data.length, 12) + octal(0, 12), 108);
    header.write('        0', 148);
    header.write('ustar\x0000', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${octal(sum, 7)} `, 148);
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]), { level: 6 });
}
