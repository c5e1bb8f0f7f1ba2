// npm run sbom [-- FILE]: the CycloneDX document of npm, reduced to the libraries that are in the bundle, and the Node of
// each executable.
import { readFileSync, writeFileSync } from 'node:fs';
import { librariesIn } from '../build/notices.js';
import manifest from '../package.json' with { type: 'json' };
import nodes from './node.json' with { type: 'json' };
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
document.components = [
  ...kept.map((each) => ({ ...each, scope: 'required', properties: undefined })),
  ...nodeComponents(),
];
// npm names it by the folder of the clone.
document.metadata.component.name = manifest.name;
document.dependencies = document.dependencies
  .filter((/** @type {{ ref: string }} */ { ref }) => references.has(ref))
  .map((/** @type {{ ref: string, dependsOn?: string[] }} */ { ref, dependsOn = [] }) => ({
    ref,
    dependsOn: dependsOn.filter((each) => references.has(each)),
  }));
for (const tool of document.metadata.tools) delete tool.version;
// These two differ in each run.
delete document.serialNumber;
delete document.metadata.timestamp;
writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
process.stdout.write(`${file}: ${kept.length} libraries\n`);

/** Optional: the npm package and the pure wheel have none. */
function nodeComponents() {
  return Object.entries(nodes).map(([target, { version }]) => ({
    'bom-ref': `node@${version}-${target}`,
    type: 'platform',
    name: 'node',
    version,
    scope: 'optional',
    description: `in the executable and the wheel for ${target}`,
    licenses: [{ license: { id: 'MIT' } }],
    purl: `pkg:generic/node@${version}?os=${target.split('-')[0]}&arch=${target.split('-')[1]}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
  }));
}
