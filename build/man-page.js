/** @import { Reference } from '../src/cli/reference.ts' */

/**
 * The manual page gantry(1), in the format of man(7).
 * @param {Reference} reference
 * @param {{ variable: string, meaning: string }[]} environment
 */
export function manPage({ version, flags, commands, exitCodes }, environment) {
  return [
    `.TH GANTRY 1 "" "gantry ${escaped(version)}" "User Commands"`,
    '.SH NAME',
    'gantry \\- deploy, run and manage apps on the hosting platform',
    '.SH SYNOPSIS',
    '.B gantry\n.I command\n[\\fIarguments\\fR] [\\fIflags\\fR]',
    '.SH DESCRIPTION',
    paragraph('Results are printed to stdout, everything else to stderr.'),
    '.SH FLAGS OF EVERY COMMAND',
    ...flags.map(({ flags: spelled, description }) => tagged(spelled, description)),
    '.SH COMMANDS',
    ...commands.flatMap(command),
    '.SH EXIT STATUS',
    ...exitCodes.map(({ code, name, when }) => tagged(`${code} ${name}`, when)),
    '.SH ENVIRONMENT',
    ...environment.map(({ variable, meaning }) => tagged(variable, meaning)),
    '.SH SEE ALSO',
    paragraph('gantry COMMAND --help shows the help of one command, gantry help --json describes all as data.'),
    '',
  ].join('\n');
}

/** @param {Reference['commands'][number]} command */
function command({ usage, summary, details, arguments: named, flags, examples }) {
  return [
    `.SS "${escaped(usage)}"`,
    paragraph(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`),
    ...(details ?? []).map((text) => `.PP\n${paragraph(text)}`),
    ...named.map(({ name, description }) => tagged(name, description ?? '', 'I')),
    ...flags.flatMap(({ flags: spelled, description, group }, at) => [
      ...(group && group !== flags[at - 1]?.group ? [`.PP\n${paragraph(`Flags: ${group}`)}`] : []),
      tagged(spelled, description),
    ]),
    ...(examples.length > 0 ? ['.PP\nExamples:\n.PP\n.nf\n.RS'] : []),
    ...examples.map((line) => paragraph(`$ gantry ${line}`)),
    ...(examples.length > 0 ? ['.RE\n.fi'] : []),
  ];
}

/**
 * @param {string} tag
 * @param {string} text
 * @param {'B' | 'I'} font
 */
function tagged(tag, text, font = 'B') {
  return `.TP\n.${font} "${escaped(tag)}"\n${paragraph(text)}`;
}

/** @param {string} text */
function paragraph(text) {
  return escaped(text).replace(/^(?=[.'])/, '\\&');
}

/** @param {string} text */
function escaped(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll('…', '...')
    .replaceAll('→', '\\->')
    .replace(/\s+/g, ' ');
}
