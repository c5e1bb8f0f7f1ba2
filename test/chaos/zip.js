import { inflateRawSync } from 'node:zlib';

/** The files of a zip by their names, or what is wrong with it. @param {Buffer} zip @returns {Map<string, Buffer> | string} */
export function readZip(zip) {
  try {
    return entriesOf(zip);
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/** @param {Buffer} zip */
function entriesOf(zip) {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0) throw new Error('it has no directory');
  const count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  /** @type {Map<string, Buffer>} */
  const entries = new Map();
  for (let index = 0; index < count; index++) {
    if (zip.readUInt32LE(at) !== 0x02014b50) throw new Error('its directory is damaged');
    const [method, packed, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 24)];
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const local = zip.readUInt32LE(at + 42);
    const name = zip.toString('utf8', at + 46, at + 46 + (nameLength ?? 0));
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(begin, begin + packed);
    const content = method === 8 ? inflateRawSync(bytes) : bytes;
    if (content.length !== size) throw new Error(`${name} has another length`);
    if (entries.has(name)) throw new Error(`${name} is in it twice`);
    entries.set(name, Buffer.from(content));
    at += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return entries;
}
