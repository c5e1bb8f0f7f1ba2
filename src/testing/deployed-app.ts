import { CallFailed } from './call-failed.ts';
import type { TestApp, TestClock } from './platform.ts';

interface CalledPlatform {
  url: string;
  project: string;
  clock: TestClock;
  /** With the token. */
  send(url: string, init: RequestInit): Promise<Response>;
}

export class DeployedApp implements TestApp {
  readonly url: string;
  readonly #api: string;

  constructor(
    readonly name: string,
    private readonly platform: CalledPlatform,
  ) {
    const { url, project } = platform;
    this.url = `${url}/v4/${project}/${encodeURIComponent(name)}`;
    this.#api = `${url}/v2/projects/${project}/apps/${project}-${encodeURIComponent(name)}`;
  }

  run(data?: object): Promise<unknown> {
    return this.call('run', data);
  }

  async call(name: string, data: object = {}): Promise<unknown> {
    const send = () => this.request(name, { body: JSON.stringify(data) });
    let response = await send();
    for (let retries = 0; retries < mostRetries; retries += 1) {
      const seconds = response.headers.get('retry-after') ?? '';
      if (![429, 503].includes(response.status) || !/^\d+$/.test(seconds)) break;
      await response.body?.cancel();
      await this.platform.clock.advance(`${seconds}s`);
      response = await send();
    }
    const document = await this.#resultOf(name, response);
    return isOfFunction(document) ? document.result : document;
  }

  async submit(name: string, data: object = {}, { webhook }: { webhook?: string } = {}): Promise<string> {
    const query = new URLSearchParams({ async: 'true', ...(webhook && { webhookEndpoint: webhook }) });
    const response = await this.request(`${name}?${query}`, { body: JSON.stringify(data) });
    return (Object(await this.#resultOf(name, response)) as { run_id: string }).run_id;
  }

  request(path: string, init: RequestInit = {}): Promise<Response> {
    return this.platform.send(`${this.url}/${path.replace(/^\/+/, '')}`, { method: 'POST', ...init });
  }

  async logs(run?: string): Promise<string[]> {
    const query = new URLSearchParams({ direction: 'forward', pageSize: '1000', ...(run && { runId: run }) });
    const lines: string[] = [];
    for (;;) {
      const page = await this.#get<LogPage>(`logs?${query}`);
      for (const { logLine } of page?.logs ?? []) lines.push(logLine);
      if (!page?.nextPageToken) return lines;
      query.set('nextToken', page.nextPageToken);
    }
  }

  async runs(): Promise<Record<string, unknown>[]> {
    const runs: Record<string, unknown>[] = [];
    const query = new URLSearchParams();
    for (;;) {
      const page = await this.#get<RunPage>(`runs?${query}`);
      for (const run of page?.items ?? []) runs.push(run);
      if (!page?.nextToken) return runs;
      query.set('nextToken', page.nextToken);
    }
  }

  async coldStarts(): Promise<number> {
    return (await this.runs()).filter(({ coldstartTimeMs }) => Number(coldstartTimeMs) > 0).length;
  }

  async #resultOf(name: string, response: Response): Promise<unknown> {
    const body = await response.text();
    if (!response.ok) {
      const run = response.headers.get('x-request-id');
      throw new CallFailed(`${this.name}/${name}`, response.status, body, run ? await this.logs(run) : []);
    }
    try {
      return JSON.parse(body);
    } catch {
      return body;
    }
  }

  /** Undefined for an empty reply. */
  async #get<Reply>(path: string): Promise<Reply | undefined> {
    const response = await this.platform.send(`${this.#api}/${path}`, {});
    const body = await response.text();
    if (!response.ok) throw new Error(`GET ${path} was answered with ${response.status}: ${body}`);
    return body === '' ? undefined : JSON.parse(body);
  }
}

interface RunPage {
  items?: Record<string, unknown>[];
  nextToken?: string;
}

interface LogPage {
  logs?: { logLine: string }[];
  nextPageToken?: string;
}

const mostRetries = 4;

/** What a function returns is in an envelope; what a server answers is not. */
function isOfFunction(document: unknown): document is { result: unknown } {
  return typeof document === 'object' && document !== null && 'run_id' in document && 'result' in document;
}
