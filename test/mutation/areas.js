import { execFileSync } from 'node:child_process';

/** What is tried in one run: each starts Vitest once, and runs its tests once without a change.
 * @type {Record<string, string[]>} */
const parts = {
  failures: ['causes'],
  figures: ['insight', 'calls/difference'],
  calls: ['platform', 'calls'],
  files: ['kernel/disk', 'storage', 'deploys/archives', 'local/cache'],
  config: ['app', 'team', 'local'],
  cli: ['cli', 'kernel/output'],
};

/** @param {string} file a path below src/ */
export function partOf(file) {
  return Object.keys(parts).find((part) => parts[part]?.some((area) => file.startsWith(`src/${area}/`))) ?? 'deploys';
}

/**
 * The tests that are written for what these lines are of: a change is tried against these, for all that pass through it
 * take minutes. They are in the folders of its name, in the commands of its name, and in what the tables add.
 * @param {string[]} lines @returns {string[]}
 */
export function testsNear(lines) {
  const near = [...new Set(lines.map(areaOf))].map(patternOf);
  return execFileSync('git', ['ls-files', 'test/*.test.ts'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => near.some((pattern) => pattern.test(file)) && !unfit.test(file));
}

/** The folder of a room, or the room. @param {string} file */
function areaOf(file) {
  const [, room = '', name = '', inside] = file.split('/');
  if (name === 'commands') return file.replace(/^src\/|\.ts.*/g, '');
  return inside === undefined || ['app', 'causes'].includes(room) ? room : `${room}/${name}`;
}

/** @param {string} area */
function patternOf(area) {
  const own = area.startsWith('cli/commands/') ? area.split('/').slice(2) : area.split('/').slice(-1);
  const names = [...own, ...(commands[area] ?? [])].join('|');
  const folders = [area, ...(alsoIn[area] ?? [])].join('|');
  return new RegExp(`^test/(?:commands/(?:${names})(?:-[^/]*)?\\.test\\.ts$|(?:${folders})/)`);
}

/** The beginnings of the names of files in test/commands.
 * @type {Record<string, string[]>} */
const commands = {
  'platform/api': ['api', 'unreadable-replies', 'proxy', 'logs', 'invoke-stream', 'users'],
  'kernel/disk': ['output-files', 'named-files', 'files-in-place', 'cat', 'package', 'cp-web'],
  app: ['config', 'check', 'init', 'package', 'plan', 'python-program', 'mistakes'],
  'storage/transfer': ['cp', 'weights', 'storage-lies', 'unknown-sizes', 'deploy-upload'],
  'team/account': ['login', 'profiles', 'whoami', 'users', 'emulator-login', 'two-platforms'],
  'deploys/apps': ['removal-evidence'],
  'deploys/archives': ['kept-archives', 'rollback', 'deploy-upload'],
  'deploys/builds': ['deploy', 'short-ids'],
  'local/ci': ['init-ci', 'deploy-ci'],
  'storage/copy': ['cp', 'sync', 'storage-lies', 'unknown-sizes', 'pipes'],
  'deploys/send': ['plan', 'deploys'],
  'calls/difference': ['compare', 'bench'],
  causes: ['explain'],
  'deploys/git': ['rollback-git', 'history', 'deploy'],
  'deploys/history': ['rollback'],
  'calls/invoke': ['invoke', 'run'],
  'calls/logs': ['logs', 'runs-follow'],
  'insight/monitor': ['metrics', '--live', 'metrics', 'watch', 'other-clock'],
  'platform/replies': ['lists', 'short-ids', 'unreadable-replies', 'replies-about-others', 'runs'],
  'deploys/rollback': ['rollback', 'deploy-or-rollback'],
  'insight/run-mirror': ['runs', 'cost', 'tune', 'compare'],
  'team/secrets': ['secrets', 'split-secrets'],
  'storage/sync': ['sync'],
  'storage/volumes': [
    'volumes',
    'rm',
    'ls',
    'cat',
    'files-in-place',
    'nothing-deleted-without-a-list',
    'removal-evidence',
  ],
  'platform/waiting': ['change-evidence', 'secrets'],
  deploys: ['deploy'],
  'calls/webhooks': ['webhooks', 'webhook-recipes'],
  cli: ['reference', 'help'],
  'cli/completion': ['completion'],
  'cli/flags': ['deploy', 'plan', 'cp', 'invoke'],
  'cli/program': ['help', 'mistakes', 'target', 'local', 'next-works', 'dry-run'],
  'cli/views': ['plan', 'runs', 'metrics'],
  'kernel/output': ['metrics', 'accessible', 'hostile-names'],
};

/** Folders of test/ that are about an area although they do not have its name.
 * @type {Record<string, string[]>} */
const alsoIn = {
  'platform/api': ['platform/contract'],
  app: ['causes'],
  ...Object.fromEntries(['send', 'history', 'rollback'].map((name) => [`deploys/${name}`, ['deploys']])),
};

/** What looks at how the process was started and at where its files are, what a busy machine turns red, what is slow. */
const unfit = new RegExp(
  `^test/commands/(?:${[
    'completion|switching|version|timeout|dev|dev-debugging|emulator-for-tests|emulator-second-shell|rollback-git',
    'deploy-(?:again|ci|crashing-apps|faults|fixtures|healthy|lag|next|plan-overtaken|serves|terminal|upload)',
    'apps?-.*|change-evidence|cp-faults|explain-runs|split-secrets|weights-faults',
  ].join('|')})\\.test\\.ts$|/(?:results-file|taplo|format)\\.test\\.ts$`,
);
