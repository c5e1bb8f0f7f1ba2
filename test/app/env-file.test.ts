import { expect, test } from 'vitest';
import { readEnvFile } from '../../src/app/env-file.ts';
import { ProjectError } from '../../src/kernel/errors.ts';

const read = (text: string) => readEnvFile(text, '.env');

test.each<[string, Record<string, string>]>([
  ['', {}],
  ['A=1', { A: '1' }],
  ['A=1\r\nB=2\r\n', { A: '1', B: '2' }],
  ['\uFEFFA=1\n', { A: '1' }],
  ['# A=1\n\n  # more\nB=2', { B: '2' }],
  ['export A=1\n\texport  B = 2 ', { A: '1', B: '2' }],
  ['A=', { A: '' }],
  ['A=   # nothing', { A: '' }],
  ['A=a b  c  ', { A: 'a b  c' }],
  ['A=pa#ss # a comment', { A: 'pa#ss' }],
  ['A=#all', { A: '' }],
  ['A=c2VjcmV0==', { A: 'c2VjcmV0==' }],
  ['A=$HOME $B', { A: '$HOME $B' }],
  ['A=it\'s "so"', { A: 'it\'s "so"' }],
  ["A='pa#ss $X \\n' # comment", { A: 'pa#ss $X \\n' }],
  ['A="x\\ny\\t\\"z\\" \\\\ \\$1 \\d"', { A: 'x\ny\t"z" \\ $1 \\d' }],
  ['A=`it\'s "so"`', { A: 'it\'s "so"' }],
  ['A="-----BEGIN\nkey=\n-----END"\nB=2', { A: '-----BEGIN\nkey=\n-----END', B: '2' }],
  ["A='x\ny'", { A: 'x\ny' }],
  ['A=\'\'\nB=""\nC=``', { A: '', B: '', C: '' }],
  ['A=1\nA=2', { A: '2' }],
  ['a.b-c_D=1', { 'a.b-c_D': '1' }],
  ['{"A": "x\\ny", "constructor": ""}', { A: 'x\ny', constructor: '' }],
  ['\n {}', {}],
])('%j gives %j', (text, secrets) => {
  expect(read(text)).toEqual(secrets);
});

test.each([
  ['s3cret', ['.env:1: invalid line: expected NAME=value']],
  [
    'A=1\ns3cret: x\n=s3cret',
    ['.env:2: invalid line: expected NAME=value', '.env:3: invalid line: expected NAME=value'],
  ],
  ['A=1\n\nB="x\ny"\ns3 cret=1', ['.env:5: invalid line: expected NAME=value']],
  ['s3cret/=1', ['.env:1: invalid name of a secret']],
  [`${'s3cret'.repeat(50)}=1`, ['.env:1: invalid name of a secret']],
  ['A="s3cret\nB=1', ['.env:1: missing closing quote']],
  ['A="s3" cret\nB', ['.env:1: unexpected text after the closing quote', '.env:2: invalid line: expected NAME=value']],
  ['{"A": "s3cret"', ['.env is not valid JSON']],
  [
    '{"A": ["s3cret"], "s3 cret": ""}',
    ['.env: entry 1: the value of A must be a string', '.env: entry 2: invalid name of a secret'],
  ],
])('an invalid file names its lines but not their content: %j', (text, messages) => {
  const error = thrownBy(() => read(text));
  expect(error.problems.map(({ severity, message }) => `${severity} ${message}`)).toEqual(
    messages.map((message) => `error ${message}`),
  );
  expect(JSON.stringify([error.message, error.problems, String(error.cause)])).not.toMatch(/s3.?cret/);
});

test('reads a value of a megabyte and more', () => {
  const long = 'x\\n'.repeat(500_000);
  expect(read(`A="${long}"`).A).toHaveLength(1_000_000);
});

function thrownBy(act: () => unknown): ProjectError {
  try {
    act();
  } catch (error) {
    if (error instanceof ProjectError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
