import { crc32 } from 'node:zlib';

/** A small zip with nothing compressed. */
export function zip(files: Record<string, string>): Buffer {
  const entries: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const [name, content] = [Buffer.from(path), Buffer.from(text)];
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(0x0800, 2);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(content.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), facts, name, content]);
    entries.push(entry);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), facts, place, name);
    offset += entry.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...entries, ...directory, end]);
}
