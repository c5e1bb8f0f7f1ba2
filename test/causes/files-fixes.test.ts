import { expect, test } from 'vitest';
import { custom, docker, type Files, pip, problemsOf, settings } from './looked.ts';

/** A mistake, all that is said of it, and the fix of the first. */
type Case = [what: string, files: Files, said: string[], fix?: string];

const run = '\n\ndef run():\n    return 1\n';
const web = 'from flask import Flask\n\napp = Flask(__name__)\n';
const base = 'FROM python:3.11-slim\nWORKDIR /srv\n';
const serve = 'CMD ["gunicorn", "web:app", "-b", "0.0.0.0:8000"]\n';
const needs = 'flask\ngunicorn\n';

const image = (dockerfile: string, files: Files = {}): Files => ({
  'cerebrium.toml': docker,
  Dockerfile: dockerfile,
  'web.py': web,
  ...files,
});
const functions = (code: string, files: Files = {}, rest = ''): Files => ({
  'cerebrium.toml': settings(rest),
  'main.py': code + run,
  ...files,
});
const installed = `${base}RUN pip install flask gunicorn\nCOPY . .\n${serve}`;
const packages = { 'requirements.txt': needs };

const cases: Case[] = [
  [
    'a COPY without a target',
    image(`${base}COPY requirements.txt\nRUN pip install -r requirements.txt\nCOPY . .\n${serve}`, packages),
    ['error the Dockerfile is not valid: COPY has no target'],
    'COPY requirements.txt .',
  ],
  [
    'an ADD without a target',
    image(`${base}RUN pip install flask gunicorn\nADD web.py\n${serve}`),
    ['error the Dockerfile is not valid: ADD has no target'],
    'ADD web.py .',
  ],
  [
    'a misspelled FROM',
    image(installed.replace('FROM', 'FORM')),
    ['error the Dockerfile is not valid: FORM is not an instruction'],
    'write FROM',
  ],
  [
    'a misspelled RUN',
    image(installed.replace('RUN', 'RUNN')),
    ['error the Dockerfile is not valid: RUNN is not an instruction'],
    'write RUN',
  ],
  [
    'no image',
    image(installed.replace(/^FROM.*\n/, '')),
    ['error the Dockerfile is not valid: it names no image to build from'],
    'begin it with FROM and an image, such as FROM python:3.11-slim',
  ],
  [
    'a list of packages that no line copies',
    image(`${base}COPY *.py ./\nRUN pip install -r requirements.txt\n${serve}`, packages),
    ['error pip install -r requirements.txt needs requirements.txt, which is not in the image at that line'],
    'write COPY requirements.txt ./ above this line',
  ],
  [
    'a list of packages that .dockerignore leaves out, and COPY names',
    image(`${base}COPY requirements.txt .\nRUN pip install -r requirements.txt\nCOPY . .\n${serve}`, {
      ...packages,
      '.dockerignore': '*.txt\n',
    }),
    ['error the Dockerfile copies requirements.txt, which is not sent'],
    'remove that line, or add !requirements.txt below it',
  ],
  [
    'a list of packages that .dockerignore leaves out',
    image(`${base}COPY . .\nRUN pip install -r requirements.txt\n${serve}`, {
      ...packages,
      '.dockerignore': '*.txt\n',
    }),
    ['error requirements.txt is in the app folder, but is not sent: .dockerignore:1 *.txt leaves it out'],
    'remove that line, or add !requirements.txt below it',
  ],
  [
    'a script of the build that exclude leaves out',
    {
      ...image(installed.replace('COPY . .', 'COPY . .\nRUN sh setup.sh'), { 'setup.sh': 'echo\n' }),
      'cerebrium.toml': docker.replace('[cerebrium.runtime', 'exclude = ["*.sh"]\n[cerebrium.runtime'),
    },
    ['error setup.sh is in the app folder, but is not sent: exclude pattern "*.sh" matches setup.sh'],
    'remove "*.sh" from exclude, or change it to match fewer files',
  ],
  [
    'a script of the start that .dockerignore leaves out',
    image(installed.replace(/CMD.*/, 'CMD ["sh", "start.sh"]'), {
      'start.sh': 'exec true\n',
      '.dockerignore': '*.sh\n',
    }),
    ['error start.sh is in the app folder, but is not sent: .dockerignore:1 *.sh leaves it out'],
    'remove that line, or add !start.sh below it',
  ],
  [
    'a misspelled source of COPY',
    image(installed.replace('COPY . .', 'COPY wep.py .'), {}),
    ['error Dockerfile copies wep.py, which is not in the app folder'],
    'write web.py instead of wep.py',
  ],
  ...[
    ['', 'warning the command uses a GPU, and compute is CPU', 'compute = "AMPERE_A10"'],
    [
      '[cerebrium.hardware]\ncompute = "AMPERE_A10"\n',
      'warning the command takes 2 GPUs, and gpu_count is 1',
      'gpu_count = 2',
    ],
  ].map(
    ([hardware = '', said = '', fix = '']): Case => [
      `GPUs of a command: ${fix}`,
      {
        'cerebrium.toml': `${custom('["vllm", "serve", "/persistent-storage/m", "--host", "0.0.0.0", "--port", "8000", "--tensor-parallel-size", "2"]')}${hardware}${pip('vllm')}`,
      },
      [said],
      fix,
    ],
  ),
  [
    'workers of gunicorn that nothing installs',
    {
      'cerebrium.toml':
        custom('["gunicorn", "-k", "gevent", "-b", "0.0.0.0:8000", "web:app"]') + pip('flask', 'gunicorn'),
      'web.py': web,
    },
    ['error gevent is not installed in the image'],
    'add gevent to [cerebrium.dependencies.pip]: gevent = "latest"',
  ],
  [
    'an empty file with the name of a module of Python',
    functions('from json import dumps\n', { 'json.py': '' }),
    ['error json.py has no dumps'],
    'rename json.py, which hides the module json of Python',
  ],
  [
    'a member of a module of Python that a file hides',
    functions('import queue\n\nJOBS = queue.Queue()\n', { 'queue.py': 'def take():\n    return 1\n' }),
    ['warning queue.py has no Queue'],
    'rename queue.py, which hides the module queue of Python',
  ],
  [
    'a file with the name of a package',
    functions('from requests import get\n', { 'requests.py': '' }, pip('requests')),
    ['error requests.py has no get'],
    'rename requests.py, which hides the package requests',
  ],
  [
    'a misspelled name of a file that hides a module',
    functions('from queue import taek\n', { 'queue.py': 'def take():\n    return 1\n' }),
    ['error queue.py has no taek'],
    'import take, or define taek in queue.py',
  ],
  ...[
    ['Utils', 'utils.py', 'utils.py'],
    ['utils', 'Utils.py', 'Utils.py'],
    ['Lib.utils', 'lib/utils.py', 'lib/'],
    ['lib.Utils', 'lib/utils.py', 'lib/utils.py'],
  ].map(
    ([module = '', file = '', near = '']): Case => [
      `a module in another case: ${module} for ${file}`,
      functions(`from ${module} import x\n`, { 'lib/__init__.py': '', [file]: 'x = 1\n' }),
      [`error main.py imports ${module}, which the app does not have`],
      `import it by the name that it has, or rename ${near}`,
    ],
  ),
  [
    'a module of a package in another case',
    functions('from lib import Utils\n', { 'lib/__init__.py': '', 'lib/utils.py': 'x = 1\n' }),
    ['error lib/__init__.py has no Utils'],
    'import utils, or define Utils in lib/__init__.py',
  ],
  ...[
    ['uvicorn', '["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"]', 'src.main:app, or add --app-dir src'],
    ['gunicorn', '["gunicorn", "main:app", "-b", "0.0.0.0:8000"]', 'src.main:app, or add --chdir src'],
  ].map(
    ([program = '', command = '', fix = '']): Case => [
      `a module in another folder, of ${program}`,
      { 'cerebrium.toml': custom(command) + pip('fastapi', program), 'src/main.py': 'app = 1\n' },
      [`error ${program} loads main, which is not in /cortex`],
      `write ${fix}`,
    ],
  ),
  ...[
    ['flask', 'from flask import Flask\n\napp = Flask("web")\napp.run(port=8000)\n', 'host'],
    ['gradio', 'import gradio\n\ngradio.Interface(str, "a", "b").launch(server_port=8000)\n', 'server_name'],
  ].map(
    ([name = '', main = '', keyword = '']): Case => [
      `a server of ${name} that says no host`,
      { 'cerebrium.toml': custom('["python", "main.py"]') + pip(name), 'main.py': main },
      ['warning the server listens on 127.0.0.1 only, so that the platform cannot reach it'],
      `write ${keyword}="0.0.0.0" in that call`,
    ],
  ),
  [
    'a server that says a host of its own',
    {
      'cerebrium.toml': custom('["python", "main.py"]') + pip('flask'),
      'main.py': `${web}app.run(host="localhost", port=8000)\n`,
    },
    ['error the server listens on localhost only, so that the platform cannot reach it'],
    'write 0.0.0.0 instead of localhost',
  ],
  ...[
    '/persistant-storage/models',
    '/persistent_storage',
    'persistent-storage/models',
    '/Persistent-Storage/a.txt',
  ].map(
    (path): Case => [
      `a misspelled volume: ${path}`,
      functions(`PATH = "${path}"\n`),
      [`warning main.py names ${path.replace(/(?<=\w)\/.*/, '')}, and the volume is at /persistent-storage`],
      'write /persistent-storage',
    ],
  ),
  ['a volume', functions('PATH = "/persistent-storage/models"\nOTHER = "/global-persistent-storage"\n'), []],
  ...['torch.nn.Linear(1, 1).cuda()', 'torch.zeros(1, device="cuda")', 'torch.zeros(1).to("cuda:0")'].map(
    (call): Case => [
      `a GPU of an app that has none: ${call}`,
      functions(`import torch\n\nMODEL = ${call}\n`, {}, pip('torch')),
      ['warning main.py uses a GPU, and compute is CPU'],
      'compute = "AMPERE_A10"',
    ],
  ),
  [
    'a file of settings in a folder that is not there',
    functions('PATH = "config/settings.json"\nCONFIG = open(PATH).read()\n'),
    ['warning config/settings.json is not in the app'],
    'add config/settings.json to the app',
  ],
  [
    'one in a folder that the code makes',
    functions('import os\n\nos.makedirs("config")\nCONFIG = open("config/settings.json").read()\n'),
    [],
  ],
];

test.each(cases)('one mistake is said once, with what mends it: %s', async (_, files, said, fix) => {
  const problems = await problemsOf(files);
  expect(problems.map(({ severity, message }) => `${severity} ${message}`)).toEqual(said);
  if (fix !== undefined) expect(problems[0]?.fix).toBe(fix);
});
