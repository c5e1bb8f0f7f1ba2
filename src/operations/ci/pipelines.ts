import { posix } from 'node:path';
import { quoteForShell } from '../../command-line.ts';
import { UsageError } from '../../errors.ts';
import { version } from '../../version.ts';

export const ciSystems = ['github', 'gitlab', 'circleci', 'buildkite', 'azure'] as const;
export type CiSystem = (typeof ciSystems)[number];

export interface Pipeline {
  /** Where the system looks for it, from the root of the repository. */
  path: string;
  text: string;
}

/**
 * A small pipeline: a check and the plan of the deploy on pull requests, the deploy on the branch main. `folder` is the
 * app's, from the root of the repository.
 */
export function pipelineFor(system: CiSystem, folder: string): Pipeline {
  if (!/^[\p{L}\p{N}_./@+ -]+$/u.test(folder)) {
    throw new UsageError(`folder ${folder}: a pipeline cannot contain this name`, {
      why: 'only letters, digits, spaces and _ . / @ + - are allowed',
    });
  }
  const at = folder === '.' ? '' : ` -C ${quoteForShell(folder)}`;
  return pipelines[system]({
    install: `pip install gantry-cli==${version}`,
    check: `gantry check${at} --strict`,
    // Pull requests of forks get no secrets. 3: there are changes, which is what a plan is for, and no failure.
    plan: `test -z "$GANTRY_TOKEN" || gantry deploy${at} --dry-run --detailed-exit-code --save-plan gantry-plan.json || [ $? -eq 3 ]`,
    planFile: posix.join(folder, 'gantry-plan.json'),
    deploy: `gantry deploy${at} --if-changed --if-busy wait`,
  });
}

/** Shell commands. */
interface Commands {
  install: string;
  check: string;
  plan: string;
  /** Where the plan is, from the root of the repository. */
  planFile: string;
  deploy: string;
}

const setUp = (where: string) => `# Made by gantry init --ci; change it as you like.
# ${where} GANTRY_TOKEN to the token of a service account, as a secret, and
# GANTRY_PROJECT to the id of your project.
`;

/** By commit, since a tag can be moved. */
const githubActions = {
  checkout: 'actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2',
  python: 'actions/setup-python@ece7cb06caefa5fff74198d8649806c4678c61a1 # v6.3.0',
  upload: 'actions/upload-artifact@043fb46d1a93c77aae656e7c1c64a875d1fc6a0a # v7.0.1',
};

const pipelines: Record<CiSystem, (commands: Commands) => Pipeline> = {
  github: ({ install, check, plan, planFile, deploy }) => ({
    path: '.github/workflows/gantry.yml',
    text: `${setUp('In Settings > Secrets and variables > Actions, set')}name: gantry
on:
  pull_request:
  push:
    branches: [main]

permissions:
  contents: read

# A second push waits for the deploy before it.
concurrency: gantry-\${{ github.ref }}

env:
  GANTRY_PROJECT: \${{ vars.GANTRY_PROJECT }}

jobs:
  check:
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
      - uses: ${githubActions.checkout}
        with:
          persist-credentials: false
      - uses: ${githubActions.python}
        with:
          python-version: "3.12"
      - run: ${install}
      - run: ${check}
      # Pull requests from forks and of Dependabot get no secrets, and so no plan.
      - run: ${plan}
        env:
          GANTRY_TOKEN: \${{ secrets.GANTRY_TOKEN }}
      - if: hashFiles('${planFile}') != ''
        uses: ${githubActions.upload}
        with:
          name: gantry-plan
          path: ${planFile}

  deploy:
    if: github.event_name == 'push'
    runs-on: ubuntu-latest
    timeout-minutes: 60
    steps:
      - uses: ${githubActions.checkout}
        with:
          persist-credentials: false
      - uses: ${githubActions.python}
        with:
          python-version: "3.12"
      - run: ${install}
      # Writes a job summary, annotations, and the outputs app, build-id, status, endpoint and dashboard-url.
      - run: ${deploy}
        env:
          GANTRY_TOKEN: \${{ secrets.GANTRY_TOKEN }}
`,
  }),
  gitlab: ({ install, check, plan, planFile, deploy }) => ({
    path: '.gitlab-ci.yml',
    text: `${setUp('In Settings > CI/CD > Variables, set')}default:
  image: python:3.12-slim
  before_script:
    - ${install}

check:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  script:
    - ${check}
    # Not without the token: a protected variable is for protected branches only, and forks have none.
    - ${plan}
  artifacts:
    paths: ["${planFile}"]

deploy:
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  # One deploy at a time.
  resource_group: production
  script:
    # stdout is the address of the app.
    - endpoint=$(${deploy})
    - echo "GANTRY_ENDPOINT=$endpoint" > gantry-deploy.env
  environment:
    name: production
    url: $GANTRY_ENDPOINT
  artifacts:
    reports:
      dotenv: gantry-deploy.env
`,
  }),
  circleci: ({ install, check, plan, planFile, deploy }) => ({
    path: '.circleci/config.yml',
    text: `${setUp('In Project Settings > Environment Variables, set')}version: 2.1

jobs:
  check:
    docker:
      - image: cimg/python:3.12
    steps:
      - checkout
      - run: ${install}
      - run: ${check}
      - run: ${plan}
      - store_artifacts:
          path: ${planFile}
  deploy:
    docker:
      - image: cimg/python:3.12
    steps:
      - checkout
      - run: ${install}
      - run: ${deploy}

workflows:
  gantry:
    jobs:
      - check:
          filters:
            branches:
              ignore: main
      - deploy:
          # One deploy at a time.
          serial-group: << pipeline.project.slug >>/deploy
          filters:
            branches:
              only: main
`,
  }),
  buildkite: ({ install, check, plan, planFile, deploy }) => ({
    path: '.buildkite/pipeline.yml',
    text: `${setUp("In the agent's environment hook or in Secrets, set")}steps:
  - label: check
    if: build.branch != "main"
    commands:
      - ${install}
      - ${check}
      # $$ is a dollar sign of the shell.
      - ${plan.replaceAll('$', '$$$$')}
    artifact_paths: ${planFile}

  - label: deploy
    if: build.branch == "main"
    # One deploy at a time.
    concurrency: 1
    concurrency_group: gantry-deploy
    commands:
      - ${install}
      - ${deploy}
`,
  }),
  azure: ({ install, check, plan, planFile, deploy }) => ({
    path: 'azure-pipelines.yml',
    text: `${setUp('In the variables of the pipeline, set')}trigger:
  branches:
    include: [main]
pr:
  branches:
    include: ["*"]

pool:
  vmImage: ubuntu-latest

jobs:
  - job: check
    condition: eq(variables['Build.Reason'], 'PullRequest')
    steps:
      - task: UsePythonVersion@0
        inputs:
          versionSpec: "3.12"
      - script: ${install}
      - script: ${check}
      # Pull requests from forks get no secrets, and so no plan.
      - script: ${plan}
        condition: and(succeeded(), ne(variables['System.PullRequest.IsFork'], 'True'))
        env:
          GANTRY_TOKEN: $(GANTRY_TOKEN)
      - publish: ${planFile}
        condition: and(succeeded(), ne(variables['System.PullRequest.IsFork'], 'True'))
        artifact: gantry-plan

  - job: deploy
    condition: and(succeeded(), ne(variables['Build.Reason'], 'PullRequest'))
    steps:
      - task: UsePythonVersion@0
        inputs:
          versionSpec: "3.12"
      - script: ${install}
      - script: ${deploy}
        env:
          # Secret variables reach a script only when they are named.
          GANTRY_TOKEN: $(GANTRY_TOKEN)
`,
  }),
};
