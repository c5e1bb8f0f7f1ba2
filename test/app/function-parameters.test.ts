import { expect, test } from 'vitest';
import { analyzeProgram } from '../../src/app/python-program.ts';

const names = (code: string, name = 'run') => {
  const named = analyzeProgram(Buffer.from(code)).parameters.get(name)?.named ?? [];
  return named.filter(({ hasDefault }) => !hasDefault).map(({ name, type }) => (type ? `${name}: ${type}` : name));
};

test.each<[string, string[]]>([
  ['def run():\n    pass', []],
  ['def run(prompt):\n    pass', ['prompt']],
  ['async def run(prompt: str, times: int = 2, *, scale: float):\n    pass', ['prompt: str', 'scale: float']],
  ['def run(a, /, b, *args, c=1, **kwargs): pass', ['b']],
  ['def run(a, b, /): pass', []],
  ['def run(a, b="/", *, c): pass', ['a', 'c']],
  [
    'def run(\n    items: list[dict[str, int]],  # a comment, with (parentheses\n    f=lambda a, b: a,\n    last="(,",\n    größe: "str",\n): pass',
    ['items: list', 'größe: "str"'],
  ],
  ['class A:\n    def run(self, x): pass\ndef run(y): pass', ['y']],
  ['def other(x): pass', []],
  ['def run(', []],
  ['def run(a, b', ['a', 'b']],
])('%j must be given %j', (code, expected) => expect(names(code)).toEqual(expected));

test.each<[string, string[]]>([
  ['def run(a, b=1, /, c=2): pass', ['a', 'b']],
  ['def run(a, /): pass', ['a']],
  ['def run(a, / ,): pass', ['a']],
  ['def run(a=1/2, b=2): pass', []],
  ['def run(): pass', []],
])('no call can give by name what %j takes before its slash', (code, expected) => {
  const { positional = [] } = analyzeProgram(Buffer.from(code)).parameters.get('run') ?? {};
  expect(positional.map(({ name }) => name)).toEqual(expected);
});
