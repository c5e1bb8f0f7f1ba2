import { createHash, randomBytes } from 'node:crypto';

/** All that the strict platform remembers. What is in here is the truth that a client is judged by. */
export class Store {
  /** @param {import('./types.ts').World} world */
  constructor(world = {}) {
    this.project = world.project ?? 'p-chaos001';
    this.tokens = [world.token ?? 'token', ...(world.otherTokens ?? [])];
    this.style = { slash: false, missing: /** @type {'empty' | '404'} */ ('empty'), ...world.style };
    /** @type {Map<string, Map<string, import('./types.ts').StoredFile>>} */
    this.regions = new Map();
    for (const [region, files] of Object.entries(world.regions ?? { 'us-east-1': [] })) {
      this.regions.set(region, new Map(files.map((file) => [file.path, storedFile(file)])));
    }
    /** @type {Map<string, import('./types.ts').Upload>} */
    this.uploads = new Map();
    /** Signed links by their signature. @type {Map<string, import('./types.ts').Link>} */
    this.links = new Map();
    this.apps = new Map((world.apps ?? []).map((app) => [app.name, app]));
    /** @type {Map<string, import('./types.ts').Build>} */
    this.builds = new Map((world.builds ?? []).map((build) => [build.id, build]));
    this.nextBuild = world.nextBuild ?? { coming: ['building', 'success'], log: ['step 1', 'step 2'] };
    this.runs = world.runs ?? [];
    this.runsLie = world.runsLie;
    this.grants = new Map(Object.entries(world.grants ?? {}));
    this.grantForm = world.grantForm ?? 'text';
    /** Without a prototype: a secret may be called `__proto__`. @type {Record<string, string>} */
    this.secrets = Object.assign(Object.create(null), world.secrets);
    this.logs = world.logs ?? [];
    this.logsLie = world.logsLie;
    this.invocation = world.invocation ?? { status: 200, body: { ok: true } };
    /** What was carried out by calls of apps. @type {{ path: string, body: Buffer, run: string }[]} */
    this.calls = [];
    /** What was created and can be created twice by mistake. @type {string[]} */
    this.created = [];
  }

  /** @param {string} region */
  volume(region) {
    return this.regions.get(region);
  }

  /**
   * A link as object storage signs it: whoever has it needs no token.
   * @param {string} origin @param {import('./types.ts').Link} link @param {string} name
   */
  sign(origin, link, name) {
    const signature = randomBytes(32).toString('hex');
    this.links.set(signature, link);
    const date = `${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`;
    const query = new URLSearchParams({
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Date': date,
      'X-Amz-Expires': '3600',
      'X-Amz-SignedHeaders': 'host',
      'X-Amz-Signature': signature,
    });
    return `${origin}/storage/${name}?${query}`;
  }
}

/** @param {import('./types.ts').WorldFile} file @returns {import('./types.ts').StoredFile} */
function storedFile({ bytes, modified, etag, isRotten }) {
  return { bytes: isRotten ? damaged(bytes, 0x01) : bytes, modified, etag: etagOf(bytes, etag) };
}

/** The same bytes but one. Rot and a bad line turn different bits: the same one twice would be no damage. @param {Buffer} bytes */
export function damaged(bytes, bit = 0x40) {
  const copy = Buffer.from(bytes);
  const middle = Math.floor(copy.length / 2);
  copy[middle] = (copy[middle] ?? 0) ^ bit;
  return copy;
}

/** @param {Buffer} bytes @param {'md5' | 'parts'} [kind] */
export function etagOf(bytes, kind = 'md5') {
  const md5 = createHash('md5').update(bytes).digest();
  if (kind === 'md5') return `"${md5.toString('hex')}"`;
  return `"${createHash('md5').update(md5).digest('hex')}-2"`;
}
