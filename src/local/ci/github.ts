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
          # All commits: an older one replaces no newer one.
          fetch-depth: 0
      - uses: ${githubActions.node}
        with:
          node-version: 22
      - run: ${install}`;

/** An app in a folder is not concerned by changes elsewhere. */
const pathsOf = (folder: string) =>
  folder === '.' ? '' : `    paths: [${JSON.stringify(`${folder}/**`)}, .github/workflows/gantry.yml]\n`;

export const github = (made: Commands): Pipeline => ({
  path: '.github/workflows/gantry.yml',
  text: `${setUp('In Settings > Secrets and variables > Actions, set')}name: gantry
on:
  pull_request:
    types: [opened, synchronize, reopened, closed]
${pathsOf(made.folder)}  push:
    branches: [${made.branch}]
${pathsOf(made.folder)}
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
