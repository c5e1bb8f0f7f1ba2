import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * A block of code of a document, and what the comments right before it say:
 *
 *     <!-- not run: needs Windows -->         counted, with its reason
 *     <!-- needs pytest -->                   not run where this program is not on the PATH
 *     <!-- given: gantry init web; cd web --> what the reader has by now, as commands that run first
 *     <!-- with a running emulator -->        the document is followed on one
 *     <!-- with a model hub -->              the same, with the models of test/docs/hub.js
 *     <!-- file: conftest.py -->              the block is the content of this file
 *     <!-- in another terminal -->            runs until the document ends
 *     <!-- exits with 12 -->                  what its last failing command exits with
 *     <!-- again exits with 7 -->             the same, when the document is followed a second time
 *     <!-- time passes 60 times faster -->    for gantry, not for the platform; without it, 4 times
 */
export interface Block {
  /** `README.md:31`. */
  place: string;
  language: string;
  text: string;
  notRun: string | undefined;
  given: string | undefined;
  file: string | undefined;
  elsewhere: boolean;
  onEmulator: boolean;
  withHub: boolean;
  exits: number;
  againExits: number;
  faster: number;
}

/** README.md, and all of docs/ and docs/internals/. */
export const documents: readonly string[] = [
  'README.md',
  ...['docs', 'docs/internals'].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

export function blocksOf(document: string): Block[] {
  const text = readFileSync(document, 'utf8');
  return [...text.matchAll(fence)].map(({ index, 1: comments = '', 2: language = '', 3: content = '' }) => {
    const said = [...comments.matchAll(/<!-- (.*?) -->/gs)].map(([, one = '']) => one);
    const unknown = said.filter((one) => !directives.some((known) => known.test(one)));
    const place = `${document}:${text.slice(0, index + comments.length).split('\n').length}`;
    if (unknown.length > 0) throw new Error(`${place}: what does this comment mean? ${unknown.join('; ')}`);
    const saidAs = (directive: RegExp) =>
      said.map((one) => directive.exec(one)?.[1]).find((value) => value !== undefined);
    const exits = Number(saidAs(exitsWith) ?? 0);
    return {
      place,
      language,
      text: content,
      notRun: saidAs(notRun) ?? missing(saidAs(needs)),
      given: saidAs(given),
      file: saidAs(file),
      elsewhere: said.some((one) => elsewhere.test(one)),
      onEmulator: said.some((one) => onEmulator.test(one)),
      withHub: said.some((one) => withHub.test(one)),
      exits,
      againExits: Number(saidAs(againExits) ?? exits),
      faster: Number(saidAs(faster) ?? usually),
    };
  });
}

function missing(program: string | undefined): string | undefined {
  if (program === undefined || spawnSync(program, ['--version']).status === 0) return undefined;
  return `${program} is not on this machine`;
}

/** The comments before it, its language and its text. */
const fence = /((?:^<!--(?:(?!-->)[\s\S])*-->\n+)*)^```(\w*)\n([\s\S]*?)^```$/gm;

const notRun = /^not run: (.+)$/s;
const needs = /^needs (\w+)$/;
const given = /^given: (.+)$/s;
const file = /^file: (.+)$/;
const elsewhere = /^in another terminal$/;
const onEmulator = /^with a running emulator$/;
const withHub = /^with a model hub$/;
const exitsWith = /^exits with (\d+)$/;
const againExits = /^again exits with (\d+)$/;
const usually = 4;
const faster = /^time passes (\d+) times faster$/;
const directives = [notRun, needs, given, file, elsewhere, onEmulator, withHub, exitsWith, againExits, faster];
