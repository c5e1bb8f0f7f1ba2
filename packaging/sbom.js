// npm run sbom [-- FILE]: the CycloneDX document of npm, reduced to the libraries that are in the bundle.
import { readFileSync, writeFileSync } from 'node:fs';
import { librariesIn } from '../build/notices.js';
import { npm } from './node-binary.js';

const [file = 'gantry.cdx.json'] = process.argv.slice(2);
const document = JSON.parse(npm('sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'));
const bundled = new Set(
  librariesIn(readFileSync('dist/THIRD-PARTY-NOTICES.txt', 'utf8')).map(({ name, version }) => `${name}@${version}`),
);

/** @typedef {{ 'bom-ref': string, scope?: string, properties?: { name: string }[] }} Component */
/** @type {Component[]} */
const components = document.components;
const kept = components.filter((each) => bundled.has(each['bom-ref'].replace(/^.*\|/, '')));
if (kept.length < bundled.size) throw new Error(`npm names ${kept.length} of the ${bundled.size} bundled libraries`);

const references = new Set([document.metadata.component['bom-ref'], ...kept.map((each) => each['bom-ref'])]);
document.components = kept.map((each) => ({ ...each, scope: 'required', properties: undefined }));
document.dependencies = document.dependencies
  .filter((/** @type {{ ref: string }} */ { ref }) => references.has(ref))
  .map((/** @type {{ ref: string, dependsOn?: string[] }} */ { ref, dependsOn = [] }) => ({
    ref,
    dependsOn: dependsOn.filter((each) => references.has(each)),
  }));
// These two differ in each run.
delete document.serialNumber;
delete document.metadata.timestamp;
writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
process.stdout.write(`${file}: ${kept.length} libraries\n`);
