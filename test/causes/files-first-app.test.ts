import { expect, test } from 'vitest';
import { custom, type Files, pip, problemsOf, settings } from './looked.ts';

const run = '\n\ndef run(x: str = "a"):\n    return x\n';
const web = 'from fastapi import FastAPI\n\napp = FastAPI()\n';
const python = (version: string) => settings().replace('3.11', version);
const served = (command: string): Files => ({
  'cerebrium.toml': custom(command) + pip('fastapi', 'uvicorn'),
  'main.py': web,
});
const uvicorn = 'uvicorn main:app --host 0.0.0.0 --port 8000';

/** What `check` says of it, with its fix. */
async function saidOf(files: Files): Promise<string[]> {
  const problems = await problemsOf({ 'cerebrium.toml': settings(), ...files });
  return problems.map(({ severity, message, why, fix }) => [severity, message, why ?? '-', fix].join(' | '));
}

test.each<[what: string, files: Files, said: string]>([
  [
    'a class and no function',
    {
      'main.py':
        'class Predictor:\n    def setup(self):\n        self.x = 1\n\n    def predict(self, a):\n        return a\n',
    },
    'warning | main.py has no function that a call can reach | it has the class Predictor, and a call reaches functions only | write one below the class: def predict(text: str): return Predictor().predict(text)',
  ],
  [
    'an object of that class beside it',
    {
      'main.py':
        'from torch import nn\n\nSIZE = 3\n\n\nclass Model:\n    def run(self):\n        return nn, SIZE\n\n\nmodel = Model()\n',
      'cerebrium.toml': settings(pip('torch')),
    },
    'warning | main.py has no function that a call can reach | it has the class Model, and a call reaches functions only | write one below the class: def run(text: str): return Model().run(text)',
  ],
  [
    'an empty file',
    { 'main.py': '' },
    'warning | main.py has no function that a call can reach | a call reaches the functions at the top of main.py | write one: def run(text: str): return {"text": text}',
  ],
  [
    'a command that ends with &',
    served(`"${uvicorn} &"`),
    'error | uvicorn goes to the background, and the container ends | the command ends with & | remove that &',
  ],
  [
    'a program that only an extra of a package brings',
    {
      'cerebrium.toml': custom('["fastapi", "run", "main.py", "--port", "8000"]') + pip('flask'),
      'main.py': 'print(1)\n',
    },
    'error | fastapi is not installed in the image | nothing installs fastapi[standard] | add fastapi[standard] to [cerebrium.dependencies.pip]: "fastapi[standard]" = "latest"',
  ],
  [
    'a shell whose command ends with &',
    served(`["sh", "-c", "${uvicorn} &"]`),
    'error | uvicorn goes to the background, and the container ends | the command ends with & | remove that &',
  ],
  [
    'a tag that is nearly a known one',
    { 'main.py': run, 'cerebrium.toml': settings('', 'docker_base_image_url = "python:3.12-slimm"\n') },
    'warning | python:3.12-slimm is not a known image: did you mean python:3.12-slim? | - | docker_base_image_url = "python:3.12-slim"',
  ],
  [
    'a match statement before 3.10',
    {
      'main.py': `def run(x: int = 1):\n    match x:\n        case 1:\n            return 1\n    return 2\n`,
      'cerebrium.toml': python('3.9'),
    },
    'error | main.py needs Python 3.10: it has a match statement | the app has Python 3.9 | python_version = "3.10"',
  ],
  [
    'a type statement before 3.12',
    { 'main.py': `type A = int\n${run}`, 'cerebrium.toml': python('3.10') },
    'error | main.py needs Python 3.12: it has a type statement | the app has Python 3.10 | python_version = "3.12"',
  ],
  [
    'an f-string with its own quotes before 3.12',
    { 'main.py': 'def run(a: dict):\n    return f"{a["b"]}"\n' },
    'error | main.py needs Python 3.12: it has the same quotes inside of an f-string | the app has Python 3.11 | python_version = "3.12"',
  ],
  [
    'a module in a folder that is the one in which the app starts',
    served('["uvicorn", "app.main:app", "--host", "0.0.0.0", "--port", "8000"]'),
    'error | uvicorn loads app.main, which is not in /cortex | the app has main.py | write main:app',
  ],
  [
    'a relative import of the started file',
    { 'main.py': `from .util import f\n\nprint(f)\n${run}`, 'util.py': 'def f():\n    return 1\n' },
    'error | a relative import in a file that is not part of a package | - | import it by its name: from util import f',
  ],
])('%s', async (_, files, said) => {
  expect(await saidOf(files)).toContain(said);
});

test.each<[what: string, files: Files]>([
  ['a function of another module', { 'main.py': 'from app import run\n\nuses = run\n', 'app.py': run }],
  ['a function that is assigned', { 'main.py': 'class A:\n    def f(self):\n        return 1\n\n\nrun = A().f\n' }],
  [
    'an object that can be called',
    { 'main.py': 'class A:\n    def __call__(self):\n        return 1\n\n\nrun = A()\n' },
  ],
  ['all names of another module', { 'main.py': 'from app import *\n', 'app.py': run }],
  [
    'a path whose name is given by %',
    {
      'main.py': `import os\n\nE = os.environ.get("E", "dev")\nopen("conf/%s.json" % E)\nopen("data/%(n)s.txt" % {"n": "a"})${run}`,
      'conf/dev.json': '{}',
      'data/a.txt': 'a',
    },
  ],
  [
    'a path after os.chdir',
    { 'main.py': `import os\n\nos.chdir("conf")\nopen("dev.json")${run}`, 'conf/dev.json': '{}' },
  ],
  [
    'a server beside another one that goes to the background',
    { 'start.sh': `sleep 1 &\n${uvicorn}\n`, ...served('["bash", "start.sh"]') },
  ],
  ...[
    'python:3.12-slim-bookworm',
    'nginx:stable-alpine3.20-perl',
    'php:8-fpm',
    'eclipse-temurin:21-jre',
    'node:lts',
    'ubuntu:plucky',
  ].map((image): [string, Files] => [
    image,
    { 'main.py': run, 'cerebrium.toml': settings('', `docker_base_image_url = "${image}"\n`) },
  ]),
])('nothing is wrong with %s', async (_, files) => {
  expect((await saidOf(files)).filter((each) => !each.includes('is not a documented'))).toEqual([]);
});

test('after os.chdir to the folder of the app, its paths are known', async () => {
  const chdir = 'import os\n\nos.chdir(os.path.dirname(os.path.abspath(__file__)))\nopen("dev.json")';
  expect(await saidOf({ 'main.py': `${chdir}${run}` })).toContainEqual(
    expect.stringContaining('dev.json is not in the app'),
  );
});
