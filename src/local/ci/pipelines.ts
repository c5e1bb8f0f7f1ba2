import { posix } from 'node:path';
import { quoteForShell } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { releaseNames } from '../../kernel/version.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import type { PipelineApp } from './pipeline-app.ts';
import { type Commands, commented, type Pipeline, setUp, teamState } from './pipeline-parts.ts';
import { packageToInstall } from './write-package.ts';

export const ciSystems = ['github', 'gitlab', 'circleci', 'buildkite', 'azure'] as const;
export type CiSystem = (typeof ciSystems)[number];

/**
 * A pipeline that starts on a new machine each time: a check, the plan of the deploy and a preview on pull requests, the
 * deploy on one branch.
 */
export function pipelineFor(system: CiSystem, app: Omit<PipelineApp, 'root'>, names = releaseNames) {
  const { folder, branch, repository, verification } = app;
  if (!/^[\p{L}\p{N}_./@+ -]+$/u.test(folder)) {
    throw new UsageError(`folder ${folder}: a pipeline cannot contain this name`, {
      why: 'only letters, digits, spaces and _ . / @ + - are allowed',
    });
  }
  const at = folder === '.' ? '' : ` -C ${quoteForShell(folder)}`;
  return pipelines[system]({
    install: `npm install --global --ignore-scripts ${packageToInstall(names)}`,
    check: `gantry check${at} --strict`,
    // Pull requests of forks get no secrets. 3: there are changes, which is what a plan is for, and no failure.
    plan: `test -z "$GANTRY_TOKEN" || gantry deploy${at} --dry-run --detailed-exit-code --save-plan gantry-plan.json || [ $? -eq 3 ]`,
    planFile: posix.join(folder, 'gantry-plan.json'),
    preview: `test -z "$GANTRY_TOKEN" || gantry deploy${at} --preview --ttl 7d --if-changed --if-busy wait`,
    endPreview: (branch) => `gantry previews prune${at} --branch "$${branch}" --confirm ${quoteForShell(repository)}`,
    deploy: `gantry deploy${at} ${['--if-changed', '--if-busy', 'wait', ...verification.map(quoteForShell)].join(' ')}`,
    branch: JSON.stringify(branch),
    folder,
    advice: verification.length > 0 ? '' : adviceOnSmoke,
    prune: `gantry previews prune${at} --expired --confirm ${quoteForShell(repository)}`,
  });
}

/** Said where no call of the app is known that must succeed. */
export const adviceOnSmoke =
  "To return from a build that fails, add a call of it: --smoke 'FUNCTION={...}' --watch 2m --or-rollback";

/** The beginning of each job of CircleCI. */
const circleJob = (install: string) => `    docker:
      - image: node:22
    environment:
      ${teamState}
    steps:
      - checkout
      - run: ${install}`;

const azureJob = (install: string) => `      - checkout: self
        # All commits: an older one replaces no newer one.
        fetchDepth: 0
      - task: UseNode@1
        inputs:
          version: 22.x
      - script: ${install}`;

const pipelines: Record<CiSystem, (commands: Commands) => Pipeline> = {
  github,
  gitlab,
  circleci: ({ install, check, plan, planFile, preview, deploy, branch, advice, prune }) => ({
    path: '.circleci/config.yml',
    text: `${setUp('In Project Settings > Environment Variables, set')}version: 2.1

jobs:
  check:
${circleJob(install)}
      - run: ${check}
      - run: ${plan}
      - store_artifacts:
          path: ${planFile}
  preview:
${circleJob(install)}
      - run: ${preview}
  deploy:
${circleJob(install)}
${commented(advice, '      ')}      - run: ${deploy}
      - run: ${prune}

workflows:
  gantry:
    jobs:
      - check:
          filters:
            branches:
              ignore: ${branch}
      - preview:
          filters:
            branches:
              ignore: ${branch}
      - deploy:
          # One deploy at a time.
          serial-group: << pipeline.project.slug >>/deploy
          filters:
            branches:
              only: ${branch}
`,
  }),
  buildkite: ({ install, check, plan, planFile, preview, deploy, branch, advice, prune }) => ({
    path: '.buildkite/pipeline.yml',
    text: `${setUp("In the agent's environment hook or in Secrets, set")}env:
  ${teamState}

steps:
  - label: check
    if: build.branch != ${branch}
    commands:
      - ${install}
      - ${check}
      # $$ is a dollar sign of the shell.
      - ${plan.replaceAll('$', '$$$$')}
    artifact_paths: ${planFile}

  - label: preview
    if: build.branch != ${branch}
    commands:
      - ${install}
      - ${preview.replaceAll('$', '$$$$')}

  - label: deploy
    if: build.branch == ${branch}
    # One deploy at a time.
    concurrency: 1
    concurrency_group: gantry-deploy
    commands:
      - ${install}
${commented(advice, '      ')}      - ${deploy}
      - ${prune}
`,
  }),
  azure: ({ install, check, plan, planFile, preview, deploy, branch, advice, prune }) => ({
    path: 'azure-pipelines.yml',
    text: `${setUp('In the variables of the pipeline, set')}trigger:
  branches:
    include: [${branch}]
pr:
  branches:
    include: ["*"]

pool:
  vmImage: ubuntu-latest

variables:
  ${teamState}

jobs:
  - job: check
    condition: eq(variables['Build.Reason'], 'PullRequest')
    steps:
${azureJob(install)}
      - script: ${check}
      # Pull requests from forks get no secrets, and so no plan.
      - script: ${plan}
        condition: and(succeeded(), ne(variables['System.PullRequest.IsFork'], 'True'))
        env:
          GANTRY_TOKEN: $(GANTRY_TOKEN)
      - publish: ${planFile}
        condition: and(succeeded(), ne(variables['System.PullRequest.IsFork'], 'True'))
        artifact: gantry-plan

  - job: preview
    condition: and(succeeded(), eq(variables['Build.Reason'], 'PullRequest'), ne(variables['System.PullRequest.IsFork'], 'True'))
    steps:
${azureJob(install)}
      - script: ${preview}
        env:
          GANTRY_TOKEN: $(GANTRY_TOKEN)

  - job: deploy
    condition: and(succeeded(), ne(variables['Build.Reason'], 'PullRequest'))
    steps:
${azureJob(install)}
${commented(advice, '      ')}      - script: ${deploy}
        env:
          # Secret variables reach a script only when they are named.
          GANTRY_TOKEN: $(GANTRY_TOKEN)
      - script: ${prune}
        env:
          GANTRY_TOKEN: $(GANTRY_TOKEN)
`,
  }),
};
