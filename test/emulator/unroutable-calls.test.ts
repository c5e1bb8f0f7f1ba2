import { describe, expect, test } from 'vitest';
import { python, running } from './support/running.ts';

const custom = { runtime: 'custom', entrypoint: ['python', 'server.py', '--port', '8192'], port: 8192 };
const largeBody = JSON.stringify({ text: 'x'.repeat(3_000_000) });

/** Each is sent to the app's address, as it stands there, with and without a body. */
const belowApp = ['', '/', '//', '/?x=1', '/%00'];
const methods = ['POST', 'GET', 'DELETE', 'HEAD', 'PROPFIND'];

describe('every call without a function name is answered', () => {
  test.each([
    ['an app of the default runtime', 'functions', {}, true],
    ['an app with its own server', 'server', custom, true],
    ['a simulated app', 'functions', {}, false],
  ])('%s', async (_, app, settings, real) => {
    if (real && !python) return;
    const { base } = await running(app, settings, { real });
    const calls = belowApp.flatMap((below) =>
      methods.flatMap((method) => {
        const bodies = ['GET', 'HEAD'].includes(method) ? [undefined] : [undefined, '{}'];
        return bodies.map((body) => ({ below, method, body }));
      }),
    );
    for (const { below, method, body } of calls) {
      const reply = await fetch(base + below, { method, ...(body !== undefined && { body }) });
      const text = await reply.text();
      expect(reply.status, `${method} ${below} ${text.slice(0, 200)}`).toBeLessThan(503);
      expect(text, `${method} ${below}`).not.toContain('has a bug');
    }
    const body = app === 'server' ? '{}' : largeBody;
    const { status, headers } = await fetch(base, { method: 'POST', body });
    expect([status, headers.has('x-request-id')]).toEqual([real ? 404 : 200, true]);
  });

  test.each(['no-such-app', 'functions%ff', ''])('the app "%s"', async (name) => {
    const { emulator } = await running('functions', {}, { real: false });
    for (const body of ['', largeBody]) {
      const reply = await fetch(`${emulator.url}/v4/${emulator.project}/${name}`, { method: 'POST', body });
      expect(reply.status).toBe(name.includes('%') ? 400 : 404);
      await reply.text();
    }
  });
});
