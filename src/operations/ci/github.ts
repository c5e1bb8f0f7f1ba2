import { type Commands, commented, type Pipeline, setUp, teamState } from './pipeline-parts.ts';

/** By commit, since a tag can be moved. */
const githubActions = {
  checkout: 'actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2',
  node: 'actions/setup-node@48b55a011bda9f5d6aeb4c2d9c7362e8dae4041e # v6.4.0',
  upload: 'actions/upload-artifact@043fb46d1a93c77aae656e7c1c64a875d1fc6a0a # v7.0.1',
};

/** The first steps of each job. */
const installed = (install: string) => `      - uses: ${githubActions.checkout}
        with:
          persist-credentials: false
      - uses: ${githubActions.node}
        with:
          node-version: 22
      - run: ${install}`;

export const github = ({
  install,
  check,
  plan,
  planFile,
  preview,
  endPreview,
  deploy,
  advice,
  prune,
}: Commands): Pipeline => ({
  path: '.github/workflows/gantry.yml',
  text: `${setUp('In Settings > Secrets and variables > Actions, set')}name: gantry
on:
  pull_request:
    types: [opened, synchronize, reopened, closed]
  push:
    branches: [main]

permissions:
  contents: read

# A second push waits for the deploy before it.
concurrency: gantry-\${{ github.head_ref || github.ref }}

env:
  GANTRY_PROJECT: \${{ vars.GANTRY_PROJECT }}
  ${teamState}

jobs:
  check:
    if: github.event_name == 'pull_request' && github.event.action != 'closed'
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
${installed(install)}
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

  preview:
    if: github.event_name == 'pull_request' && github.event.action != 'closed'
    runs-on: ubuntu-latest
    timeout-minutes: 60
    steps:
${installed(install)}
      - run: ${preview}
        env:
          GANTRY_TOKEN: \${{ secrets.GANTRY_TOKEN }}

  end-preview:
    if: github.event_name == 'pull_request' && github.event.action == 'closed'
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
${installed(install)}
      - run: test -z "$GANTRY_TOKEN" || ${endPreview('GITHUB_HEAD_REF')}
        env:
          GANTRY_TOKEN: \${{ secrets.GANTRY_TOKEN }}

  deploy:
    if: github.event_name == 'push'
    runs-on: ubuntu-latest
    timeout-minutes: 60
    steps:
${installed(install)}
      # Writes a job summary, annotations, and outputs: app, build-id, status, build-status, endpoint, dashboard-url.
${commented(advice, '      ')}      - run: ${deploy}
        env:
          GANTRY_TOKEN: \${{ secrets.GANTRY_TOKEN }}
      - run: ${prune}
        env:
          GANTRY_TOKEN: \${{ secrets.GANTRY_TOKEN }}
`,
});
