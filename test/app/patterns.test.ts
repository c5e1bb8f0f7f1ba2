import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGlob } from '../../src/app/files/glob.ts';
import { parseExcludes, parseIncludes } from '../../src/app/files/patterns.ts';
import { looksSecret } from '../../src/app/files/secrets.ts';
import { anyText } from '../support/any-text.ts';

const tree = [
  'main.py cerebrium.toml .env .gitignore requirements.txt README.md model.pt Model.PT',
  '.git/config .git/objects/ab .venv/lib/x.py src/a.py src/b.txt src/.env src/sub/c.py src/sub/m.pyc src/.hid/d.py',
  'data/x.csv data/raw/y.csv node_modules/a/i.js __pycache__/m.pyc assets/l.png assets/img/k.png we[ird]/f.txt',
]
  .join(' ')
  .split(' ');

const included = (pattern: string) => {
  const { patterns } = parseIncludes([pattern]);
  return tree.filter((path) => patterns.some((each) => each.matches(path))).join(' ');
};

/** A file is out if its own name is, or that of any folder above it. */
const excluded = (pattern: string) => {
  const { patterns } = parseExcludes([pattern]);
  const isOut = (path: string, isFolder: boolean) =>
    patterns.some((each) => each.matches(path, path.slice(path.lastIndexOf('/') + 1), isFolder));
  const folders = (path: string) =>
    path.split('/').flatMap((_, count, parts) => (count === 0 ? [] : [parts.slice(0, count).join('/')]));
  return tree.filter((path) => isOut(path, false) || folders(path).some((each) => isOut(each, true))).join(' ');
};

const below = (...folders: string[]) =>
  tree.filter((path) => folders.some((each) => path.startsWith(`${each}/`))).join(' ');
const everything = tree.join(' ');

test.each([
  ['./*', everything],
  ['*', everything],
  ['**', everything],
  ['**/*', everything],
  ['.', everything],
  ['./', everything],
  ['./**/*', everything],
  ['main.py', 'main.py'],
  ['./main.py', 'main.py'],
  ['  main.py ', 'main.py'],
  ['*.py', 'main.py'],
  ['./*.py', 'main.py'],
  ['**/*.py', '.venv/lib/x.py main.py src/.hid/d.py src/a.py src/sub/c.py'],
  ['src', below('src')],
  ['src/', below('src')],
  ['./src', below('src')],
  ['src/.', below('src')],
  ['main.py/', ''],
  ['src/*', 'src/.env src/a.py src/b.txt'],
  ['src/*/', below('src/sub', 'src/.hid')],
  ['*/', tree.filter((path) => path.includes('/')).join(' ')],
  ['src/**', below('src')],
  ['src/sub', below('src/sub')],
  ['sub', ''],
  ['data/**/*.csv', 'data/raw/y.csv data/x.csv'],
  ['*.{py,toml}', 'cerebrium.toml main.py'],
  ['{src,data}', below('src', 'data')],
  ['{src,data}/*', 'data/x.csv src/.env src/a.py src/b.txt'],
  ['{src/{a,x},data/x}.{py,csv}', 'data/x.csv src/a.py'],
  ['[!m]*.py', ''],
  ['[!m]*.pt', ''],
  ['[^c]*.toml', ''],
  ['[m-r]*', 'main.py model.pt requirements.txt'],
  ['[M]*', 'Model.PT'],
  ['m???.py', 'main.py'],
  ['m*n*y', 'main.py'],
  ['we[ird]/*', ''],
  ['we\\[ird\\]/*', 'we[ird]/f.txt'],
  ['src//a.py', 'src/a.py'],
  ['.//src/*', 'src/.env src/a.py src/b.txt'],
  ['src**', ''],
  ['MAIN.PY', ''],
  ['main.py|model.pt', ''],
  ['(main).py', ''],
  ['.env', '.env'],
])('an include pattern takes: %s', (pattern, expected) => {
  expect(included(pattern).split(' ').sort()).toEqual(expected.split(' ').sort());
});

test.each([
  ['.*', tree.filter((path) => /(^|\/)\./.test(path)).join(' ')],
  ['./.*', tree.filter((path) => path.startsWith('.')).join(' ')],
  ['**/.*', tree.filter((path) => /(^|\/)\./.test(path)).join(' ')],
  ['*.pyc', 'src/sub/m.pyc __pycache__/m.pyc'],
  ['./*.pyc', ''],
  ['src/*.pyc', ''],
  ['src/**/*.pyc', 'src/sub/m.pyc'],
  ['sub', below('src/sub')],
  ['sub/', below('src/sub')],
  ['src/sub', below('src/sub')],
  ['/src', below('src')],
  ['./sub', ''],
  ['main.py/', ''],
  ['node_modules', below('node_modules')],
  ['.git/*', below('.git')],
  ['.git/**', below('.git')],
  ['a*', `${below('assets', 'node_modules/a')} src/a.py .git/objects/ab`],
  ['./example_exclude', ''],
  ['data/', below('data')],
  ['*', everything],
  ['.', everything],
  ['[m-n]*', `main.py model.pt ${below('node_modules')} src/sub/m.pyc __pycache__/m.pyc`],
])('an exclude pattern drops: %s', (pattern, expected) => {
  expect(excluded(pattern).split(' ').sort()).toEqual(expected.split(' ').sort());
});

describe('an unsupported pattern is reported, with a fix', () => {
  test.each([
    ['[bad', 'write "\\[bad" if the bracket is part of the name'],
    ['!main.py', 'remove it, or move "main.py" to the other list'],
    ['/main.py', 'write "./main.py"'],
    ['../other', 'use a path relative to the folder of cerebrium.toml, without ".."'],
    ['src/../main.py', 'use a path relative to the folder of cerebrium.toml, without ".."'],
    ['~/models', 'use a path relative to the folder of cerebrium.toml'],
    ['C:\\models', 'use a path relative to the folder of cerebrium.toml'],
    ['src\\main.py', 'write "src/main.py"'],
    ['main.py\\', 'correct or remove it'],
    [`${'{a,b}'.repeat(20)}`, 'correct or remove it'],
  ])('%s', (pattern, fix) => {
    const { patterns, problems } = parseIncludes([pattern]);
    expect(patterns).toEqual([]);
    expect(problems).toMatchObject([{ severity: 'warning', message: `include pattern "${pattern}" is ignored`, fix }]);
  });

  test('an exclude that starts with a slash still excludes its files', () => {
    const { patterns, problems } = parseExcludes(['/secrets']);
    expect(patterns[0]?.matches('secrets', 'secrets', true)).toBe(true);
    expect(problems[0]?.fix).toBe('write "./secrets"');
  });

  test('blank patterns are ignored', () => {
    expect(parseIncludes(['', '  '])).toEqual({ patterns: [], problems: [] });
  });
});

test.each([
  ['src/**', 'data', false],
  ['src/**', 'src', true],
  ['src/**', 'src/sub/deep', true],
  ['src/*.py', 'src', true],
  ['src/*.py', 'src/sub', false],
  ['*.py', 'src', false],
  ['**/*.py', 'src/sub', true],
  ['a/b/c', 'a', true],
  ['a/b/c', 'a/b', true],
  ['a/b/c', 'a/x', false],
])('folders that a pattern cannot match are not entered: %s enters %s: %s', (pattern, folder, expected) => {
  expect(parseIncludes([pattern]).patterns[0]?.reaches(folder)).toBe(expected);
});

describe('any pattern', () => {
  const piece = fc.constantFrom(
    '*',
    '**',
    '?',
    '[',
    ']',
    '{',
    '}',
    ',',
    '\\',
    '/',
    '!',
    '-',
    '.',
    'a',
    'b',
    '(',
    ')',
    '+',
    '|',
  );
  const pattern = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
  );

  test('is parsed or reported, without an exception', () => {
    fc.assert(
      fc.property(pattern, fc.string(), (text, path) => {
        for (const { patterns, problems } of [parseIncludes([text]), parseExcludes([text])]) {
          expect(patterns.length + problems.length).toBe(
            text.trim() === '' ? 0 : Math.max(1, patterns.length + problems.length),
          );
          for (const each of patterns) expect(each.matches(path, path, false)).toBeTypeOf('boolean');
        }
      }),
      { numRuns: 500 },
    );
  });

  test('is matched without exponential backtracking', () => {
    // CPU time of this process, so that a busy machine does not count.
    const began = process.cpuUsage();
    expect(compileGlob(`${'*a'.repeat(50)}b`)?.matches('a'.repeat(5000))).toBe(false);
    expect(compileGlob(`${'**/a/'.repeat(50)}b`)?.matches('a/'.repeat(1000))).toBe(false);
    expect(compileGlob('{a,b}'.repeat(50))).toBeUndefined();
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1000).toBeLessThan(1000);
  });

  test('with escaped characters matches the name itself', () => {
    fc.assert(
      fc.property(anyText({ minLength: 1, maxLength: 20 }), (name) => {
        fc.pre(!name.includes('/'));
        expect(compileGlob([...name].map((char) => `\\${char}`).join(''))?.matches(name)).toBe(true);
      }),
    );
  });
});

describe('a file name looks like a secret:', () => {
  test.each(
    '.env app/.env .env.production prod.env id_rsa keys/id_ed25519 tls/server.key cert.pem .aws/credentials .npmrc service-account-prod.json gcp_credentials.json x/.docker/config.json terraform.tfstate secrets.toml'.split(
      ' ',
    ),
  )('%s', (path) => expect(looksSecret(path)).toBe(true));

  test.each(
    '.env.example app/.env.sample certifi/cacert.pem main.py config.json environment.py credentials.py keys.txt monkey example.env credentials.example.json docker/config.json env'.split(
      ' ',
    ),
  )('but not %s', (path) => expect(looksSecret(path)).toBe(false));
});
