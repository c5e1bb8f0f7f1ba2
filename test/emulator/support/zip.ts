import { crc32, deflateRawSync } from 'node:zlib';

export interface PackedFile {
  name: string;
  content?: Buffer;
  /** The size in the headers. Default: the actual size. */
  size?: number;
  mode?: number;
}

/** A zip of files with these contents. */
export function zip(files: Record<string, string | Buffer>): Buffer {
  return packed(Object.entries(files).map(([name, text]) => ({ name, content: Buffer.from(text) })));
}

/** A zip with compressed entries in this order, with any names. */
export function packed(entries: PackedFile[]): Buffer {
  const local: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name: path, content = Buffer.from('x'), size = content.length, mode = 0o100644 } of entries) {
    const [name, data] = [Buffer.from(path), deflateRawSync(content)];
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(0x0800, 2);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(data.length, 14);
    facts.writeUInt32LE(size, 18);
    facts.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE((mode << 16) >>> 0, 6);
    place.writeUInt32LE(offset, 10);
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), facts, name, data]);
    local.push(entry);
    directory.push(Buffer.from('PK\x01\x02\x14\x03'), facts, place, name);
    offset += entry.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(local.length, 8);
  end.writeUInt16LE(local.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, ...directory, end]);
}
