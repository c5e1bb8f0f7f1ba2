import { describe, expect, test } from 'vitest';
import { dependencyFiles } from '../src/app/dependencies.ts';
import { baseImages } from '../src/app/docker-image.ts';
import { readEnvFile } from '../src/app/env-file.ts';
import { analyzeProgram } from '../src/app/python-program.ts';
import { readRequirements } from '../src/app/requirements.ts';
import { parseHeaders } from '../src/calls/invoke/call-target.ts';
import type { AppResponse } from '../src/calls/invoke/response.ts';
import { readEvents } from '../src/calls/invoke/response.ts';
import { splitLogText } from '../src/calls/logs/log-line.ts';
import { explainLog } from '../src/causes/index.ts';
import { KnownSecrets } from '../src/kernel/output/known-secrets.ts';
import { createPage } from '../src/kernel/output/page.ts';
import { redactedJson } from '../src/kernel/output/redacted-json.ts';
import { sanitize } from '../src/kernel/output/sanitize.ts';
import { createStreamSanitizer } from '../src/kernel/output/sanitize-stream.ts';
import { table } from '../src/kernel/output/table.ts';
import { errorFromStorage } from '../src/storage/transfer/storage-errors.ts';
import { expectLinear } from './support/linear.ts';

const secrets = new KnownSecrets();
secrets.add('the-token-in-use-0123456789', 'pa55w0rd');
const page = (columns?: number) =>
  createPage({ isTTY: columns !== undefined, columns } as never, { GITHUB_ACTIONS: 'true' }, 'always', 0, secrets);

/** What a text is made of that makes a careless pattern start anew at each of its places. */
const units: Record<string, string> = {
  'half tokens': 'eyJ-',
  'dotted half tokens': 'eyJ.',
  'glued tokens': 'xeyJa.b.',
  'schemes of addresses': 'http://',
  'encoded schemes': 'http%3A%2F%2F',
  'question marks': '?',
  parameters: 'token=a&',
  'parameters without end': '?sig',
  'half signed links': 'https://a?b&Signature',
  'signed links': 'https://a?Signature=1 ',
  'versions of links': '?sv=1&sp=r&',
  schemes: 'Bearer ',
  'schemes and blanks': 'Bearer         ',
  'encoded schemes of credentials': 'basic%20',
  headers: 'authorization:',
  'headers in quotes': 'authorization"  : "',
  'headers of tokens': 'a-session',
  cookies: 'cookie:',
  'cookies in quotes': 'cookie: "\\',
  'lists of cookies': 'cookie:[a=',
  properties: '"password":"',
  'users of addresses': '://a:',
  'many users': '://a:b@',
  'parts of the secret': 'the-token-in-use-',
  'empty lines': '\n',
  'carriage returns': '\r',
  blanks: ' ',
  'blanks and a colon': '  \n:',
  hashes: '#',
  'hashes and colors': '#\u001b[m',
  colors: '\u001b[1m',
  'unfinished titles': '\u001b]0;',
  'unfinished titles in 8 bits': '\u009d',
  'unfinished sequences': '\u001b[1;',
  'sequences in 8 bits': '\u009b',
  escapes: '\u001b',
  backslashes: '\\',
  quotes: '"',
  words: 'secret ',
  'broken secrets': 'the-token-in-\nuse-0123456789 ',
  'invisible characters': 'the-token-\u200b',
  'escaped line breaks': '\\n',
  'escaped sequences': '\\u001b[0',
  'values in lines': 'Signature=aaaaaaaa1\n',
  'rests of values': '\naaaaaaa1',
  'links in lines': 'https://a?Signature=1\n&aaaaa1(',
  'links and blanks': 'https://a?Signature=1  \t',
  'bare signatures': 'signature 0123456789abcdef0123456789abcdef',
  'names of signatures': 'signature ',
  'elements of signatures': '<StringToSign>',
};

const transforms: Record<string, (text: string) => unknown> = {
  shown: (text) => sanitize(text, page()),
  'shown without colors': (text) => sanitize(text, { ...page(), colored: false }),
  safeJson: (text) => redactedJson({ text, list: [text] }, secrets, 2),
  splitLogText,
};

describe.each(Object.entries(transforms))('%s', (_, transform) => {
  test.each(Object.entries(units))('takes linear time for %s', async (_, unit) => {
    // Ends that almost match: without them many a pattern gives up at once.
    for (const end of ['', ' x=\u001b']) {
      await expectLinear((length) => {
        const text = unit.repeat(Math.ceil(length / unit.length)) + end;
        return () => transform(text);
      });
    }
  });
});

describe('text in small chunks', () => {
  test.each(['\u001b]0;', '\u009b', 'a', '::'])('takes linear time for %j', async (unit) => {
    await expectLinear((length) => {
      const piece = Buffer.from(unit.repeat(8));
      return () => {
        const { push, end } = createStreamSanitizer(page());
        for (let at = 0; at < length / 16; at += piece.length) push(piece);
        end();
      };
    });
  });

  test('takes linear time for a title that does not end', async () => {
    const piece = Buffer.from('0;');
    await expectLinear((length) => () => {
      const { push, end } = createStreamSanitizer({ ...page(), githubActions: false });
      push(Buffer.from('\u001b]'));
      for (let at = 0; at < length / 8; at += piece.length) push(piece);
      end();
    });
  });
});

const readers: Record<string, (length: number) => () => unknown> = {
  'a .env file of many lines': (length) => {
    const text = Array.from({ length: length / 8 }, (_, at) => `A${at}=b`).join('\n');
    return () => readEnvFile(text, '.env');
  },
  'a .env file of wrong lines': (length) => () => attempt(() => readEnvFile('= \n'.repeat(length / 16), '.env')),
  'a .env file of open quotes': (length) => () => attempt(() => readEnvFile('A=\'"`\n'.repeat(length / 16), '.env')),
  'a Dockerfile of empty lines': (length) => () => baseImages(`${'\n'.repeat(length)}FROM a`),
  'a Dockerfile of blanks': (length) => () => baseImages(`${' '.repeat(length)}a`),
  'a module of quotes': (length) => () => analyzeProgram(Buffer.from('"""\''.repeat(length / 4))),
  ...Object.fromEntries(
    ['f"{', "f'{", '(', 'f"""{', 'f"{x:{', '\\\n'].map((opening) => [
      `a module of ${JSON.stringify(opening)}`,
      (length: number) => () => analyzeProgram(Buffer.from(opening.repeat(length / opening.length))),
    ]),
  ),
  'a module of comments': (length) => () => analyzeProgram(Buffer.from('#a\n'.repeat(length / 3))),
  'a header of blanks': (length) => () => parseHeaders([`a: b${' '.repeat(length)}c`]),
  'a log of errors': (length) => () => explainLog('ERROR: Failed building wheel for a\n'.repeat(length / 32)),
  'a log of exceptions': (length) => () => explainLog("KeyError: 'ABC'\n".repeat(length / 16)),
  'a log of one line': (length) => () => explainLog(`ERROR: ${'No module named '.repeat(length / 16)}`),
  'a log of carriage returns': (length) => () => explainLog(`${'Killed\r'.repeat(length / 8)}\nKilled`),
  'a log of wrapped messages': (length) => () => explainLog(`╰─▶ a\n${'      a b\n'.repeat(length / 10)}`),
  'a log of ignored exceptions': (length) => () => explainLog('Exception ignored in: a\n  b\n'.repeat(length / 28)),
  'a log of refused connections': (length) => () => explainLog('connection to server at '.repeat(length / 24)),
  'a log of empty lines': (length) => () => explainLog('\n'.repeat(length)),
  'an answer of storage': (length) => () =>
    errorFromStorage({ status: 500, headers: {}, body: '<Code>'.repeat(length / 6), what: 'upload' }, 0),
  'a cell wider than any terminal': (length) => () =>
    table([{ a: 'x'.repeat(length), b: 'y'.repeat(length) }], [], { A: ({ a }) => a, B: ({ b }) => b })(page(80)),
};

test.each(Object.entries(readers))('%s is read in linear time', async (_, prepare) => {
  await expectLinear(prepare);
});

test.each([
  ['a list of packages with blanks', (length: number) => packages(`a x${' '.repeat(length)}y`)],
  ['a list of packages with comments', (length: number) => packages(`a ${'# '.repeat(length / 2)}`)],
  ['a version of addresses', (length: number) => requirements('a://'.repeat(length / 4))],
  ['a version of semicolons', (length: number) => requirements('1; '.repeat(length / 3))],
  ['a line of events that comes in pieces', (length: number) => events(length)],
])('%s is read in linear time', async (_, work) => {
  await expectLinear((length) => () => work(length));
});

function packages(text: string): Promise<unknown> {
  const entry = { path: 'requirements.txt', size: text.length, executable: false, source: { text } };
  return readRequirements(entry, () => {});
}

async function requirements(version: string): Promise<void> {
  dependencyFiles({ root: '.', deployment: {}, dependencies: { pip: { a: version }, conda: {}, apt: {}, paths: {} } });
}

async function events(length: number): Promise<void> {
  const pieces = (async function* () {
    yield Buffer.from('data: ');
    for (let at = 0; at < length * 4; at += 256) yield Buffer.alloc(256, 'x');
    yield Buffer.from('\n\n');
  })();
  let seen = 0;
  for await (const { data } of readEvents({ target: { name: 'web' }, chunks: pieces } as unknown as AppResponse))
    seen += data.length;
  expect(seen).toBeGreaterThan(0);
}

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {}
}
