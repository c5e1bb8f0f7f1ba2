/** @import { CommandReference, Reference } from '../src/cli/reference.ts' */

/** @typedef {{ description?: string, enum?: string[], anyOf?: Schema[], default?: unknown, properties?: Record<string, Schema> }} Schema */

/**
 * The pages about commands, one for each, and those of flags, exit codes and the config file, made from the program's own
 * reference and from its schema of the file.
 * @param {Reference} reference
 * @param {Schema} schema
 * @returns {{ name: string, title: string, text: string }[]}
 */
export function referencePages({ commands, groups, flags, exitCodes }, schema) {
  const list = commands.map(({ command, summary }) => [`[gantry ${command}](${nameOf(command)}.md)`, escaped(summary)]);
  return [
    {
      name: 'index',
      title: 'All commands',
      text: `# All commands\n${table(['command', ''], list)}`,
    },
    ...commands.map((command) => ({
      name: nameOf(command.command),
      title: `gantry ${command.command}`,
      text: commandPage(command, groups),
    })),
    {
      name: 'cerebrium-toml',
      title: 'cerebrium.toml',
      text: `# cerebrium.toml\n\n${configSections('cerebrium', schema.properties?.cerebrium ?? {}).join('\n')}`,
    },
    {
      name: 'global-flags',
      title: 'Flags of every command',
      text: `# Flags of every command\n${table(['flag', ''], flagRows(flags))}`,
    },
    {
      name: 'exit-codes',
      title: 'Exit codes',
      text: `# Exit codes\n${table(['code', 'name', 'when'], exitCodeRows(exitCodes))}`,
    },
  ];
}

/** @param {string} command */
const nameOf = (command) => command.replaceAll(' ', '-');

/**
 * @param {CommandReference} reference
 * @param {Reference['groups']} groups
 */
function commandPage(reference, groups) {
  const { command, summary, details, usage, arguments: inputs, flags, json, examples, exitCodes, effect } = reference;
  const noun = command.split(' ')[0] ?? '';
  const group = noun === command ? undefined : groups[noun];
  const titles = [...new Set(flags.map(({ group }) => group))];
  return [
    `# gantry ${command}\n`,
    escaped(sentence(summary)),
    ...(group ? [`\nOne of the commands of \`gantry ${noun}\`: ${escaped(group)}.`] : []),
    ...details.map((text) => `\n${escaped(text)}`),
    block([usage]),
    ...(examples.length > 0 ? ['## Examples', block(examples.map((line) => `gantry ${line}`))] : []),
    section(
      'Arguments',
      ['argument', ''],
      inputs.map(({ name, description, choices }) => [`\`${name}\``, escaped(offering(description, choices))]),
    ),
    ...titles.map((title) =>
      section(
        title ? `Flags: ${title}` : 'Flags',
        ['flag', ''],
        flagRows(flags.filter(({ group }) => group === title)),
      ),
    ),
    'The [flags of every command](global-flags.md) work here, too.\n',
    section(
      'JSON fields',
      ['field', 'type', ''],
      Object.entries(json).map(([name, { type, description }]) => [`\`${name}\``, type, escaped(description)]),
    ),
    section('Exit codes', ['code', 'name', 'when'], exitCodeRows(exitCodes)),
    `${effects[effect]}\n`,
  ].join('\n');
}

const effects = {
  reads: 'This command only reads.',
  changes: 'This command changes what exists.',
  destroys: 'This command can destroy what exists.',
};

/**
 * The keys of a section, and the sections inside of it.
 * @param {string} name
 * @param {Schema} section
 * @returns {string[]}
 */
function configSections(name, { description = '', properties = {} }) {
  const all = Object.entries(properties);
  const keys = all.filter(([, { properties }]) => properties === undefined);
  const rows = keys.map(([key, { description = '', enum: words, anyOf, default: value }]) => {
    const choices = words ?? anyOf?.find((one) => one.enum)?.enum;
    const meaning = choices ? `${description} One of ${choices.join(', ')}.` : description;
    return [`\`${key}\``, escaped(meaning), value === undefined || value === '' ? '' : `\`${JSON.stringify(value)}\``];
  });
  const inside = all.filter(([, { properties }]) => properties !== undefined);
  return [
    rows.length > 0 || inside.length === 0
      ? `## \\[${name}\\]\n\n${escaped(description)}\n${rows.length > 0 ? table(['key', '', 'default'], rows) : ''}`
      : '',
    ...inside.flatMap(([key, section]) => configSections(`${name}.${key}`, section)),
  ];
}

/** @param {Reference['flags']} flags */
function flagRows(flags) {
  return flags.map(({ flags: spelled, description, choices, default: value }) => {
    const usual = ['string', 'number'].includes(typeof value) ? ` (default: ${value})` : '';
    return [`\`${spelled}\``, escaped(`${offering(description, choices)}${usual}`)];
  });
}

/** @param {Reference['exitCodes']} exitCodes */
function exitCodeRows(exitCodes) {
  return exitCodes.map(({ code, name, when }) => [String(code), `\`${name}\``, escaped(when)]);
}

/**
 * @param {string} title
 * @param {string[]} titles
 * @param {string[][]} rows
 */
function section(title, titles, rows) {
  return rows.length > 0 ? `## ${title}\n${table(titles, rows)}` : '';
}

/**
 * @param {string[]} titles
 * @param {string[][]} rows
 */
function table(titles, rows) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.map((cell) => cell.replace(/\|/g, '\\|')).join(' | ')} |`;
  return `\n${[line(titles), `|${'---|'.repeat(titles.length)}`, ...rows.map(line)].join('\n')}\n`;
}

/** @param {string[]} lines */
function block(lines) {
  return `\n\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`;
}

/**
 * @param {string | undefined} description
 * @param {string[] | undefined} choices
 */
function offering(description = '', choices) {
  return choices ? `${description}: ${choices.join(', ')}` : description;
}

/** @param {string} text */
function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/**
 * Text that Markdown, and the templates that the site is made of, would read as something else.
 * @param {string} text
 */
function escaped(text) {
  return text.replace(/[<>{}*_[\]\\`~]/g, (character) => `&#${character.charCodeAt(0)};`);
}
