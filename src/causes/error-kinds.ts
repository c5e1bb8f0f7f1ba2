import { rowsOf } from './rule.ts';

export interface ErrorKind {
  /** What is wrong: the code, what a class or a module has, a call, what something was given, or the state that it met. */
  of: 'code' | 'class' | 'call' | 'given' | 'state';
  /** What helps, beside the place; none if the message says it. */
  hint?: string | undefined;
}

/** What the message or the name of an error shows, of any language: the first row that matches. */
const rows = rowsOf`
'(?:coroutine|async_generator)' | code | await the call that made it; an async generator is read with async for
^SystemExit | state | return, or raise an error that says why
^\w+: .*NoneType | state | a value there is None: look where it comes from, and test it before it is used
[Nn]ull(?:Pointer|Reference)Exception|nil pointer|nil map|for nil\b|on null\b|on a \`None\` value|\(reading '|of (?:undefined|null)\b | code | a value there is not set: look where it comes from, and test it before it is used
^TypeError: .*\bstr\b | code | if a call passes it, name=1 is text, and name:=1 a number
^(?:Name|UnboundLocal|Reference)Error | class | give the name a value before that line, or import it
^IndexError|index out of (?:range|bounds)|IndexOutOfBounds | code | look whether there is an element before it is taken
^KeyError | code | look whether the key is there, or take .get()
^AttributeError|NoMethodError|[Uu]ndefined method|is not a function | class | define what is missing; if the class is of a package, pin that to the version that has it
^TypeError|ClassCastException|InvalidCastException | call | give it a value of the type that it takes
ZeroDivision|divi(?:de|sion) by zero | code | test the divisor first
RecursionError|StackOverflowError|SystemStackError|Maximum call stack|stack overflow | code | a function calls itself without an end: give it one
all goroutines are asleep | code | each goroutine waits for another: close the channel, or send to it
\`Err\` value | state | what it calls has failed: the error is in the message, so handle it there
^Assert|\bassertion | given | a check does not hold: print the values that it compares
NotImplemented | state | it is not there for these values: take another option or version, or define it in the subclass
[Pp]ickl | state | leave out what cannot be saved, and define classes and functions at the top of a module
Unicode(?:De|En)code | state | name the encoding of the text: open(path, encoding="utf-8")
JSONDecode|in JSON\b|valid JSON|JsonParse | state | print what is read there: an empty reply or the page of an error is no JSON
CUDA error|device-side assert | state | CUDA_LAUNCH_BLOCKING=1 shows the call that failed: look there whether indices and labels are in their range
Programming|Integrity|DataError|CompileError|Undefined(?:Function|Column|Table)|SQL | state | compare the types and names of the statement with the tables of the database
Connect|Time-?[Oo]ut|Protocol|Network|\bclosed\b|disconnect | state | what it talks to does not answer, or ended the connection: look at that, and try again in the code
Key|Permission|FileNotFound|Memory|SSL|\[Errno|NCCL|internal\b | state |
`.map((row) => row.split(' | '));

/** The kind of an error, by its name and its message. */
export function kindOf(error: string): ErrorKind {
  const [, of = 'given', hint] = rows.find(([sign = '']) => new RegExp(sign).test(error)) ?? [];
  return { of: of as ErrorKind['of'], hint };
}
