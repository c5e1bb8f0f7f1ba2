import { childOf, type PyNode, PySource, separated } from './python/tree.ts';

export interface ProgramStructure {
  functions: string[];
  parameters: ReadonlyMap<string, FunctionParameters>;
  /** Byte offsets of `__name__` in each main guard (`if __name__ == "__main__":` in any spelling). */
  guards: number[];
  /** Whether a call may be outside of functions and classes. */
  mayCall: boolean;
}

export interface Parameter {
  name: string;
  type: string;
  hasDefault: boolean;
}

export interface FunctionParameters {
  /** Those that a call can give by their names. */
  named: Parameter[];
  /** Those before a `/`, which no call can give: it gives all of them by name. */
  positional: Parameter[];
  /** Whether other names are accepted, too, or may be: a decorator can change what a function takes. */
  takesAny: boolean;
  /** Whether a decorator may give some of them. */
  isDecorated: boolean;
}

/** Parses a Python file. Never throws, whatever the bytes are. */
export function analyzeProgram(bytes: Buffer): ProgramStructure {
  const start = bytes.toString('latin1', 0, 3) === byteOrderMark ? 3 : 0;
  const text = bytes.toString('latin1', start);
  // A letter for each byte of any encoding: it stays at its place.
  const { root } = new PySource(text.replace(/[\x80-\xff]/g, '\xaa'));
  const read = ({ from, to }: PyNode) => Buffer.from(text.slice(from, to), 'latin1').toString('utf8');
  const { definitions, tokens } = topLevel(root);
  const parameters = new Map<string, FunctionParameters>();
  for (const definition of definitions) {
    const name = childOf(definition, 'VariableName');
    const list = childOf(definition, 'ParamList');
    const each = separated(list?.children.slice(1) ?? []);
    const isDecorated = definition.parent?.kind === 'DecoratedStatement';
    const takesAny = isDecorated || each.some(([first]) => first?.kind === '**');
    // The parser has no word for a slash: nothing is between its commas, or the end of the list.
    const endsWithSlash = list !== undefined && /,\s*\/\s*\)$/.test(read(list));
    const slash = endsWithSlash ? each.length - 1 : each.findIndex(({ length }) => length === 0);
    const positional = each.slice(0, Math.max(slash, 0)).flatMap((part) => toParameter(part, read));
    const named = each.slice(slash + 1).flatMap((part) => toParameter(part, read));
    if (name) parameters.set(read(name), { named, positional, takesAny, isDecorated });
  }
  const guards = findGuards(tokens.map(({ from, to }) => ({ text: text.slice(from, to), at: start + from })));
  const mayCall = tokens.some(({ from }) => text[from] === '(');
  return { functions: [...parameters.keys()], parameters, guards, mayCall };
}

/** The UTF-8 byte-order mark, read as Latin-1. Python skips it. */
const byteOrderMark = '\xef\xbb\xbf';

/** The functions outside of functions and classes, and the words of what is outside, in order. Nesting may be deep. */
function topLevel(root: PyNode): { definitions: PyNode[]; tokens: PyNode[] } {
  const definitions: PyNode[] = [];
  const tokens: PyNode[] = [];
  const waiting = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.kind === 'FunctionDefinition') definitions.push(node);
    else if (node.kind === 'ClassDefinition') continue;
    else if (node.children.length === 0) tokens.push(node);
    else for (const child of node.children.toReversed()) waiting.push(child);
  }
  return { definitions, tokens };
}

/** Skips what collects further arguments (`*args`), or only separates others (`/`, `*`). */
function toParameter([name, ...rest]: readonly PyNode[], read: (node: PyNode) => string): Parameter[] {
  if (name?.kind !== 'VariableName') return [];
  let type = rest.find(({ kind }) => kind === 'TypeDef')?.children[1];
  while (type?.children[0]) type = type.children[0];
  return [{ name: read(name), type: type ? read(type) : '', hasDefault: rest.some(({ kind }) => kind === 'AssignOp') }];
}

export interface FunctionCall {
  name: string;
  /** Whether a function with one parameter gets the data itself if its keys do not fit. */
  allowsWholeData: boolean;
}

/** A copy that calls the function and prints the result. No line moves, so that tracebacks stay correct. */
export function withFunctionCall(source: Buffer, { guards }: ProgramStructure, call: FunctionCall): Buffer {
  const copy = Buffer.from(source);
  for (const at of guards) copy.write("'import'", at, 'latin1');
  return Buffer.concat([copy, Buffer.from(`\n\n${callCode(call)}`)]);
}

/** A file that runs a script beside it as Python would, with these arguments. Tracebacks have no line of its own. */
export function scriptStart(script: string, argv: readonly string[]): Buffer {
  return Buffer.from(`# Added by gantry to what is sent: runs ${script} with the arguments that were typed.
import os, runpy, sys

__gantry_script = os.path.join(os.path.dirname(__file__), ${JSON.stringify(script)})


def __gantry_traceback(kind, error, trace):
    at = trace
    while at and at.tb_frame.f_code.co_filename != __gantry_script:
        at = at.tb_next
    sys.__excepthook__(kind, error.with_traceback(at), at)


sys.excepthook = __gantry_traceback
sys.argv = [__gantry_script, *${JSON.stringify(argv)}]
runpy.run_path(__gantry_script, run_name="__main__")
`);
}

interface Token {
  text: string;
  at: number;
}

/** Accepts both orders and parentheses, but not negations. */
function findGuards(tokens: readonly Token[]): number[] {
  const plain = tokens.filter(({ text }) => !'()[]{}'.includes(text));
  return plain.flatMap(({ text, at }, index) => {
    if (text !== '__name__') return [];
    const notBefore = plain[index - 3];
    const before = plain[index - 2];
    const equals = plain[index - 1];
    const isForward = isComparison(plain[index + 1]) && isMain(plain[index + 2]) && equals?.text !== 'not';
    const isReversed = isComparison(equals) && isMain(before) && notBefore?.text !== 'not';
    return isForward || isReversed ? [at] : [];
  });
}

const isComparison = (token: Token | undefined) => token !== undefined && ['==', 'is', 'in'].includes(token.text);
const isMain = (token: Token | undefined) => /^[ru]?('''|"""|'|")__main__\1$/i.test(token?.text ?? '');

/** Data becomes keyword arguments, or all of it the only parameter. Tracebacks have no line of it. */
const callCode = ({
  name,
  allowsWholeData,
}: FunctionCall) => `# Added by gantry to the copy that is sent: calls ${name} with the data given.
def __gantry_call(name, allows_whole):
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
        whole = allows_whole and len(parameters) == 1 and bool(data)
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


def __gantry_traceback(kind, error, trace):
    import sys

    own = __gantry_call.__code__
    at = trace
    while at and (at.tb_frame.f_code.co_filename != own.co_filename or at.tb_lineno >= own.co_firstlineno):
        at = at.tb_next
    sys.__excepthook__(kind, error.with_traceback(at), at)


if __name__ == "__main__":
    __import__("sys").excepthook = __gantry_traceback
    __gantry_call(${JSON.stringify(name)}, ${allowsWholeData ? 'True' : 'False'})
`;
