import { decodeJson, type GoType } from './go-json.ts';
import { type Addresses, OfficialHttp } from './http.ts';
import { replies } from './replies.ts';
import { readFrames } from './socket.ts';

interface Options {
  env: Record<string, string | undefined>;
  /** Called instead of waiting between two polls. */
  pause?: () => unknown;
}

interface Login {
  accessToken: string;
  refreshToken: string;
  project: string;
}

const terminalBuilds = 'success ready build_failure init_failure init_timeout failure cancelled'.split(' ');
/** It knows neither `failure` nor `cancelled`. */
const terminalRuns = 'success failed fail'.split(' ');
const partBytes = 5 * 1024 * 1024;

/**
 * Sends the requests that the commands of the official client send, in its order, and reads replies with its types. It
 * shares no code with gantry: what both believed could not be found wrong here.
 */
export class OfficialClient {
  readonly http: OfficialHttp;
  /** As in its config file. */
  stored: Partial<Login> = {};
  readonly #env: Options['env'];
  readonly #pause: () => unknown;

  constructor({ env, pause = () => {} }: Options) {
    this.#env = env;
    this.#pause = pause;
    this.http = new OfficialHttp(env as unknown as Addresses, () => this.#token());
  }

  /** `login`: polls every 500 ms for a minute, whatever interval the server asks for. */
  async login(opened: (url: string) => void): Promise<void> {
    const begun = await this.http.login('/device-authorization', {});
    if (begun.status !== 200) throw new Error(`API error (${begun.status})`);
    const { deviceAuthResponsePayload: device } = decodeJson(replies.device, begun.text) as {
      deviceAuthResponsePayload: { device_code: string; verification_uri_complete: string };
    };
    opened(device.verification_uri_complete);
    for (let poll = 0; poll < 120; poll += 1) {
      const { status, text } = await this.http.login('/token', { device_code: device.device_code });
      if (status === 200) {
        Object.assign(this.stored, decodeJson(replies.tokens, text));
        const projects = await this.projectsList();
        this.stored.project ??= projects.map(({ id }) => id)[0] ?? '';
        return;
      }
      const { error, error_code } = decodeJson(replies.loginError, text) as Record<string, string>;
      if (status !== 400 || ![error, error_code].includes('authorization_pending')) {
        throw new Error(`token request failed (${status}): ${text}`);
      }
      await this.#pause();
    }
    throw new Error('authentication timeout');
  }

  projectsList(): Promise<{ id: string; name: string }[]> {
    return this.http.request(replies.projects, 'GET', 'v2/projects');
  }

  appsList() {
    return this.#get<{ id: string; status: string }[]>(replies.apps, 'apps');
  }

  appsGet(app: string) {
    return this.#get<Record<string, string>>(replies.app, `apps/${app}`);
  }

  async appsScale(app: string, updates: Record<string, number>) {
    await this.http.text('PATCH', `v2/projects/${this.project}/apps/${app}`, updates);
  }

  async appsDelete(app: string) {
    await this.http.text('DELETE', `v2/projects/${this.project}/apps/${app}`);
  }

  containersList(app: string) {
    return this.#get<{ containerId: string; containerState: string }[]>(replies.containers, `apps/${app}/containers`);
  }

  async runsList(app: string, asyncOnly = false) {
    const { items } = await this.#get<{ items: { id: string; status: string; statusCode: number; async: boolean }[] }>(
      replies.runs,
      `apps/${app}/runs${asyncOnly ? '?asyncOnly=true' : ''}`,
    );
    return items;
  }

  /** `deploy`: creates, uploads, follows the log by a socket and the status by polling. */
  async deploy(payload: { name: string; runtime?: string }, zip: Uint8Array) {
    const isPartner = !['cortex', 'custom'].includes(payload.runtime ?? 'cortex');
    const created = await this.http.request<
      Record<'buildId' | 'uploadUrl' | 'dashboardUrl' | 'internalEndpoint', string>
    >(replies.created, 'POST', `v2/projects/${this.project}/${isPartner ? 'partner-apps' : 'apps'}`, {
      ...defaultPayload,
      ...payload,
    });
    if (!isPartner) await this.http.put(created.uploadUrl, 'application/zip', zip);
    const lines = isPartner ? [] : await this.#buildLog(created.buildId);
    for (;;) {
      const path = `apps/${this.project}-${payload.name}/builds/${created.buildId}`;
      const { status } = await this.#look<{ status: string }>(replies.build, path);
      if (status && terminalBuilds.includes(status)) return { ...created, status, lines };
      await this.#pause();
    }
  }

  /** Ctrl-C of `deploy`. */
  async cancelBuild(name: string, build: string): Promise<void> {
    await this.http.text('DELETE', `v2/projects/${this.project}/apps/${this.project}-${name}/builds/${build}`);
  }

  async #buildLog(buildID: string): Promise<string[]> {
    const lines: string[] = [];
    for await (const text of readFrames(await this.#socket('/ws-build-logs', { buildID, after: tenSecondsAgo() }))) {
      lines.push((decodeJson(replies.buildFrame, text) as { log: string }).log);
    }
    return lines;
  }

  /** `logs`: one page; 204 means that there are none. */
  async logs(app: string, query: Record<string, string> = {}) {
    const text = await this.http.text(
      'GET',
      `v2/projects/${this.project}/apps/${app}/logs?${new URLSearchParams(query)}`,
    );
    return text === '' ? [] : (decodeJson(replies.logs, text) as { logs: { logLine: string }[] }).logs;
  }

  /** `run`: creates the app and an image, sends the file, follows its log and its status. */
  async run(name: string, program: { filename: string; tar: Uint8Array; lastLine: string; pip?: object }) {
    const app = `${this.project}-${name}`;
    const base = `v3/projects/${this.project}/apps/${app}`;
    await this.http.text('POST', `${base}/create-run-app?region=`);
    const imageDigest = program.pip && (await this.#image(base, program.pip));
    const query = new URLSearchParams({
      appName: name,
      cpu: '2.0',
      filename: program.filename,
      memoryGb: '2.0',
      region: '',
      ...(imageDigest && { imageDigest }),
    });
    const form = new FormData();
    form.append('projectId', this.project);
    form.append('data', new Blob(['null'], { type: 'application/json' }), 'data.json');
    form.append('file', new Blob([program.tar as Uint8Array<ArrayBuffer>], { type: 'application/x-tar' }), 'run.tar');
    const { runId } = await this.http.postForm<{ runId: string }>(replies.started, `${base}/run?${query}`, form);
    const lines: string[] = [];
    const socket = await this.#socket('/ws-logs', { appID: app, runID: runId, after: tenSecondsAgo() });
    for await (const text of readFrames(socket, (frame) => frame.includes(program.lastLine))) {
      lines.push((decodeJson(replies.appFrame, text) as { log: string }).log);
    }
    for (;;) {
      const { item } = await this.#look<{ item: { status: string } }>(replies.run, `apps/${app}/runs/${runId}`);
      if (item && terminalRuns.includes(item.status.toLowerCase())) return { status: item.status, lines };
      await this.#pause();
    }
  }

  async #image(base: string, pip: object): Promise<string> {
    for (;;) {
      const { status, digest } = await this.http.request<Record<string, string>>(
        replies.image,
        'POST',
        `${base}/base-image?region=`,
        { dependencies: { pip, conda: {}, apt: {} }, preBuildCommands: [], shellCommands: [] },
      );
      if (status === 'ready' && digest) return digest;
      await this.#pause();
    }
  }

  ls(dir: string) {
    return this.#get<{ name: string; is_folder: boolean; size_bytes: number }[]>(
      replies.files,
      `volumes/default/ls?${new URLSearchParams({ dir, region })}`,
    );
  }

  async cp(file_path: string, bytes: Uint8Array): Promise<void> {
    const part_count = Math.max(1, Math.ceil(bytes.length / partBytes));
    const volume = `v2/projects/${this.project}/volumes/default/cp`;
    const { upload_id, parts } = await this.http.request<{
      upload_id: string;
      parts: { part_number: number; url: string }[];
    }>(replies.upload, 'POST', `${volume}/initialize?region=${region}`, { file_path, part_count, region });
    const sent = [];
    for (const { part_number, url } of parts) {
      const part = bytes.subarray((part_number - 1) * partBytes, part_number * partBytes);
      sent.push({ part_number, etag: await this.http.put(url, 'application/octet-stream', part) });
    }
    await this.http.text('POST', `${volume}/complete?region=${region}`, { upload_id, file_path, parts: sent, region });
  }

  async download(file_path: string): Promise<Buffer> {
    const query = new URLSearchParams({ file_path, region });
    const { url } = await this.#get<{ url: string }>(replies.download, `volumes/default/download?${query}`);
    const response = await fetch(url);
    if (response.status !== 200) throw new Error(`download failed with status ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  }

  async rm(file_path: string): Promise<void> {
    const query = new URLSearchParams({ file_path, region });
    await this.http.text('DELETE', `v2/projects/${this.project}/volumes/default/rm?${query}`);
  }

  /** `secrets list`: an empty body and null are no secrets. */
  async secretsList(app?: string): Promise<Record<string, string>> {
    const text = await this.http.text('GET', this.#secrets(app));
    return text === '' ? {} : (decodeJson(replies.secrets, text) as Record<string, string>);
  }

  /** `secrets add`: sends all of them back. */
  async secretsAdd(secrets: Record<string, string>, app?: string): Promise<void> {
    await this.http.text('PATCH', this.#secrets(app), { ...(await this.secretsList(app)), ...secrets });
  }

  #secrets(app: string | undefined): string {
    return `v2/projects/${this.project}/${app ? `apps/${app}/` : ''}secrets`;
  }

  metricsResources(app: string, query: Record<string, string>) {
    type Samples = { timestamps: number[]; series: { name: string; data: (number | null)[] }[] };
    return this.#get<Record<'cpu' | 'memory' | 'gpu' | 'containers' | 'requests', Samples>>(
      replies.resources,
      `apps/${app}/resource-metrics?${new URLSearchParams(query)}`,
    );
  }

  /** The stored project, then that of the environment's token. */
  get project(): string {
    const { project } = this.stored;
    if (project) return project;
    const [, payload = ''] = (this.#env.CEREBRIUM_SERVICE_ACCOUNT_TOKEN ?? '').split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}');
    return [claims.project_id, claims.projectId, claims.sub].find((id) => String(id).startsWith('p-')) ?? '';
  }

  /** The environment's token, then that of the login, renewed when it has expired. */
  async #token(): Promise<string> {
    const { CEREBRIUM_SERVICE_ACCOUNT_TOKEN: service } = this.#env;
    if (service) return checked(service);
    const { accessToken = '', refreshToken = '' } = this.stored;
    if (!hasExpired(accessToken)) return accessToken;
    this.stored.accessToken = await this.http.renew(refreshToken);
    return this.stored.accessToken;
  }

  async #socket(path: string, query: Record<string, string>): Promise<URL> {
    const url = new URL(this.http.addresses.LOGSTREAM_URL);
    if (url.protocol !== 'ws:' && url.protocol !== 'wss:') throw new Error('malformed ws or wss URL');
    url.pathname = path;
    url.search = String(new URLSearchParams({ projectID: this.project, token: await this.#token(), ...query }));
    return url;
  }

  #get<T>(type: GoType, path: string): Promise<T> {
    return this.http.request<T>(type, 'GET', `v2/projects/${this.project}/${path}`);
  }

  /** While it waits for what it has started, it ignores errors. */
  #look<T>(type: GoType, path: string): Promise<Partial<T>> {
    return this.#get<T>(type, path).catch(() => ({}));
  }
}

const region = 'us-east-1';

/** What every deploy has, also if the config file does not. */
const defaultPayload = {
  include: ['./*', 'main.py', 'cerebrium.toml'],
  exclude: ['.*'],
  shellCommands: null,
  preBuildCommands: null,
  runtime: 'cortex',
  logLevel: 'INFO',
  disableBuildLogs: false,
  cliVersion: '2.6.0',
  cerebrium_toml: '[cerebrium.deployment]\nname = "web"\n',
};

function tenSecondsAgo(): string {
  return new Date(Date.now() - 10_000).toISOString();
}

function checked(token: string): string {
  if (hasExpired(token)) throw new Error('service account token error: token has expired');
  return token;
}

/** A token is a JWT: three parts, of which the second has an expiry. */
function hasExpired(token: string): boolean {
  const [, payload, signature] = token.split('.');
  if (!payload || !signature) throw new Error('invalid JWT token format');
  const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return exp !== undefined && exp * 1000 <= Date.now();
}
