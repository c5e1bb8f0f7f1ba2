/** Tracebacks as Python prints them: some hosts drop the indentation, and Streamlit writes the exception above. */
export function asPythonPrints<T extends Line>(lines: readonly T[]): T[] {
  return exceptionBelow(indented(lines));
}

interface Line {
  text: string;
}

const frame = /^File "[^"]{1,300}", line \d{1,7}/;
const exception = /^(?:\w{1,60}\.){0,8}[A-Z]\w{1,80}(?:: |$)/;
/** Code of one call may take as many lines. */
const maxCodeLines = 12;

/** Frames, with the code below them, where nothing is indented. */
function indented<T extends Line>(lines: readonly T[]): T[] {
  const found = lines.map((line) => ({ ...line }));
  for (const [at, line] of found.entries()) {
    if (!frame.test(line.text)) continue;
    line.text = `  ${line.text}`;
    for (const code of codeBelow(found.slice(at + 1, at + 1 + maxCodeLines))) code.text = `    ${code.text}`;
  }
  return found;
}

/** What is between two frames is code. Below the last one, a line is, and what marks a part of it. */
function codeBelow<T extends Line>(below: readonly T[]): readonly T[] {
  const isOver = ({ text }: T) => exception.test(text) || /^(?:\s|$)/.test(text);
  const until = below.findIndex((line) => frame.test(line.text) || isOver(line));
  const isBetween = frame.test(below[until]?.text ?? '');
  const end = isBetween ? until : below.findIndex((line, at) => isOver(line) || (at > 0 && !/^[~^]+$/.test(line.text)));
  return end < 0 ? below : below.slice(0, end);
}

/** `NameError: …`, `Traceback:` and the frames, in the order of Python. */
function exceptionBelow<T extends Line>(lines: readonly T[]): T[] {
  const start = lines.findLastIndex(
    ({ text }, at) => text === 'Traceback:' && exception.test(lines[at - 1]?.text ?? ''),
  );
  const [error, header] = lines.slice(start - 1, start + 1);
  if (start < 1 || !error || !header) return [...lines];
  const length = lines.slice(start + 1).findIndex(({ text }) => !text.startsWith(' '));
  const end = length < 0 ? lines.length : start + 1 + length;
  const title = { ...header, text: 'Traceback (most recent call last):' };
  return [...lines.slice(0, start - 1), title, ...lines.slice(start + 1, end), error, ...lines.slice(end)];
}
