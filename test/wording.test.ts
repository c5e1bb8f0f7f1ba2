import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** New files too, before they are added. */
const listed = ['ls-files', '--cached', '--others', '--exclude-standard'];

/** What people read: the program's texts, its comments and documents. The glossary lists what not to write. */
const files = execFileSync('git', [...listed, 'src', 'docs', 'demo.js', '*.md'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|js|md|py)$/.test(file) && !/glossary|wording\.test|known-modules|decisions\//.test(file));
const texts = files.map((file) => ({ file, text: readFileSync(file, 'utf8') }));

/** Phrases that no manual would use, each with what to write instead. */
const phrases: [wrong: string, right: string][] = [
  ['already as asked', 'unchanged'],
  ['it is so already', 'nothing to change'],
  ['goes on without us', 'lost contact; it is still running'],
  ['could not be looked at', 'status unavailable'],
  ['this needs an answer', 'confirmation required'],
  ['would have to be asked', 'confirmation required, but there is no terminal'],
  ["'around it'", 'Account and tools'],
  ['see how an app does', 'show app metrics'],
  ['ended well', 'succeeded'],
  ['ended badly', 'failed'],
  ['where none is taken', 'unexpected argument'],
  ['lists what there is', 'see … --help'],
  ['it is not said where', 'no destination'],
  ['not fit to deploy', 'has errors'],
  ['agree if the page', 'approve if the code matches'],
  ['you said no', 'canceled; nothing changed'],
  ['as the platform says it', 'platform value, passed through'],
  ['has more in it than a place', 'has unknown keys'],
  ['passed for the same', 'unchanged'],
  ['tells of no volume', 'reports no volumes'],
  ['the answer is no text', 'the response is binary'],
  ['trying again in', 'retrying in'],
  ['nothing is listening there', 'connection refused'],
  ['was given up', 'timed out, aborted'],
  ['what came of it', 'the response'],
  ['would travel in the clear', 'refusing to send the token over plain HTTP'],
  ['with a slash at its end', 'add a trailing slash'],
  ['leave files alone', 'skip files'],
  ['an earlier try', 'a previous attempt'],
  ['is left out', 'is skipped, is omitted'],
  ['are left out', 'are skipped, are omitted'],
  ['whoever', 'say who'],
  ['so many bytes', 'the number of bytes'],
  ['colour', 'color'],
  ['behaviour', 'behavior'],
];

test.each(phrases)('texts do not say "%s" but %s', (wrong) => {
  expect(texts.filter(({ text }) => text.toLowerCase().includes(wrong)).map(({ file }) => file)).toEqual([]);
});

/** What the platform calls the ends of builds and runs; gantry writes `canceled` and `succeeded`. */
const foreignStatus = /(?<!notifications\/)\bcancelled\b|['"`]success['"`]|\bstatus:? success\b|latest:success/i;
const speaksOfThePlatform =
  /^(src\/platform\/contract|src\/emulator|docs\/platform\.md)|src\/cli\/commands\/metrics\.ts/;

test('the ends of builds and runs have one spelling', () => {
  const own = texts.filter(({ file }) => !speaksOfThePlatform.test(file));
  expect(own.filter(({ text }) => foreignStatus.test(text)).map(({ file }) => file)).toEqual([]);
});

test('comments of declarations begin with their subject', () => {
  const offenses = files
    .filter((file) => /^src\/.*\.m?[tj]s$/.test(file))
    .filter((file) => /^\s*\/\*\*\s+(?:\* )?(?:Of|By|The same|Those of) /m.test(readFileSync(file, 'utf8')));
  expect(offenses).toEqual([]);
});

/** Identifiers that name a thing by a picture of it. */
const identifiers =
  /\b(bearWith|aside|spoil|furnish|unbothered|startBehind|elsewhere|pourInto|tellings|plainly|leaveOut|isCurrent|Tally|Stretch|Shelf|together|nursery|mischief|breath)\b/;

/** A value that says only how it came here: `const found =`, `for (const one of`, `(shown) =>`, `known: string[]` of a function. */
const vague = new RegExp(
  String.raw`\b(?:const|let) (?:\[[^\]=]*)?\b(?:<>)\b(?=[^}]*?(?: =|: | of ))|(?:\(|, )(?:<>)(?=\)? =>|, \w+\) =>)|(?<=[(]|, |^ {2})(?:<>)\??: [A-Z]\w*[,)]`.replaceAll(
    '<>',
    'one|known|found|own|shown|seen',
  ),
  'm',
);

test('values are named for what they hold', () => {
  const named = files
    .filter((file) => file.startsWith('src/') && file.endsWith('.ts'))
    .flatMap((file) => {
      const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|`(?:\\`|[^`])*`/g, '');
      const [text] = vague.exec(code) ?? [];
      return text ? [`${file}: ${text}`] : [];
    });
  expect(named).toEqual([]);
});

test('identifiers are terms of the field', () => {
  const offenses = files
    .filter((file) => file.startsWith('src/') && file.endsWith('.ts'))
    .flatMap((file) => {
      const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*|'[^']*'|`(?:\\`|[^`])*`/g, '');
      const [name] = identifiers.exec(code) ?? [];
      return name ? [`${file}: ${name}`] : [];
    });
  expect(offenses).toEqual([]);
});
