/** A syntax error as the parser tells it. */
interface SyntaxFault {
  /** The parser's words. */
  message: string;
  /** The line it is on, without its end. */
  text: string;
  /** Where the parser stood: an offset in the line, in UTF-16 units. */
  from: number;
  /** Whether a text is TOML: a fix is offered only if it is. */
  canParse(text: string): boolean;
}

/** A syntax error as a person would tell it. Offsets are in the line. */
export interface SyntaxProblem {
  from: number;
  to: number;
  message: string;
  why?: string | undefined;
  /** The whole line as it was probably meant. */
  fix?: string | undefined;
}

/** In characters. */
const longestLine = 2000;

type Explainer = (fault: SyntaxFault) => Partial<SyntaxProblem> | undefined;

/** Says in plain words what is wrong with a line, where exactly, and how the line would be right. */
export function explainSyntaxError(fault: SyntaxFault): SyntaxProblem {
  const general = { from: fault.from, to: fault.text.trimEnd().length, message: `this is not TOML: ${fault.message}` };
  // Nobody writes such a line by hand, and looking for what was meant takes time.
  if (fault.text.length > longestLine) return general;
  for (const tell of explainers) {
    const { fix, ...told } = tell(fault) ?? {};
    if (told.message) return { ...general, ...told, fix: fix !== undefined && stands(fix, fault) ? fix : undefined };
  }
  return general;
}

/** Whether a line is TOML, on its own or as part of a list. */
function stands(line: string, { canParse }: SyntaxFault): boolean {
  return canParse(line) || canParse(`x = [\n${line}\n]`);
}

const unclosedText: Explainer = ({ message, text, from }) => {
  const quotes = /^("""|''')/.exec(text.slice(from))?.[0];
  if (message !== 'unfinished string' || quotes === undefined) return undefined;
  return { message: 'this string is never closed', why: `text of several lines ends with ${quotes}` };
};

const unclosedString: Explainer = (fault) => {
  const { message, text, from } = fault;
  const ranOut = message === 'unfinished string' || (message.includes('in strings') && from >= text.trimEnd().length);
  const opening = ranOut ? openQuote(text) : undefined;
  if (opening === undefined) return undefined;
  const quote = text[opening] ?? '"';
  // Before a comment, before closing brackets, or at the end of the line: the first that makes a line of TOML.
  const ends = [/\s+#/, /\s*[\]},]+\s*$/, /\s*$/].map((end) => opening + text.slice(opening).search(end));
  const candidates = ends
    .filter((end) => end > opening)
    .map((end) => `${text.slice(0, end)}${quote}${text.slice(end)}`);
  return {
    from: opening,
    message: 'this string is not closed',
    why: `a string ends with ${quote} on the line it began on`,
    fix: candidates.map((line) => line.trim()).find((line) => stands(line, fault)),
  };
};

/** Where a string begins that does not end on its line. */
function openQuote(text: string): number | undefined {
  const tokens = /"(?:\\.|[^"\\])*"|'[^']*'|#.*$|["']/g;
  return [...text.matchAll(tokens)].find(([token]) => token === '"' || token === "'")?.index;
}

const curlyQuotes: Explainer = ({ text, from }) => {
  if (!/[“”„‘’«»]/.test(text.slice(from).replace(/#.*$/, ''))) return undefined;
  const fix = text
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’]/g, "'")
    .trim();
  return { message: 'curly quotes are not quotes in TOML', fix };
};

const setTwice: Explainer = ({ message, text, from }) => {
  if (!message.includes('redefine')) return undefined;
  const isSection = text.trimStart().startsWith('[');
  const name = (/^[^\]=]*/.exec(text.slice(from))?.[0] ?? '').trim();
  return {
    to: from + name.length,
    message: `${isSection ? `[${name}]` : name} is here a second time`,
    why: isSection ? 'a section stands in a file once' : 'a key stands in its section once',
  };
};

const strayComma: Explainer = ({ text, canParse }) => {
  const fix = text.replace(/,\s*(#.*)?$/, '').trim();
  if (fix === text.trim() || !canParse(fix) || !fix.includes('=')) return undefined;
  const from = text.lastIndexOf(',');
  return { from, to: from + 1, message: 'there is no comma after a value', fix };
};

const openHeader: Explainer = ({ message, text }) => {
  const line = text.trim();
  if (!/\bkey\b|table array/.test(message) || message.includes('end-of-line') || !line.startsWith('['))
    return undefined;
  const name = line.replace(/^\[+|\]*\s*(#.*)?$/g, '');
  return { from: text.indexOf('['), message: 'this is not the name of a section in brackets', fix: `[${name}]` };
};

const oddKey: Explainer = ({ message, text, from }) => {
  if (!/\bkey\b/.test(message) || message.includes('end-of-line')) return undefined;
  const line = text.trim();
  const indent = text.search(/\S|$/);
  const withColon = line.replace(/^([\w.-]+|"[^"]*")\s*:\s*/, '$1 = ');
  if (withColon !== line) return { to: from + 1, message: 'a key is followed by =, not by a colon', fix: withColon };
  if (!line.includes('=')) return { from: indent, message: 'this line has no =', why: 'a line is key = value' };
  return {
    from: indent,
    to: text.indexOf('='),
    message: 'this is not a key',
    why: 'a key is made of letters, digits, _ and -; any other is in quotes',
    fix: line.replace(/^([^"'=]*[^"'=\s])\s*=/, '"$1" ='),
  };
};

const oddEscape: Explainer = ({ message, text }) => {
  if (!message.includes('escape')) return undefined;
  return {
    from: text.indexOf('\\'),
    message: 'this backslash is not an escape',
    why: 'in double quotes a backslash begins an escape such as \\n; in single quotes it is only a backslash',
    fix: text.replace(/"([^"']*\\[^"']*)"/g, "'$1'").trim(),
  };
};

const tooMuch: Explainer = ({ message }) =>
  message.includes('end-of-line') ? { message: 'there is more on this line than one key and its value' } : undefined;

const oddValue: Explainer = ({ text, from }) => {
  const [, before, key, value] = /^(\s*([\w.-]+|"[^"]*"|'[^']*')\s*=\s*)([^#]*?)\s*(?:#.*)?$/.exec(text) ?? [];
  if (before === undefined || key === undefined || value === undefined) return undefined;
  if (from < before.trimEnd().length || /[[\]{}"']/.test(value)) return undefined;
  if (value === '') return { from: text.indexOf('='), message: `${key} has no value` };
  const lower = value.toLowerCase();
  const isBoolean = lower === 'true' || lower === 'false';
  return {
    from: before.length,
    to: before.length + value.length,
    message: isBoolean ? `${value} is written ${lower}` : `${value} is not a value: text wants quotes`,
    fix: `${key} = ${isBoolean ? lower : JSON.stringify(value)}`,
  };
};

const openList: Explainer = ({ message, text, from }) => {
  if (!message.includes('end of structure')) return undefined;
  const end = text.trimEnd().length;
  if (from < end) return { message: 'a comma or a closing bracket is missing before this' };
  return { from: Math.max(0, end - 1), message: 'this list or table is not closed' };
};

/** In the order asked: the first that recognises the error tells it. */
const explainers = [
  ...[unclosedText, unclosedString, curlyQuotes, setTwice, strayComma],
  ...[openHeader, oddKey, oddEscape, tooMuch, oddValue, openList],
];
