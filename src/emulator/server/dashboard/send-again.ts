import { request } from 'node:http';
import type { Platform } from '../../endpoints/platform.ts';
import { isAppHost } from '../../http/origin.ts';
import type { InspectedCall } from '../../model/inspected-calls.ts';
import { editableHeaders } from './shown-call.ts';

/** What is sent: a call as it was, or edited. */
export interface Sent extends Pick<InspectedCall, 'method' | 'path' | 'headers'> {
  body: Buffer;
}

/** The run of the new call, or why it is none: the emulator's reply to it. */
export type SendResult = { run: string } | { refusal: string };

/** Sends a call to its app once more, as its caller would. Resolves when it has arrived, while the app may be working. */
export async function sendAgain(call: InspectedCall, sent: Sent, platform: Platform): Promise<SendResult> {
  const { inspected, store, url } = platform;
  const app = store.apps.get(call.app);
  if (!app) return { refusal: 'the app was deleted' };
  const { host } = call.headers;
  // At an origin of its own, an app is called at the root.
  const atOrigin = isAppHost(`${host}`);
  const base = atOrigin ? '' : `/v4/${encodeURIComponent(app.project)}/${encodeURIComponent(app.name)}`;
  return new Promise((done) => {
    const { header, end } = inspected.expect(call.run, (run) => done({ run }));
    const address = new URL(url);
    const outgoing = request({
      ...{ host: address.hostname, port: address.port, agent: false, method: sent.method, path: base + sent.path },
      headers: {
        ...editableHeaders(sent),
        ...header,
        ...(atOrigin && { host: `${host}` }),
        'content-length': sent.body.length,
      },
    });
    outgoing.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        if (text.length < maxRefusal) text += part;
      });
      response.once('close', () => done({ refusal: `${response.statusCode} ${text}` }));
    });
    outgoing.once('error', (error) => done({ refusal: error.message }));
    outgoing.once('close', end);
    outgoing.end(sent.body);
  });
}

const maxRefusal = 2_000;
