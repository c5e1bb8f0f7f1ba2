import { describe, expect, test } from 'vitest';
import {
  type CommandInputs,
  type CompletionTree,
  findCandidates,
  joinFlagValues,
} from '../../../src/cli/completion/candidates.ts';

const commands: (CompletionTree['commands'][number] & CommandInputs)[] = [
  { command: 'deploy', summary: 'deploy it', arguments: [], flags: [], json: {} },
  {
    command: 'builds files',
    summary: 'list files',
    arguments: [input('app'), input('build')],
    flags: [{ flags: '--tree', description: 'as a tree', type: 'boolean', valueRequired: false }],
    json: { id: field('build id'), zipFiles: field('the files') },
  },
  { command: 'builds list', summary: 'list builds', arguments: [input('app')], flags: [], json: {} },
  {
    command: 'plan set',
    summary: 'set',
    arguments: [{ ...input('plan'), choices: ['a', 'b'] }],
    flags: [],
    json: {},
  },
  { command: 'cp', summary: 'copy', arguments: [{ ...input('path'), variadic: true }], flags: [], json: {} },
];

const typable: CompletionTree = {
  flags: [
    { flags: '-q, --quiet', description: 'results only', valueRequired: false },
    { flags: '-p, --project <id>', description: 'project', valueRequired: true },
    { flags: '--color <when>', description: 'colour', valueRequired: true, choices: ['always', 'never'] },
    { flags: '-C, --cwd <dir>', description: 'folder', valueRequired: true },
    { flags: '--json[=fields]', description: 'JSON', valueRequired: false },
  ],
  commands,
  groups: { builds: 'see builds', plan: 'the plan' },
  inputsOf: (name) => commands.find(({ command }) => command === name) ?? { arguments: [], flags: [], json: {} },
};

function field(description: string) {
  return { type: 'string', description };
}

function input(name: string) {
  return { name, description: '', required: true, variadic: false };
}

/** `builds fi|` is what stands before the cursor. */
function at(line: string) {
  return findCandidates(typable, joinFlagValues(line.split(' ')));
}

describe('words', () => {
  test.each([
    ['', ['deploy', 'builds', 'plan', 'cp']],
    ['bui', ['deploy', 'builds', 'plan', 'cp']],
    ['builds ', ['files', 'list']],
    ['-q builds ', ['files', 'list']],
    ['--project p-1 builds ', ['files', 'list']],
    ['plan set ', ['a', 'b']],
    ['--color ', ['always', 'never']],
    ['--color=', ['always', 'never']],
    ['--color = al', ['always', 'never']],
    ['deploy ', []],
    ['nonsense ', []],
    ['builds files web --json=', ['id', 'zipFiles']],
    ['builds files web --json=id,', ['id,zipFiles']],
    ['deploy -', ['--quiet', '--project', '--color', '--cwd', '--json']],
    ['builds files --', ['--quiet', '--project', '--color', '--cwd', '--json', '--tree']],
  ])('after "gantry %s"', (line, words) => {
    expect(at(line)).toEqual({ words: words.map((word) => [word, expect.any(String)]) });
  });

  test('have the summary of a group or a command', () => {
    expect(at('')).toMatchObject({ words: [['deploy', 'deploy it'], ['builds', 'see builds'], {}, {}] });
  });
});

describe('values', () => {
  test.each([
    ['builds files ', { value: 'app', typed: [] }],
    ['builds files web ', { value: 'build', typed: ['web'] }],
    ['builds --cwd x files -q web b', { value: 'build', typed: ['web'] }],
    ['-p ', { value: 'id' }],
    ['--cwd=a', { value: 'dir' }],
    ['cp a b ', { value: 'path', typed: ['a', 'b'] }],
    ['deploy -- x', { value: 'file' }],
  ])('after "gantry %s"', (line, found) => {
    expect(at(line)).toMatchObject(found);
  });
});
