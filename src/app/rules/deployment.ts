import { readdirSync } from 'node:fs';
import { type GeneratedFile, planGeneratedFiles } from '../generated-files.ts';
import { toToml } from '../toml/format.ts';
import { errorAt, type Issues, warningAt } from '../toml/issue.ts';
import { readFileSettings } from '../toml/sections.ts';
import { type ConfigRule, isReadable, isSet, type RuleInput, selectRuntime } from './rule.ts';

export const deploymentRule: ConfigRule = function* (app) {
  yield* publicByDefault(app);
  yield* ignoredKeys(app);
  yield* generatedFiles(app);
  yield* baseImage(app);
};

/** The platform takes an empty list for its default. */
export const fileListsRule: ConfigRule = function* ({ root, sections: { deployment } }) {
  if (deployment.include?.length === 0) {
    yield warningAt('deployment.include', 'include is empty, so all files are sent', { fix: 'include = ["*"]' });
  }
  // Without files that start with a dot, an empty list and the default send the same.
  if (deployment.exclude?.length === 0 && readdirSync(root).some((name) => name.startsWith('.'))) {
    const message = 'exclude is empty, so files that start with a dot are not sent';
    const why = 'the platform takes an empty list for its default';
    yield warningAt('deployment.exclude', message, { why, fix: 'exclude = [".*"]' });
  }
};

/** The deploy plan always shows that an app is public. A value in the file is a decision. */
function* publicByDefault(app: RuleInput): Issues {
  if (isSet(app, 'deployment', 'disable_auth') || !isReadable(app, 'deployment.disable_auth')) return;
  // Without a location it stands last: what the file says is more urgent than what it does not say.
  yield warningAt(undefined, 'this app is public: anyone who knows its URL can call it', {
    why: 'disable_auth is not set, and its default is true',
    fix: 'set disable_auth to false if callers need a token, or to true if anyone may call the app, at your cost',
    missing: ['deployment.disable_auth'],
  });
}

const imageName = /^(?:[\w.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::[\w.-]+)?(?:@sha256:[a-f0-9]+)?$/;

function* baseImage({ sections: { deployment, ...others } }: RuleInput): Issues {
  const image = deployment.docker_base_image_url ?? '';
  const isUsed = image !== '' && !image.includes('://') && !others['runtime.custom'].dockerfile_path;
  if (!isUsed || imageName.test(image)) return;
  yield errorAt('deployment.docker_base_image_url', `${toToml(image)} is not the name of an image`, {
    why: 'a name has lower case letters only, such as debian:bookworm-slim',
    fix: /dockerfile/i.test(image) ? `[cerebrium.runtime.custom]\ndockerfile_path = ${toToml(image)}` : undefined,
  });
}

/** Keys that the platform ignores (docs/platform.md#app-configuration). */
const withDockerfile = {
  why: 'the image is built from dockerfile_path',
  keys: ['docker_base_image_url'],
};
const withPartner = {
  why: 'the platform runs the partner service: no files are sent and nothing is built',
  keys: ['include', 'exclude', 'shell_commands', 'pre_build_commands', 'docker_base_image_url'],
};
const packages = ['dependencies.pip', 'dependencies.conda', 'dependencies.apt', 'dependencies.paths'] as const;

function* ignoredKeys(app: RuleInput): Issues {
  const isPartner = hasPartner(app);
  if (!isPartner && !app.sections['runtime.custom'].dockerfile_path) return;
  const { why, keys } = isPartner ? withPartner : withDockerfile;
  for (const key of keys) {
    if (isSet(app, 'deployment', key)) yield warningAt(`deployment.${key}`, `${key} is ignored`, { part: 'key', why });
  }
  if (!isPartner) return;
  for (const section of packages) {
    if (isSet(app, section)) yield warningAt(section, `[cerebrium.${section}] is ignored`, { why });
  }
}

function hasPartner(app: RuleInput): boolean {
  return !['cortex', 'custom'].includes(selectRuntime(app));
}

function* generatedFiles(app: RuleInput): Issues {
  if (hasPartner(app)) return;
  const { root, sections } = app;
  const custom = sections['runtime.custom'];
  const planned = planGeneratedFiles({ root, custom, ...readFileSettings(sections) });
  for (const file of planned) yield* generatedFileIssue(file, custom.dockerfile_path);
}

function* generatedFileIssue({ source, entry: { path }, fate }: GeneratedFile, dockerfile = ''): Issues {
  const name = sourceName(source);
  const part = 'key';
  if (fate === 'replaces-own') {
    const fix = source === 'dependencies.pip' ? useOwnList(path) : `rename or delete your ${path} if it is not needed`;
    const message = `${path} is generated from ${name} and replaces your own ${path}`;
    yield warningAt(source, message, { part, why: 'the platform installs from one file of this name', fix });
  } else if (fate in unused) {
    const why = `the image is built from ${dockerfile}${unused[fate]?.(path)}`;
    yield warningAt(source, `${name} is ignored`, { part, why });
  }
}

const unused: Partial<Record<GeneratedFile['fate'], (path: string) => string>> = {
  'own-file-wins': (path) => `, and your own ${path} is sent instead`,
  unused: (path) => `, which does not use ${path}`,
};

function sourceName(source: string): string {
  const [top, key = ''] = source.split('.');
  return top === 'deployment' ? key : `[cerebrium.${source.replace(/^(dependencies\.paths)\..*/, '$1')}]`;
}

const useOwnList = (path: string) =>
  `add its packages to the section, or replace the section by [cerebrium.dependencies.paths] with pip = ${toToml(path)}`;
