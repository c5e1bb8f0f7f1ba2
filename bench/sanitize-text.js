// Sanitizes a text of some length, made of one unit: node sanitize-text.js LENGTH UNIT. Bundled and started by hostile.js.
import { KnownSecrets } from '../src/kernel/output/known-secrets.ts';
import { sanitize } from '../src/kernel/output/sanitize.ts';

const [length, unit = ''] = process.argv.slice(2);
const secrets = new KnownSecrets();
secrets.add('the-token-in-use-0123456789');
sanitize(unit.repeat(Math.ceil(Number(length) / unit.length)), { colored: true, githubActions: true, secrets });
