import { posix } from 'node:path';
import { quoteForShell } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { releaseNames } from '../../kernel/version.ts';
import { type CiSystem, type PipelineApp, variablesIn } from './pipeline-app.ts';
import { packageToInstall } from './write-package.ts';

interface Pipeline {
  /** Where the system looks for it, from the root of the repository. */
  path: string;
  text: string;
}

/** Makes machines that start anew know what others deployed and found. */
const teamState = 'GANTRY_TEAM_STATE: default:/.gantry';

function commented(text: string, indent: string): string {
  return text === '' ? '' : `${indent}# ${text}\n`;
}

const setUp = (place: string) => `# Made by gantry init --ci; change it as you like.
# In ${place}, set GANTRY_TOKEN to the token of a service account, as a secret, and
# GANTRY_PROJECT to the id of your project, as a variable. The service account needs access to it: it deploys and
# deletes apps, and writes to the volume, where GANTRY_TEAM_STATE keeps what the next run has to know.
`;

const github = (made: Commands): Pipeline => ({
  path: workflowPath(made.folder),
  text: `${setUp(variablesIn.github)}name: ${workflowName(made.folder)}
on:
  pull_request:
    types: [opened, synchronize, reopened, closed]
${pathsOf(made.folder)}  push:
    branches: [${made.branch}]
${pathsOf(made.folder)}
permissions:
  contents: read

# A second push waits for the deploy before it.
concurrency: ${workflowName(made.folder)}-\${{ github.head_ref || github.ref }}

env:
  GANTRY_PROJECT: \${{ vars.GANTRY_PROJECT }}
  ${teamState}

jobs:
  check:
    if: github.event_name == 'pull_request' && github.event.action != 'closed'
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
${installed(made.install)}
      - run: ${made.check}
      # Pull requests from forks and of Dependabot get no secrets, and so no plan.
      - run: ${made.plan}
        env:
          GANTRY_TOKEN: \${{ secrets.GANTRY_TOKEN }}
      - if: hashFiles('${made.planFile}') != ''
        uses: ${githubActions.upload}
        with:
          name: gantry-plan
          path: ${made.planFile}

  preview:
    if: github.event_name == 'pull_request' && github.event.action != 'closed'
    runs-on: ubuntu-latest
    timeout-minutes: 60
    permissions:
      contents: read
      pull-requests: write
    steps:
${installed(made.install)}
      - id: preview
        run: ${made.preview}
        env:
          GANTRY_TOKEN: \${{ secrets.GANTRY_TOKEN }}
      # One comment with its address, which later runs edit.
      - if: steps.preview.outputs.endpoint != ''
        env:
          GH_TOKEN: \${{ github.token }}
          COMMENTS: repos/\${{ github.repository }}/issues/\${{ github.event.number }}/comments
          MARK: <!-- gantry ${made.folder} -->
          TEXT: 'Preview: \${{ steps.preview.outputs.endpoint }}'
        run: |
          id=$(gh api --paginate "$COMMENTS" --jq '.[] | select(.body | startswith(env.MARK)).id' | head -n 1)
          if [ -n "$id" ]; then set -- -X PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id"; else set -- "$COMMENTS"; fi
          gh api --silent "$@" -f body="$MARK $TEXT"

  end-preview:
    if: github.event_name == 'pull_request' && github.event.action == 'closed'
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
${installed(made.install)}
      - run: test -z "$GANTRY_TOKEN" || ${made.endPreview('GITHUB_HEAD_REF')}
        env:
          GANTRY_TOKEN: \${{ secrets.GANTRY_TOKEN }}

  deploy:
    if: github.event_name == 'push'
    runs-on: ubuntu-latest
    timeout-minutes: 60
    # From this, GitHub makes a deployment with its status. Settings > Environments can require reviewers.
    environment:
      name: production
      url: \${{ steps.deploy.outputs.endpoint }}
    steps:
${installed(made.install)}
      # Writes a job summary, annotations, and outputs: app, build-id, status, build-status, endpoint, dashboard-url.
${commented(made.advice, '      ')}      - id: deploy
        run: ${made.deploy}
        env:
          GANTRY_TOKEN: \${{ secrets.GANTRY_TOKEN }}
      - run: ${made.prune}
        env:
          GANTRY_TOKEN: \${{ secrets.GANTRY_TOKEN }}
`,
});

const gitlab = (made: Commands): Pipeline => ({
  path: '.gitlab-ci.yml',
  text: `${setUp(variablesIn.gitlab)}variables:
  ${teamState}
  # All commits: an older one replaces no newer one.
  GIT_DEPTH: '0'

default:
  # With git, which tells the branch of a preview, and Python, which checks the app's syntax.
  image: node:22
  before_script:
    - ${made.install}

check${made.ofApp}:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  script:
    - ${made.check}
    # Not without the token: a protected variable is for protected branches only, and forks have none.
    - ${made.plan}
  artifacts:
    paths: ["${made.planFile}"]

preview${made.ofApp}:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  script:
    - ${made.preview}
  environment:
    name: preview${made.ofApp}/$CI_COMMIT_REF_SLUG
    on_stop: end-preview${made.ofApp}
    auto_stop_in: 1 week

# Runs by itself when the merge request is merged or closed.
end-preview${made.ofApp}:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
      when: manual
      allow_failure: true
  script:
    - test -z "$GANTRY_TOKEN" || ${made.endPreview('CI_MERGE_REQUEST_SOURCE_BRANCH_NAME')}
  environment:
    name: preview${made.ofApp}/$CI_COMMIT_REF_SLUG
    action: stop

deploy${made.ofApp}:
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  # One deploy at a time.
  resource_group: production${made.ofApp}
  script:
    # stdout is the address of the app.
${commented(made.advice, '    ')}    - endpoint=$(${made.deploy})
    - echo "GANTRY_ENDPOINT=$endpoint" > gantry-deploy.env
    - ${made.prune}
  environment:
    name: production${made.ofApp}
    url: $GANTRY_ENDPOINT
  artifacts:
    reports:
      dotenv: gantry-deploy.env
`,
});

/**
 * A pipeline that starts on a new machine each time: a check, the plan of the deploy and a preview on pull requests, the
 * deploy on one branch.
 */
export function pipelineFor(system: CiSystem, app: Omit<PipelineApp, 'root'>, names = releaseNames) {
  if (!/^[\p{L}\p{N}_./@+ -]+$/u.test(app.folder)) {
    throw new UsageError(`folder ${app.folder}: a pipeline cannot contain this name`, {
      why: 'only letters, digits, spaces and _ . / @ + - are allowed',
    });
  }
  return pipelines[system](commandsOf(app, names));
}

type Commands = ReturnType<typeof commandsOf>;

function commandsOf(
  { folder, branch, repository, verification }: Omit<PipelineApp, 'root'>,
  names: typeof releaseNames,
) {
  const at = folder === '.' ? '' : ` -C ${quoteForShell(folder)}`;
  return {
    install: `npm install --global --ignore-scripts ${packageToInstall(names)}`,
    check: `gantry check${at} --strict`,
    // Pull requests of forks get no secrets. 3: there are changes, which is what a plan is for, and no failure.
    plan: `test -z "$GANTRY_TOKEN" || gantry deploy${at} --dry-run --detailed-exit-code --save-plan gantry-plan.json || [ $? -eq 3 ]`,
    planFile: posix.join(folder, 'gantry-plan.json'),
    preview: `test -z "$GANTRY_TOKEN" || gantry deploy${at} --preview --ttl 7d --if-changed --if-busy wait`,
    endPreview: (branch: string) =>
      `gantry apps prune${at} --branch "$${branch}" --confirm ${quoteForShell(repository)}`,
    deploy: `gantry deploy${at} ${['--if-changed', '--if-busy', 'wait', ...verification.map(quoteForShell)].join(' ')}`,
    // In quotes: YAML reads other names of branches as something else.
    branch: JSON.stringify(branch),
    folder,
    // Jobs of several apps may stand in one file. Names of environments have no other characters.
    ofApp: folder === '.' ? '' : `-${folder.replace(/[^\w.-]+/g, '-')}`,
    advice: verification.length > 0 ? '' : adviceOnSmoke,
    prune: `gantry apps prune${at} --expired --confirm ${quoteForShell(repository)}`,
  };
}

/** Said where no call of the app is known that must succeed. */
export const adviceOnSmoke =
  "To return from a build that fails, add a call of it: --smoke 'FUNCTION={...}' --watch 2m --or-rollback";

const pipelines: Record<CiSystem, (commands: Commands) => Pipeline> = { github, gitlab };

/** Actions by their commit, since a tag can be moved. */
const githubActions = {
  checkout: 'actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2',
  node: 'actions/setup-node@48b55a011bda9f5d6aeb4c2d9c7362e8dae4041e # v6.4.0',
  upload: 'actions/upload-artifact@043fb46d1a93c77aae656e7c1c64a875d1fc6a0a # v7.0.1',
};

const installed = (install: string) => `      - uses: ${githubActions.checkout}
        with:
          persist-credentials: false
          # All commits: an older one replaces no newer one.
          fetch-depth: 0
      - uses: ${githubActions.node}
        with:
          node-version: 22
      - run: ${install}`;

/** Each app of a repository has a workflow of its own: none waits for another. */
const workflowName = (folder: string) =>
  folder === '.' ? 'gantry' : `gantry-${folder.replace(/[^\p{L}\p{N}_.-]+/gu, '-')}`;
const workflowPath = (folder: string) => `.github/workflows/${workflowName(folder)}.yml`;

/** An app in a folder is not concerned by changes elsewhere. */
const pathsOf = (folder: string) =>
  folder === '.' ? '' : `    paths: [${JSON.stringify(`${folder}/**`)}, ${workflowPath(folder)}]\n`;
