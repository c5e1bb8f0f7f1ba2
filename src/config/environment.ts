/** Every variable gantry reads, and what it is for (`gantry help environment`). Nothing else is looked at. */
export const variables = {
  GANTRY_TOKEN: 'service account token; beats a stored one',
  GANTRY_PROJECT: 'project id, such as p-12345678',
  GANTRY_PROFILE: 'which set of stored settings to use',
  GANTRY_REGION: 'region, such as us-east-1',
  GANTRY_API_URL: 'address of the management API',
  GANTRY_INFERENCE_URL: 'address where deployed apps are invoked',
  GANTRY_LOGS_URL: 'address of the log streams',
  GANTRY_INFERENCE_KEY: 'key of the project for calling apps; beats the token there',
  GANTRY_WEBHOOK_SECRET: 'by which deliveries to webhooks are signed',
  GANTRY_CONFIG_DIR: 'folder of settings, credentials, unfinished transfers and names for completion',
  GANTRY_CI_OUTPUT: 'set to 0: write no GitHub Actions outputs, summary and annotations',
  CEREBRIUM_SERVICE_ACCOUNT_TOKEN: "the official client's name for GANTRY_TOKEN",
  CEREBRIUM_PROJECT_ID: "the official client's name for GANTRY_PROJECT",
  CEREBRIUM_CONFIG_PATH: "the official client's settings, for gantry login --import",
  NO_COLOR: 'no colour, when not empty',
  FORCE_COLOR: 'colour even off a terminal (0: none)',
  TERM: '"dumb" means no colour and no animation',
  SSH_CONNECTION: 'set by SSH: no browser is opened to log in',
  SSH_TTY: 'set by SSH: no browser is opened to log in',
  DISPLAY: 'whether there is a screen for a browser on Linux',
  WAYLAND_DISPLAY: 'whether there is a screen for a browser on Linux',
  LC_ALL: 'whether symbols can be shown',
  LC_CTYPE: 'whether symbols can be shown',
  LANG: 'whether symbols can be shown',
  HTTPS_PROXY: 'proxy for https addresses; this machine is never reached through a proxy',
  HTTP_PROXY: 'proxy for http addresses',
  ALL_PROXY: 'proxy for both, where the two above are not set (http:// or https:// only)',
  NO_PROXY: 'hosts reached without the proxy: names, .suffixes, addresses, networks, host:port, or *',
  DOCKER_CONFIG: "folder of Docker's config.json, for registry credentials",
  GITHUB_ACTIONS: 'set by GitHub: annotations are written, workflow commands in remote text defused',
  GITHUB_OUTPUT: 'set by GitHub: file for the outputs of a step',
  GITHUB_STEP_SUMMARY: 'set by GitHub: file for the summary of a step',
  XDG_CONFIG_HOME: 'where settings live on Linux and macOS',
  XDG_STATE_HOME: 'where unfinished transfers are remembered on Linux and macOS',
  XDG_CACHE_HOME: 'where names for shell completion are kept on Linux and macOS',
  APPDATA: 'where settings live on Windows',
  LOCALAPPDATA: 'where unfinished transfers and names for completion are kept on Windows',
  HOME: 'the home folder',
  USERPROFILE: 'the home folder on Windows',
} as const;

export type Variable = keyof typeof variables;
export type Environment = Readonly<Record<string, string | undefined>>;

/** Whether problems are shown on their line by GitHub Actions, which then also obeys commands in what we print. */
export function writesAnnotations(env: Environment): boolean {
  return readVariable(env, 'GITHUB_ACTIONS') === 'true' && readVariable(env, 'GANTRY_CI_OUTPUT') !== '0';
}

/** One variable's value. Empty means unset; names of proxies are accepted in lower case, as everywhere. */
export function readVariable(env: Environment, name: Variable): string | undefined {
  const value = env[name] ?? (name.endsWith('_PROXY') ? env[name.toLowerCase()] : undefined);
  return value === '' ? undefined : value;
}
