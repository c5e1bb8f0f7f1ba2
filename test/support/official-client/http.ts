import { decodeJson, type GoType } from './go-json.ts';
import { replies } from './replies.ts';

/** The addresses that the official client reads from its environment. */
export interface Addresses {
  REST_API_URL: string;
  AUTH_URL: string;
  CLIENT_ID: string;
  LOGSTREAM_URL: string;
}

const headersOfEveryRequest = {
  'content-type': 'application/json',
  'x-source': 'cli',
  'x-cli-version': '2.6.0',
  'x-client-os': 'linux',
  'x-client-arch': 'amd64',
  'user-agent': 'Go-http-client/1.1',
};

/** Requests of the management API as the official client sends them. Statuses are final: none is retried. */
export class OfficialHttp {
  constructor(
    readonly addresses: Addresses,
    readonly token: () => Promise<string>,
  ) {}

  /** Decodes a 2xx reply; throws the client's error message for any other. */
  async request<T>(type: GoType, method: string, path: string, body?: unknown): Promise<T> {
    const text = await this.text(method, path, body);
    return decodeJson(type, text) as T;
  }

  /** For replies that the client does not read. */
  async text(method: string, path: string, body?: unknown): Promise<string> {
    const response = await fetch(`${this.addresses.REST_API_URL}/${path}`, {
      method,
      headers: { ...headersOfEveryRequest, authorization: `Bearer ${await this.token()}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw failure(response.status, text);
    return text;
  }

  /** Bytes to a presigned URL, without a token. Only 200 counts. */
  async put(url: string, type: string, bytes: Uint8Array): Promise<string> {
    const response = await fetch(url, { method: 'PUT', headers: { 'content-type': type }, body: bytes });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`upload failed with status ${response.status}: ${text}`);
    return response.headers.get('etag') ?? '';
  }

  /** A request of the login: no token, and hardly any headers. */
  async login(path: string, body: object): Promise<{ status: number; text: string }> {
    const response = await fetch(`${this.addresses.REST_API_URL}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-source': 'cli' },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  }

  async renew(refreshToken: string): Promise<string> {
    const { AUTH_URL, CLIENT_ID } = this.addresses;
    const fields = { grant_type: 'refresh_token', client_id: CLIENT_ID, refresh_token: refreshToken };
    const response = await fetch(AUTH_URL, { method: 'POST', body: new URLSearchParams(fields) });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`failed to refresh token: ${response.status} ${text}`);
    return (decodeJson(replies.renewed, text) as { access_token: string }).access_token;
  }

  /** The `run` request: another content type, fewer headers, and only 200 counts. */
  async postForm<T>(type: GoType, path: string, form: FormData): Promise<T> {
    const response = await fetch(`${this.addresses.REST_API_URL}/${path}`, {
      method: 'POST',
      headers: { 'x-source': 'cli', authorization: `Bearer ${await this.token()}` },
      body: form,
    });
    const text = await response.text();
    if (response.status !== 200) throw failure(response.status, text);
    return decodeJson(type, text) as T;
  }
}

function failure(status: number, text: string): Error {
  if ([401, 403, 405].includes(status)) return new Error(`failed with status code ${status}`);
  const { message } = decodeJson(replies.error, text) as { message: string };
  return new Error(`API error (${status}): ${message}`);
}
