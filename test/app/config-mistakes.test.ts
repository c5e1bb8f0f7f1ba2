import { describe, expect, test } from 'vitest';
import { check, lines } from './config-folder.ts';

const head = '[cerebrium.deployment]\nname = "app"\n';
const main = { 'main.py': '' };
const custom = '[cerebrium.runtime.custom]\nport = 8080\n';
const nothingToStart = 'the custom runtime has nothing to start';

/** Mistakes in config files of real users. Each is reported once, with fixes that do not contradict each other. */
describe('one mistake is one problem', () => {
  test.each<[mistake: string, toml: string, files: Record<string, string>, problems: string[]]>([
    [
      'sections without the first name',
      '[deployment]\nname = "bot"\n[cerebrium.runtime.custom]\nentrypoint = "python bot.py"\nport = 8080\n',
      { 'bot.py': '' },
      ['error 1:1 [deployment] is ignored: did you mean [cerebrium.deployment]? -> [cerebrium.deployment]'],
    ],
    [
      'a GPU by its old key',
      `${head}[cerebrium.hardware]\ngpu = "T4"\ngpu_count = 1\n`,
      main,
      ['warning 4:1 gpu is ignored -> compute = "TURING_T4"'],
    ],
    [
      'a GPU by its old key, of which there are two',
      `${head}[cerebrium.hardware]\ngpu = "A100"\ngpu_count = 2\n`,
      main,
      ['error 4:1 gpu is ignored -> compute = "AMPERE_A100_40GB" or compute = "AMPERE_A100_80GB"'],
    ],
    [
      'a GPU that is gone, by its old key',
      `${head}[cerebrium.hardware]\ngpu = "AMPERE_A6000"\n`,
      main,
      ['warning 4:1 gpu is ignored -> compute = "ADA_L40"'],
    ],
    [
      'a Dockerfile in the section of old clients',
      `${head}${custom}[cerebrium.build]\ndockerfile_path = "./Dockerfile"\n`,
      { Dockerfile: '' },
      ['error 5:1 unknown section [cerebrium.build] is ignored -> move its keys to [cerebrium.runtime.custom]'],
    ],
    [
      'the command in a section of its own',
      `${head}[cerebrium.entrypoint]\ncommand = ["python", "main.py"]\nport = 80\n`,
      main,
      ['warning 3:1 unknown section [cerebrium.entrypoint] is ignored -> [cerebrium.runtime.custom]'],
    ],
    [
      'the command in a section beside the right one',
      `${head}${custom}entrypoint = ["python", "main.py"]\n[cerebrium.entrypoint]\ncmd = "python main.py"\n`,
      main,
      ['warning 6:1 unknown section [cerebrium.entrypoint] is ignored'],
    ],
    [
      'a file as the command in a runtime that does not exist',
      `${head}[cerebrium.runtime.python]\nentrypoint = "main.py"\n`,
      main,
      ['warning 3:1 unknown section [cerebrium.runtime.python] is ignored -> remove it'],
    ],
    [
      'environment variables as a list',
      `${head}env = ["API_KEY=secretvalue", "B=2", 3]\n`,
      main,
      [
        'warning 3:1 env is ignored: environment variables are set as secrets -> set each as a secret: gantry secrets set API_KEY, gantry secrets set B',
      ],
    ],
    [
      'a section as a text, without a main.py',
      `${head}[cerebrium.runtime]\ncustom = "x"\n`,
      {},
      ['error 4:10 runtime.custom must be a section, got a string -> [cerebrium.runtime.custom]'],
    ],
    [
      'no mistake: the Dockerfile installs the file that paths names',
      `${head}[cerebrium.dependencies.paths]\npip = "requirements/prod.txt"\n${custom}dockerfile_path = "Dockerfile"\n`,
      { Dockerfile: 'FROM x\nCOPY . .\nRUN pip install -r requirements/prod.txt\n', 'requirements/prod.txt': 'a\n' },
      [],
    ],
    [
      'no mistake: the same with the usual name',
      `${head}[cerebrium.dependencies.paths]\npip = "requirements.txt"\n${custom}dockerfile_path = "Dockerfile"\n`,
      { Dockerfile: 'FROM x\nCOPY requirements.txt .\n', 'requirements.txt': 'a\n' },
      [],
    ],
    [
      'no mistake: the Dockerfile mounts it',
      `${head}[cerebrium.dependencies.paths]\npip = "needs.txt"\n${custom}dockerfile_path = "Dockerfile"\n`,
      { Dockerfile: 'FROM x\nRUN --mount=source=needs.txt,target=/n pip install -r /n\n', 'needs.txt': 'a\n' },
      [],
    ],
    [
      'paths names a file that the Dockerfile does not install',
      `${head}[cerebrium.dependencies.paths]\npip = "requirements/prod.txt"\n${custom}dockerfile_path = "Dockerfile"\n`,
      { Dockerfile: 'FROM x\nCOPY . .\n', 'requirements/prod.txt': 'a\n' },
      ['warning 4:1 [cerebrium.dependencies.paths] is ignored'],
    ],
    [
      'a Dockerfile that no setting names',
      `${head}${custom}`,
      { ...main, Dockerfile: '' },
      [`error 3:1 ${nothingToStart} -> dockerfile_path = "./Dockerfile"`],
    ],
    [
      'a Dockerfile as the only program',
      `${head}include = ["Dockerfile", "start.sh"]\n`,
      { Dockerfile: '', 'start.sh': '' },
      ['error main.py not found -> [cerebrium.runtime.custom]\ndockerfile_path = "./Dockerfile"'],
    ],
    [
      'a program of nearly that name',
      `${head}include = ["Main.py"]\n`,
      { 'Main.py': '' },
      ['error main.py not found -> rename Main.py to main.py'],
    ],
    ['the project', `[cerebrium]\nproject = "p-1"\n${head}`, main, ['warning 2:1 project is ignored']],
  ])('%s', async (_, toml, files, expected) => {
    const { problems } = await check(toml, files);
    expect(lines(problems)).toEqual(expected);
  });

  test.each([
    ['[deployment]\nname = "app"\ndisable_auth = false\n[cerebrium.hardware]\ncpu = 2\n'],
    [`${head}[cerebrium.runtime.custom]\nentrypoint = ["python", "main.py"]\ndisable_auth = false\n`],
    [`${head}enable_auth = true\n`],
  ])('an app is not called public if its file says otherwise in the wrong place: %j', async (toml) => {
    const { problems } = await check(toml);
    expect(problems.map(({ message }) => message).filter((message) => message.includes('public'))).toEqual([]);
    expect(problems).toHaveLength(1);
  });
});
