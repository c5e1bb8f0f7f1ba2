import { load } from 'js-yaml';
import { type ciSystems, pipelineFor } from '../../src/local/ci/index.ts';
import type { Block } from './blocks.ts';

type CiSystem = (typeof ciSystems)[number];

/** The reader's app in a repository, on a branch. */
const branch = 'fix-login';
const setUp = `if [ ! -d .git ]; then
gantry init . --name shop
git init -q -b main
git config user.name Ada
git config user.email ada@example.com
git remote add origin https://github.com/example/shop.git
fi
git checkout -q -B main`;

/** What the CI system does for the jobs of a pull request: a new machine, and the branch. */
const newMachine = 'rm -rf "$HOME" && mkdir "$HOME"';
const onBranch = `${newMachine}
git add .
git -c user.name=Ada -c user.email=ada@example.com commit -q --allow-empty -m more
git checkout -q -B ${branch}
export GANTRY_TEAM_STATE=default:/.gantry GITHUB_HEAD_REF=${branch} CI_MERGE_REQUEST_SOURCE_BRANCH_NAME=${branch}`;

/**
 * A pipeline of `gantry init --ci` as a document: its commands for a pull request, then those for the branch main. Each job
 * starts on a new machine.
 */
export function pipelineBlocks(system: CiSystem): Block[] {
  const verification = ['--smoke', 'run', '--watch', '2m', '--or-rollback'];
  const app = { folder: '.', branch: 'main', repository: 'shop', verification };
  const { path, text } = pipelineFor(system, app);
  const pipeline = load(text) as Yaml;
  const steps = stepsOf[system](pipeline);
  const applied = 'gantry deploy --apply-plan gantry-plan.json';
  const blocks: [name: string, given: string, commands: string[]][] = [
    ['set up', setUp, [`gantry init --ci ${system}`, `test "$(grep -c -- --smoke ${path})" = 1`]],
    ['check', onBranch, steps('check')],
    ['plan', 'git checkout -q main', [applied]],
    ['preview', onBranch, steps('preview')],
    ['end of the preview', newMachine, steps('end-preview')],
    ['deploy', `${newMachine}\ngit checkout -q main`, steps('deploy')],
  ];
  return blocks.map(([name, given, commands]) => ({
    place: `${name} of ${system}`,
    language: 'sh',
    text: commands.join('\n'),
    notRun: undefined,
    given,
    file: undefined,
    elsewhere: false,
    onEmulator: true,
    withHub: false,
    exits: 0,
    againExits: 0,
    faster: name === 'deploy' ? 60 : 1,
  }));
}

// biome-ignore lint/suspicious/noExplicitAny: the schema of each system
type Yaml = any;

type Step = { run?: string; env?: { GH_TOKEN?: string } };

const stepsOf: Record<CiSystem, (pipeline: Yaml) => (job: string) => string[]> = {
  github: (pipeline) => (job) => scripts(pipeline.jobs[job]?.steps),
  gitlab: (pipeline) => (job) => [...pipeline.default.before_script, ...(pipeline[job]?.script ?? [])],
};

const scripts = (steps: Step[] = []) =>
  // What asks GitHub has a test of its own.
  steps.flatMap(({ run, env }) => (env?.GH_TOKEN ? [] : (run ?? [])));
