import { type Commands, commented, type Pipeline, setUp, teamState } from './pipeline-parts.ts';

export const gitlab = (made: Commands): Pipeline => ({
  path: '.gitlab-ci.yml',
  text: `${setUp('In Settings > CI/CD > Variables, set')}variables:
  ${teamState}
  # All commits: an older one replaces no newer one.
  GIT_DEPTH: '0'

default:
  # With git, which tells the branch of a preview, and Python, which checks the app's syntax.
  image: node:22
  before_script:
    - ${made.install}

check:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  script:
    - ${made.check}
    # Not without the token: a protected variable is for protected branches only, and forks have none.
    - ${made.plan}
  artifacts:
    paths: ["${made.planFile}"]

preview:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  script:
    - ${made.preview}
  environment:
    name: preview/$CI_COMMIT_REF_SLUG
    on_stop: end-preview
    auto_stop_in: 1 week

# Runs by itself when the merge request is merged or closed.
end-preview:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
      when: manual
      allow_failure: true
  script:
    - test -z "$GANTRY_TOKEN" || ${made.endPreview('CI_MERGE_REQUEST_SOURCE_BRANCH_NAME')}
  environment:
    name: preview/$CI_COMMIT_REF_SLUG
    action: stop

deploy:
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  # One deploy at a time.
  resource_group: production
  script:
    # stdout is the address of the app.
${commented(made.advice, '    ')}    - endpoint=$(${made.deploy})
    - echo "GANTRY_ENDPOINT=$endpoint" > gantry-deploy.env
    - ${made.prune}
  environment:
    name: production
    url: $GANTRY_ENDPOINT
  artifacts:
    reports:
      dotenv: gantry-deploy.env
`,
});
