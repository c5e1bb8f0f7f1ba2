import { beforeEach, expect, test } from 'vitest';
import { Draw } from '../chaos/draw.js';
import type { Asked, ModelHub } from '../chaos/model-hub.js';
import { drawnCases } from '../support/extent.ts';
import { startHub } from '../support/hub.ts';
import { emulatorForEach, newFolder, noise, gantry as run } from '../support/index.ts';

const name = 'org/model';
const token = 'hf_0123456789abcdefABCDEF';
const files: Record<string, Buffer> = {
  'config.json': Buffer.from('{"model_type": "x"}'),
  'small.bin': noise(70_000),
  'large.bin': noise(12 * 2 ** 20 + 321),
};

let home: string;
let hub: ModelHub;

const emulator = emulatorForEach();

beforeEach(async () => {
  home = newFolder();
  hub = await startHub({ [name]: { files: { ...files }, inGit: ['config.json'], token } });
});

const pull = (silenceMs: number) =>
  run(['cp', `hf://${name}`, ':/m'], {
    emulator,
    cwd: home,
    io: { silenceMs },
    env: { GANTRY_CONFIG_DIR: home, HF_TOKEN: token, ...hub.env },
  });

/** Replies in place of a host; false leaves the request to it. */
type Fault = (asked: Asked) => boolean;

/** What servers do, each at a few requests or at all from one on. */
const faults: Record<string, (draw: Draw) => Fault> = {
  cut: (draw) => {
    const share = draw.int(0, 9) / 10;
    return ({ name: file, request, response }) => {
      const { start, end, total } = rangeOf(request.headers.range, file);
      response.writeHead(request.headers.range ? 206 : 200, {
        'content-length': end - start,
        'content-range': `bytes ${start}-${end - 1}/${total}`,
        etag: '"cut"',
      });
      response.write(content(file).subarray(start, start + Math.floor((end - start) * share)), () =>
        response.destroy(),
      );
      return true;
    };
  },
  silence:
    () =>
    ({ response }) => {
      response.flushHeaders();
      return true;
    },
  status: (draw) => {
    const status = draw.pick([408, 429, 429, 500, 502, 503, 504]);
    const after: Record<string, string> = draw.chance(0.5) ? { 'retry-after': '3' } : {};
    return ({ response }) => !!response.writeHead(status, after).end();
  },
  'expired link': (draw) => {
    const status = draw.pick([400, 401, 403, 404, 410]);
    return ({ at, response }) =>
      at === 'cdn' && !!response.writeHead(status).end('<Error><Code>AccessDenied</Code></Error>');
  },
  denied: (draw) => {
    const status = draw.pick([401, 403]);
    return ({ at, response }) => at === 'hub' && !!response.writeHead(status).end();
  },
  'wrong length': (draw) => {
    const [less, total] = [draw.int(-1, 1), draw.int(-1, 1)];
    return ({ name: file, request, response }) => {
      const { start, end, total: bytes } = rangeOf(request.headers.range, file);
      const range = `bytes ${start}-${end - 1 + less}/${bytes + total}`;
      response.writeHead(request.headers.range ? 206 : 200, { 'content-range': range, etag: '"x"' });
      response.end(content(file).subarray(start, end + less));
      return true;
    };
  },
  'other bytes': (draw) => {
    const at = draw.int(0, 1_000_000);
    return ({ name: file, request, response }) => {
      const { start, end, total } = rangeOf(request.headers.range, file);
      const bytes = Buffer.from(content(file).subarray(start, end));
      if (bytes.length > 0) bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ 0x40;
      const etag = draw.chance(0.5) ? { etag: '"changed"' } : {};
      response.writeHead(request.headers.range ? 206 : 200, {
        'content-range': `bytes ${start}-${end - 1}/${total}`,
        ...etag,
      });
      response.end(bytes);
      return true;
    };
  },
  'no ranges':
    () =>
    ({ request }) => {
      delete request.headers.range;
      return false;
    },
  'web page':
    () =>
    ({ response }) =>
      !!response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in</h1>'),
  'redirect back':
    () =>
    ({ at, request, response }) =>
      at === 'cdn' &&
      !request.url?.includes('again') &&
      !!response.writeHead(307, { location: `${hub.url}/${name}/resolve/main/x` }).end(),
  'redirect on':
    () =>
    ({ at, request, response }) =>
      at === 'cdn' &&
      !request.url?.includes('again') &&
      !!response.writeHead(302, { location: `${request.url}&again=1` }).end(),
  'redirect in a circle':
    () =>
    ({ at, request, response }) =>
      at === 'cdn' && !!response.writeHead(302, { location: request.url ?? '/' }).end(),
};

function content(file: string): Buffer {
  return files[file] ?? Buffer.alloc(0);
}

function rangeOf(header: string | undefined, file: string): { start: number; end: number; total: number } {
  const total = content(file).length;
  const [, from = '0', to = String(total - 1)] = /^bytes=(\d+)-(\d+)$/.exec(header ?? '') ?? [];
  return { start: Number(from), end: Math.min(total, Number(to) + 1), total };
}

function drawMischief(draw: Draw): (asked: Asked) => boolean {
  const rules = Array.from({ length: draw.int(1, 4) }, () => {
    const [from, lasts] = [draw.int(1, 6), draw.pick([1, 1, 2, 3, Number.POSITIVE_INFINITY])];
    const kind = draw.pick(Object.keys(faults));
    const file = draw.pick([...Object.keys(files), 'large.bin', undefined]);
    return { fault: faults[kind]?.(draw), from, lasts, file };
  });
  return (asked) =>
    rules.some(({ fault, from, lasts, file }) => {
      const isMeant = (file ?? asked.name) === asked.name && asked.count >= from && asked.count < from + lasts;
      return isMeant && (fault?.(asked) ?? false);
    });
}

/** Whether each file is there as it must be; false if it is not there. */
function arrived(): boolean[] {
  return Object.entries(files).map(([file, bytes]) => {
    const there = emulator.volume().read(`/m/${file}`);
    if (there) expect(there.equals(bytes), `${file} has wrong bytes`).toBe(true);
    return there !== undefined;
  });
}

// A seed is the name of its test.
test.each(Array.from({ length: drawnCases(3, 6) }, (_, at) => at + 1))(
  'no schedule of faults leaves a wrong byte, or takes the token to a second host: %i',
  async (seed) => {
    hub.mischief = drawMischief(new Draw(seed));
    const first = await pull(1_000);
    const there = arrived();
    if (first.code === 0) expect(there).toEqual([true, true, true]);
    else expect(first.code, first.stderr).not.toBe(70);
    hub.mischief = undefined;
    const second = await pull(20_000);
    expect([second.stderr, second.code]).toEqual([second.stderr, 0]);
    expect(arrived()).toEqual([true, true, true]);
    const elsewhere = hub.requests.filter(({ at, path }) => at === 'cdn' || path.includes('/resolve/main/'));
    expect(elsewhere.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  },
);
