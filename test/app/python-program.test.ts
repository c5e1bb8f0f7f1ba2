import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyzeProgram, withFunctionCall } from '../../src/app/python-program.ts';

const read = (source: string) => analyzeProgram(Buffer.from(source));
const isGuarded = (source: string) => read(source).guards.length > 0;

test.each([
  'if __name__ == "__main__":\n    main()\n',
  "if __name__ == '__main__':\n    main()\n",
  "if __name__=='__main__': main()",
  "if(__name__   ==\t'__main__'):\n    main()\n",
  'if "__main__" == __name__:\n    main()\n',
  "if ('__main__'\n        == __name__):\n    main()\n",
  'if __name__ \\\n    == """__main__""":\n    main()\n',
  "if r'__main__' == (__name__):\n    main()\n",
  'if __name__ == "__main__" and not TESTING:\n    main()\n',
  'if __name__ in ("__main__", "__mp_main__"):\n    main()\n',
  'try:\n    if __name__ == "__main__":\n        main()\nfinally:\n    pass\n',
  'def f():\n    return 1\nif __name__ == "__main__": f()\n',
  'class A:\n    x = 1\n\nif __name__ == "__main__":\n    A()\n',
  '\ufeffif __name__ == "__main__":\r\n    main()\r\n',
  'sys.exit(main()) if __name__ == "__main__" else None\n',
  '__name__ == "__main__" and main()\n',
  'x = f"{a["#"]}"\nif __name__ == "__main__":\n    main()\n',
  'x = f\'{d:%H "} {{ {f"{y}"}\'\nif __name__ == "__main__":\n    main()\n',
  'x = "unfinished\nif __name__ == "__main__":\n    main()\n',
])('a main guard is found in any spelling: %j', (source) => {
  expect(isGuarded(source)).toBe(true);
});

test.each([
  '# if __name__ == "__main__":\n',
  'help = """\nif __name__ == "__main__":\n    main()\n"""\n',
  'text = \'if __name__ == "__main__":\'\n',
  'def f():\n    if __name__ == "__main__":\n        main()\n',
  'class A:\n    def f(self):\n        if __name__ == "__main__": pass\n',
  'async def f():\n\tif __name__ == "__main__":\n\t\tpass\n',
  'if __name__ != "__main__":\n    raise ImportError\n',
  'if not (__name__ == "__main__"):\n    raise ImportError\n',
  'if not ("__main__" == __name__):\n    raise ImportError\n',
  'if __name__:\n    "__main__"\n',
  '__name__',
  'if __name__ == "main":\n    main()\n',
  'if name == "__main__":\n    main()\n',
  'x = f"""{a}\nif __name__ == "__main__": {b!r:>{w}}\n"""\n',
  '',
])('no guard is found in: %j', (source) => {
  expect(isGuarded(source)).toBe(false);
});

const call = { name: 'f', allowsWholeData: true };

describe('functions', () => {
  test('are found in the module and its branches, not within functions, classes and strings', () => {
    const source = [
      ...['@decorated', 'def one(a, b=")"):', '    def inner(): pass', '    return 1', 'async   def two(): pass'],
      ...['class A:', '    def method(self): pass', 'try:', '    def three(): pass', 'except E:', '    pass'],
      ...['text = """', 'def no(): pass', '"""', '# def no(): pass', 'def größe(): pass', 'define = 1'],
    ].join('\n');
    expect(read(source).functions).toEqual(['one', 'two', 'three', 'größe']);
  });

  test.each([
    [
      'its own text',
      '{"name": "a"}',
      'def f(name):\n    return "hello " + name\nif __name__ == "__main__":\n    raise SystemExit("no")\n',
      'hello a\n',
    ],
    ['JSON', '{}', 'def f():\n    return {"a": [1]}\n', '{"a": [1]}\n'],
    ['nothing for None', '{}', 'def f():\n    print("printed")', 'printed\n'],
    ['each item of a generator', '{}', 'def f():\n    yield 1\n    yield "two"', '1\ntwo\n'],
    ['what a coroutine gives', '{"n": 2}', 'async def f(n):\n    return n * 2', '4\n'],
    ['each item of an async generator', '{}', 'async def f():\n    yield 1', '1\n'],
    ['what it makes of the data as a whole', '{"a": 1}', 'def f(data):\n    return data["a"]', '1\n'],
  ])('called by the copy give %s', (_, data, source, printed) => {
    if (!python) return;
    const bytes = Buffer.from(source);
    const copy = withFunctionCall(bytes, analyzeProgram(bytes), call);
    const { stdout, stderr } = spawnSync(python, ['-', 'f', '--data', data], { input: copy, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual([printed, '']);
  });

  test('called by the copy fail with their own lines in the traceback, and exit code 1', () => {
    if (!python) return;
    const bytes = Buffer.from('if __name__ == "__main__":\n    f()\ndef f(a):\n    raise ValueError(a)\n');
    const copy = withFunctionCall(bytes, analyzeProgram(bytes), call);
    const env = { ...process.env, CEREBRIUM_INPUT_DATA: '{"a": "bad"}' };
    const { status, stderr } = spawnSync(python, ['-'], { input: copy, encoding: 'utf8', env });
    expect(status).toBe(1);
    expect(stderr).toMatch(/line 4, in f[\s\S]*ValueError: bad\s*$/);
  });
});

const python = spawnSync('python3', ['--version']).status === 0 ? 'python3' : undefined;

test('parses any text, and changes only the name in guards of the copy', () => {
  const piece = fc.constantFrom(
    ...[
      '"',
      "'",
      '"""',
      "'''",
      'f"',
      "rf'''",
      '{',
      '}',
      '{{',
      ':',
      '\\',
      '\n',
      '\r\n',
      '#',
      '(',
      ')',
      ' ',
      '    ',
      '\t',
    ],
    ...['def f', 'class', 'if', '__name__', '==', '"__main__"', ':\n', 'x', '\u00e4', '\0', '!r', '=', 'not'],
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 200 }).map((pieces) => pieces.join('')),
    fc.string(),
  );
  fc.assert(
    fc.property(text, (source) => {
      const bytes = Buffer.from(source);
      const program = analyzeProgram(bytes);
      const copy = withFunctionCall(bytes, program, call).subarray(0, bytes.length).toString('latin1');
      for (const at of program.guards) expect(copy.slice(at, at + 8)).toBe("'import'");
      const changed = [...bytes.toString('latin1')].filter((char, at) => char !== copy[at]).length;
      expect(changed).toBe(program.guards.length * 8);
    }),
  );
});

/** Of so many functions that call each other: less of the stack is left. */
const within = <Result>(calls: number, work: () => Result): Result => (calls === 0 ? work() : within(calls - 1, work));

describe('what nests deeper than Python compiles has no structure', () => {
  test.each(['(', '[', '{', "f'{", '-', 'not ', 'a.b', 'a+', 'lambda: ', 'x = y\nif x:', '((x)('])('%j', (text) => {
    for (const length of [1_500, 10_000]) expect(within(5_000, () => read(text.repeat(length))).guards).toEqual([]);
  });

  test('what is a little less deep has', () => {
    expect(isGuarded(`x = ${'('.repeat(200)}1${')'.repeat(200)}\nif __name__ == "__main__":\n    main()\n`)).toBe(true);
  });
});

test.each([
  ['def run():\n    return print(1)\n', false],
  ['import os\n\nLIMIT = 3\n\n\nclass A:\n    def run(self):\n        print(1)\n', false],
  ['def run():\n    return 1\n\nrun()\n', true],
  ['if __name__ == "__main__":\n    run()\n', true],
])('%j may call something: %s', (source, mayCall) => {
  expect(read(source).mayCall).toBe(mayCall);
});
