import { load } from 'js-yaml';
import { type ciSystems, pipelineFor } from '../../src/operations/ci/index.ts';
import type { Block } from './blocks.ts';

type CiSystem = (typeof ciSystems)[number];

/** A pipeline of `gantry init --ci` as a document: its commands for a pull request, then those for the branch main. */
export function pipelineBlocks(system: CiSystem): Block[] {
  const steps = stepsOf[system](load(pipelineFor(system, '.').text) as Yaml);
  const set = `test -e cerebrium.toml || gantry init . --name shop\ngantry init --ci ${system}`;
  const applied = 'gantry deploy --apply-plan gantry-plan.json';
  return [
    ['set up', set],
    ['check', ...steps('check')],
    ['plan', applied],
    ['deploy', ...steps('deploy')],
  ].map(([name, ...commands]) => ({
    place: `${name} of ${system}`,
    language: 'sh',
    text: commands.join('\n'),
    notRun: undefined,
    given: undefined,
    file: undefined,
    elsewhere: false,
    onEmulator: true,
    exits: 0,
    againExits: 0,
    faster: 1,
  }));
}

// biome-ignore lint/suspicious/noExplicitAny: the schema of each system
type Yaml = any;

type Step = { run?: string; script?: string };

const stepsOf: Record<CiSystem, (pipeline: Yaml) => (job: 'check' | 'deploy') => string[]> = {
  github: (pipeline) => (job) => scripts(pipeline.jobs[job].steps),
  gitlab: (pipeline) => (job) => [...pipeline.default.before_script, ...pipeline[job].script],
  circleci: (pipeline) => (job) => scripts(pipeline.jobs[job].steps),
  // There $$ is a dollar sign of the shell.
  buildkite: (pipeline) => (job) =>
    pipeline.steps
      .find(({ label }: { label: string }) => label === job)
      .commands.map((command: string) => command.replaceAll('$$', '$')),
  azure: (pipeline) => (job) => scripts(pipeline.jobs.find((one: { job: string }) => one.job === job).steps),
};

const scripts = (steps: Step[]) => steps.map(({ run, script }) => run ?? script).filter((one) => one !== undefined);
