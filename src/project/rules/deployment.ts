import { type ConfigIssue, warningAt } from '../toml/issue.ts';
import { isSet, type Rule, type RuleInput, selectRuntime } from './rule.ts';

export const deploymentRule: Rule = function* (app) {
  yield* publicEndpoint(app);
  yield* emptyInclude(app);
  yield* ignoredKeys(app);
};

/** Only if set explicitly: the default is public, too, and the deploy plan shows it. */
function* publicEndpoint({ sections: { deployment } }: RuleInput): Generator<ConfigIssue> {
  if (deployment?.disable_auth !== true) return;
  const why = 'with disable_auth = true anyone who knows its URL can call it, at your cost';
  yield warningAt('deployment.disable_auth', 'this app is public', { why, fix: 'disable_auth = false' });
}

/** Like the official client, treats an empty list as absent. */
function* emptyInclude({ sections: { deployment } }: RuleInput): Generator<ConfigIssue> {
  if (deployment?.include?.length !== 0) return;
  yield warningAt('deployment.include', 'include is empty, so all files are sent', { fix: 'include = ["*"]' });
}

/** Keys that the platform ignores (docs/platform.md#app-configuration). */
const withDockerfile = {
  why: 'the image is built from dockerfile_path: move it to the Dockerfile',
  keys: ['shell_commands', 'pre_build_commands', 'docker_base_image_url'],
};
const withPartner = {
  why: 'the platform runs the partner service: no files are sent and nothing is built',
  keys: ['include', 'exclude', ...withDockerfile.keys],
};
const packages = ['dependencies.pip', 'dependencies.conda', 'dependencies.apt', 'dependencies.paths'] as const;

function* ignoredKeys(app: RuleInput): Generator<ConfigIssue> {
  const runtime = selectRuntime(app.sections);
  const isPartner = runtime !== 'cortex' && runtime !== 'custom';
  if (!isPartner && !app.sections['runtime.custom']?.dockerfile_path) return;
  const { why, keys } = isPartner ? withPartner : withDockerfile;
  for (const key of keys) {
    if (isSet(app, 'deployment', key)) yield warningAt(`deployment.${key}`, `${key} is ignored`, { part: 'key', why });
  }
  for (const section of packages) {
    if (isSet(app, section)) yield warningAt(section, `[cerebrium.${section}] is ignored`, { why });
  }
}
