import { parseStatements, type Statement, type Token, topLevelStatements } from './python.ts';

/** What a Python file does when it is run, as far as its structure tells. */
export interface ProgramStructure {
  /** Functions of the module, in the order they are defined; those in functions and classes are not among them. */
  functions: string[];
  /**
   * Where the module asks whether it is the main program (`if __name__ == "__main__":` in any spelling): offsets, in
   * bytes, of the `__name__` there. Empty without such a guard.
   */
  guards: number[];
}

/** Reads the structure of a Python file. Never throws, whatever bytes it gets. */
export function analyzeProgram(source: Buffer): ProgramStructure {
  const statements = topLevelStatements(parseStatements(source.toString('latin1')));
  return { functions: [...new Set(statements.flatMap(defined))], guards: statements.flatMap(comparisons) };
}

/**
 * A copy of the file that calls this function with the data given when it is run, and prints what it returns. A guard
 * in it finds that it is not the main program; no line moves, so that tracebacks are right.
 */
export function withFunctionCall(source: Buffer, { guards }: ProgramStructure, name: string): Buffer {
  const copy = Buffer.from(source);
  for (const at of guards) copy.write("'import'", at, 'latin1');
  return Buffer.concat([copy, Buffer.from(`\n\n${callOf(name)}`)]);
}

function defined({ tokens }: Statement): string[] {
  const names = tokens[0]?.text === 'async' ? tokens.slice(1) : tokens;
  return names[0]?.text === 'def' && names[1] ? [Buffer.from(names[1].text, 'latin1').toString('utf8')] : [];
}

/** Both ways round, in parentheses or not; what is negated is no guard. */
function comparisons({ tokens }: Statement): number[] {
  const plain = tokens.filter(({ text }) => !'()[]{}'.includes(text));
  return plain.flatMap(({ text, at }, index) => {
    if (text !== '__name__') return [];
    const [notBefore, before, equals] = [plain[index - 3], plain[index - 2], plain[index - 1]];
    const asked = compares(plain[index + 1]) && isMain(plain[index + 2]) && equals?.text !== 'not';
    const reversed = compares(equals) && isMain(before) && notBefore?.text !== 'not';
    return asked || reversed ? [at] : [];
  });
}

const compares = (token: Token | undefined) => token !== undefined && ['==', 'is', 'in'].includes(token.text);
const isMain = (token: Token | undefined) => /^[ru]?('''|"""|'|")__main__\1$/i.test(token?.text ?? '');

/**
 * The data comes as `--data`, after the function's name, or in the environment. It is spread over the parameters if
 * they match, and otherwise passed as one value to a function with one parameter.
 */
const callOf = (name: string) => `# Added by gantry to the copy that is sent: calls ${name} with the data given.
def __gantry_call(name):
    import argparse, asyncio, inspect, json, os

    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--data")
    given = parser.parse_known_args()[0].data or os.environ.get("CEREBRIUM_INPUT_DATA") or "{}"
    data = json.loads(given)
    function = globals()[name]
    parameters = inspect.signature(function).parameters
    try:
        inspect.signature(function).bind(**data)
        whole = False
    except TypeError:
        whole = len(parameters) == 1 and bool(data)
    result = function(data) if whole else function(**data)

    def show(value):
        if value is not None:
            print(value if isinstance(value, str) else json.dumps(value, default=str), flush=True)

    async def show_all(values):
        async for value in values:
            show(value)

    if inspect.isgenerator(result):
        for value in result:
            show(value)
    elif inspect.isasyncgen(result):
        asyncio.run(show_all(result))
    else:
        show(asyncio.run(result) if inspect.iscoroutine(result) else result)


if __name__ == "__main__":
    __gantry_call(${JSON.stringify(name)})
`;
