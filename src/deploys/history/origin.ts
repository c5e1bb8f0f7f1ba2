import { hostname, userInfo } from 'node:os';
import { type Environment, isCi, readVariable, type Variable } from '../../kernel/environment.ts';

/** CI systems, by the variable that names the repository. */
const pipelines: readonly [Variable, string][] = [
  ['GITHUB_REPOSITORY', 'GitHub Actions'],
  ['CI_PROJECT_PATH', 'GitLab CI'],
  ['CIRCLE_PROJECT_REPONAME', 'CircleCI'],
  ['BUILDKITE_PIPELINE_SLUG', 'Buildkite'],
  ['BUILD_REPOSITORY_NAME', 'Azure Pipelines'],
];

/** Who runs this command, for people: `ada@laptop`, or `GitHub Actions acme/shop`. */
export function describeOrigin(env: Environment): string {
  for (const [variable, system] of pipelines) {
    const repository = readVariable(env, variable);
    if (repository) return `${system} ${repository}`;
  }
  return isCi(env) ? `CI on ${hostname()}` : `${userName()}@${hostname()}`;
}

/** A user id without an entry in the user database has no name, as in many containers. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
