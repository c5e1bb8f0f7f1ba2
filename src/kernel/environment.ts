/**
 * Each says that nobody answers questions, even on a terminal. Of agents, those that they set for the commands that they
 * run: what is also set where a person types, such as CURSOR_TRACE_ID and REPL_ID in editors, says nothing.
 */
const unattended = {
  CI: 'set by CI systems: no prompt and no pager, even on a terminal (false or 0: as without)',
  GANTRY_NO_INPUT: '1: ask no questions, as with --no-input',
  AI_AGENT: 'set by coding agents: no prompt, even on a terminal (false or 0: as without; also those below)',
  CLAUDECODE: 'set by Claude Code: no prompt',
  CLAUDE_CODE: 'set by Claude Code: no prompt',
  CURSOR_AGENT: 'set by the agent of Cursor: no prompt',
  GEMINI_CLI: 'set by Gemini CLI: no prompt',
  CODEX_SANDBOX: 'set by Codex: no prompt',
  CODEX_CI: 'set by Codex: no prompt',
  CODEX_THREAD_ID: 'set by Codex: no prompt',
  COPILOT_AGENT: 'set by GitHub Copilot: no prompt',
  COPILOT_CLI: 'set by GitHub Copilot: no prompt',
  ANTIGRAVITY_AGENT: 'set by Antigravity: no prompt',
  AUGMENT_AGENT: 'set by Auggie: no prompt',
  OPENCODE: 'set by OpenCode: no prompt',
  QWEN_CODE: 'set by Qwen Code: no prompt',
  CRUSH: 'set by Crush: no prompt',
  AMP_CURRENT_THREAD_ID: 'set by Amp: no prompt',
  PI_CODING_AGENT: 'set by Pi: no prompt',
} as const;

/** Every environment variable that gantry reads, for `gantry help environment`. */
export const variables = {
  GANTRY_TOKEN: 'service account token; takes precedence over a stored one',
  GANTRY_PROJECT: 'project id, such as p-12345678; local: the emulator of this folder',
  GANTRY_PROFILE: 'profile to use',
  GANTRY_REGION: 'region, such as us-east-1',
  GANTRY_API_URL: 'URL of the management API',
  GANTRY_INFERENCE_URL: 'URL for calls of deployed apps',
  GANTRY_LOGS_URL: 'URL of live logs',
  GANTRY_DASHBOARD_URL: 'URL of the dashboard, for gantry open; its query is kept',
  GANTRY_INFERENCE_KEY: "the project's key for calling apps; takes precedence over the token",
  GANTRY_EMULATOR_SECRET: 'set by gantry emulator env: the other variables of the emulator belong to it',
  GANTRY_FOLDER_TARGET: 'off, as gantry emulator exec sets it: deploy remembers no target for the folder',
  GANTRY_WEBHOOK_SECRET: 'secret that signs webhook deliveries',
  GANTRY_CONFIG_DIR: 'folder for settings, credentials, unfinished transfers and caches',
  GANTRY_PACKING_CACHE: 'off: package and deploy keep no compressed files for the next time',
  GANTRY_KEEP_ARCHIVES: 'off: keep no archives of deploys for gantry rollback (default: on)',
  GANTRY_TEAM_STATE: 'folder on a volume for history and archives that all machines share: default:/.gantry, off',
  HF_TOKEN: 'token of the model hub, for gated models in gantry cp hf://…; sent to the hub only',
  HF_ENDPOINT: 'URL of the model hub (default: https://huggingface.co)',
  NODE_DISABLE_COMPILE_CACHE: '1: keep no compiled code of gantry for the next start',
  GANTRY_PAGER: 'pager for long lists on a terminal (default: PAGER, then less); cat: none',
  GANTRY_ACCESSIBLE: '1: output for screen readers: no animation and no charts, tables as lists',
  GANTRY_CI_OUTPUT: '0: no GitHub Actions outputs, summary and annotations',
  CEREBRIUM_SERVICE_ACCOUNT_TOKEN: "the official client's name for GANTRY_TOKEN",
  CEREBRIUM_PROJECT_ID: "the official client's name for GANTRY_PROJECT",
  REST_API_URL: "the official client's management API; used with CEREBRIUM_SERVICE_ACCOUNT_TOKEN only",
  LOGSTREAM_URL: "the official client's live logs; used with CEREBRIUM_SERVICE_ACCOUNT_TOKEN only",
  CEREBRIUM_CONFIG_PATH: "the official client's settings, for gantry login --import",
  NO_COLOR: 'no color, if not empty',
  FORCE_COLOR: 'color even without a terminal (0: no color)',
  TERM: '"dumb": no color and no animation',
  PAGER: 'pager, if GANTRY_PAGER is not set',
  SSH_CONNECTION: 'set by SSH: login opens no browser',
  SSH_TTY: 'set by SSH: login opens no browser',
  DISPLAY: 'whether login can open a browser on Linux',
  WAYLAND_DISPLAY: 'whether login can open a browser on Linux',
  LC_ALL: 'whether the terminal supports Unicode',
  LC_CTYPE: 'whether the terminal supports Unicode',
  LANG: 'whether the terminal supports Unicode',
  HTTPS_PROXY: 'proxy for https URLs; never used for this machine',
  HTTP_PROXY: 'proxy for http URLs',
  ALL_PROXY: 'proxy if the two above are not set (http:// or https:// only)',
  NO_PROXY: 'hosts that bypass the proxy: names, .suffixes, addresses, networks, host:port, or *',
  NODE_EXTRA_CA_CERTS: 'certificates of more authorities to trust',
  SSL_CERT_FILE: 'certificates of more authorities to trust; read at the first connection',
  DOCKER_CONFIG: "folder of Docker's config.json, for registry credentials",
  ...unattended,
  DO_NOT_TRACK: 'not needed: gantry collects no telemetry',
  GITHUB_ACTIONS: 'set by GitHub: write annotations, neutralize workflow commands in remote text',
  GITHUB_WORKSPACE: 'set by GitHub: the paths of annotations begin here',
  GITHUB_OUTPUT: 'set by GitHub: file for step outputs',
  GITHUB_STEP_SUMMARY: 'set by GitHub: file for the step summary',
  GITHUB_HEAD_REF: 'set by GitHub: branch of a pull request, for deploy --preview',
  GITHUB_REF: 'set by GitHub: number of a pull request, for deploy --preview',
  GITHUB_REF_NAME: 'set by GitHub: branch, for deploy --preview',
  CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'set by GitLab: branch of a merge request, for deploy --preview',
  CI_COMMIT_REF_NAME: 'set by GitLab: branch, for deploy --preview',
  GITHUB_REPOSITORY: 'set by GitHub: names the pipeline in the history of an app',
  CI_PROJECT_PATH: 'set by GitLab: names the pipeline in the history of an app',
  CIRCLE_PROJECT_REPONAME: 'set by CircleCI: names the pipeline in the history of an app',
  BUILDKITE_PIPELINE_SLUG: 'set by Buildkite: names the pipeline in the history of an app',
  BUILD_REPOSITORY_NAME: 'set by Azure Pipelines: names the pipeline in the history of an app',
  GITHUB_EVENT_PATH: 'set by GitHub: whether a pull request comes from a fork, for deploy --preview',
  CI_MERGE_REQUEST_IID: 'set by GitLab: number of a merge request from a fork, for deploy --preview',
  CI_MERGE_REQUEST_PROJECT_PATH: 'set by GitLab: whether a merge request comes from a fork',
  CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: 'set by GitLab: whether a merge request comes from a fork',
  CIRCLE_PR_NUMBER: 'set by CircleCI: number of a pull request from a fork, for deploy --preview',
  BUILDKITE_PULL_REQUEST: 'set by Buildkite: number of a pull request, for deploy --preview',
  BUILDKITE_PULL_REQUEST_REPO: 'set by Buildkite: whether a pull request comes from a fork',
  BUILDKITE_REPO: 'set by Buildkite: whether a pull request comes from a fork',
  SYSTEM_PULLREQUEST_ISFORK: 'set by Azure Pipelines: whether a pull request comes from a fork',
  SYSTEM_PULLREQUEST_PULLREQUESTID:
    'set by Azure Pipelines: number of a pull request from a fork, for deploy --preview',
  CIRCLE_BRANCH: 'set by CircleCI: branch, for deploy --preview',
  BUILDKITE_BRANCH: 'set by Buildkite: branch, for deploy --preview',
  SYSTEM_PULLREQUEST_SOURCEBRANCH: 'set by Azure Pipelines: branch of a pull request, for deploy --preview',
  BUILD_SOURCEBRANCH: 'set by Azure Pipelines: branch, for deploy --preview',
  XDG_CONFIG_HOME: 'folder for settings on Linux and macOS',
  XDG_STATE_HOME: 'folder for unfinished transfers on Linux and macOS',
  XDG_CACHE_HOME: 'folder for caches on Linux and macOS',
  SHELL: 'the shell whose syntax emulator env prints, if its process cannot be seen',
  PSModulePath: 'whether that is PowerShell, on Windows',
  APPDATA: 'folder for settings on Windows',
  LOCALAPPDATA: 'folder for unfinished transfers and caches on Windows',
  HOME: 'home folder',
  USERPROFILE: 'home folder on Windows',
} as const;

export type Variable = keyof typeof variables;
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The folder that GitHub Actions resolves the files of annotations from, `cwd` if it does not say; undefined if nothing
 * shows annotations. Where they are shown, workflow commands in the output are obeyed as well.
 */
export function annotationsRoot(env: Environment, cwd: string): string | undefined {
  if (readVariable(env, 'GITHUB_ACTIONS') !== 'true' || readVariable(env, 'GANTRY_CI_OUTPUT') === '0') return undefined;
  return readVariable(env, 'GITHUB_WORKSPACE') ?? cwd;
}

/** Whether a CI system runs gantry. It may give it a terminal, at which nobody answers. */
export function isCi(env: Environment): boolean {
  return isOn(env, 'CI');
}

/** The variable that says that nobody answers questions, even on a terminal; undefined without one. */
export function unattendedBy(env: Environment): Variable | undefined {
  return (Object.keys(unattended) as (keyof typeof unattended)[]).find((name) => isOn(env, name));
}

function isOn(env: Environment, name: Variable): boolean {
  return !['false', '0', undefined].includes(readVariable(env, name)?.toLowerCase());
}

/** Reads a variable. Empty means unset; proxy variables may be lower case. */
export function readVariable(env: Environment, name: Variable): string | undefined {
  const value = env[name] ?? (name.endsWith('_PROXY') ? env[name.toLowerCase()] : undefined);
  return value === '' ? undefined : value;
}
