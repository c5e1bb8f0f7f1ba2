import { describe, expect, test } from 'vitest';
import type { Problem } from '../../src/kernel/errors.ts';
import { gantry, newFolder } from '../support/index.ts';
import { type Files, problemsOf, settings } from './looked.ts';

const served = (command: string, ...names: string[]) =>
  settings(
    `[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ${command}\n[cerebrium.dependencies.pip]\n${names.map((name) => `${name} = "latest"\n`).join('')}`,
  );
const uvicorn = (target: string) => served(`["uvicorn", "${target}", "--host", "0.0.0.0"]`, 'fastapi', 'uvicorn');
const api = 'from fastapi import FastAPI\n\napp = FastAPI()\n';

async function told(files: Files): Promise<string[]> {
  const problems = await problemsOf({ 'main.py': 'def run():\n    return 1\n', ...files });
  return problems.map(
    ({ severity, cause, location, message, fix }) =>
      `${severity} ${cause} ${location?.file}:${location?.line} ${message} -> ${fix}`,
  );
}

test.each<[string, Files, string]>([
  [
    'a module that is not sent, of an app without packages',
    { 'cerebrium.toml': settings(), 'main.py': 'from made_later import calculate\n\nprint(calculate(1))\n' },
    'error module-missing main.py:1 main.py imports made_later, which neither the app nor a package has',
  ],
  [
    'modules that a voice agent has from an older release',
    {
      'cerebrium.toml': settings('[cerebrium.dependencies.pip]\npipecat-ai = "latest"\n'),
      'main.py': 'from pipecat.vad.silero import SileroVADAnalyzer\n\nprint(SileroVADAnalyzer)\n',
    },
    'package-api-changed main.py:1',
  ],
  [
    'a name that a module does not have',
    { 'cerebrium.toml': settings(), 'main.py': 'from a import two\n', 'a.py': 'one = 1\n' },
    'error import-name-missing main.py:1',
  ],
  [
    'a module that stands in for one that is not there either',
    { 'cerebrium.toml': settings(), 'main.py': 'try:\n    import orjson\nexcept ImportError:\n    import ujson\n' },
    'warning module-missing main.py:4',
  ],
  [
    'a name that nobody has, in a function',
    { 'cerebrium.toml': settings(), 'main.py': 'def run():\n    from a import two\n', 'a.py': 'one = 1\n' },
    'warning import-name-missing main.py:2',
  ],
  [
    'a module of a package that is not there',
    { 'cerebrium.toml': settings(), 'main.py': 'from a import b\n', 'a/__init__.py': '' },
    'error import-name-missing main.py:1',
  ],
  [
    'modules that import each other before they have what the other needs',
    {
      'cerebrium.toml': uvicorn('main:app'),
      'main.py': `import a\n${api}`,
      'a.py': 'from b import x\n\ny = 1\n',
      'b.py': 'from a import y\n\nx = 1\n',
    },
    'error circular-import b.py:1',
  ],
  [
    'a module that is loaded by its name, of a list',
    {
      'cerebrium.toml': settings(),
      'main.py':
        'from importlib import import_module\n\nALL = [import_module(f"plugins.{name}") for name in ("one", "two")]\n',
      'plugins/__init__.py': '',
      'plugins/one.py': '',
    },
    'warning module-missing main.py:3',
  ],
  ...['yamlx', 'plugins.two', 'plugins.more.two'].map((name): [string, Files, string] => [
    `a module that is loaded by its name: ${name}`,
    {
      'cerebrium.toml': settings(),
      'main.py': `from importlib import import_module\n\nONE = import_module("${name}")\n`,
      'plugins/__init__.py': '',
      'plugins/more/__init__.py': '',
    },
    'warning module-missing main.py:3',
  ]),
  [
    'a module of the standard library of another version',
    { 'cerebrium.toml': settings().replace('3.11', '3.10'), 'main.py': 'import tomllib\n' },
    'error python-version-unsupported main.py:1',
  ],
  [
    'syntax of another version',
    { 'cerebrium.toml': settings(), 'main.py': 'def first[T](items: list[T]) -> T:\n    return items[0]\n' },
    'error syntax-error main.py:1',
  ],
  [
    'a name that a package has no more',
    {
      'cerebrium.toml': settings('[cerebrium.dependencies.pip]\npydantic = "==2.7.0"\n'),
      'main.py': 'from pydantic import BaseSettings\n',
    },
    'error package-api-changed main.py:1',
  ],
  [
    'a file that is not sent, named from its own place',
    {
      'cerebrium.toml': settings('', 'exclude = ["*.csv"]\n'),
      'main.py': 'from pathlib import Path\n\nROWS = (Path(__file__).parent / "data" / "rows.csv").read_text()\n',
      'data/rows.csv': '1\n',
    },
    'warning file-excluded cerebrium.toml:5',
  ],
  ...[
    ['os.path.join', 'import os\n\nROWS = open(os.path.join("data", "rows.csv")).read()\n'],
    ['join', 'from os.path import dirname, join\n\nROWS = open(join(dirname(__file__), "data", "rows.csv")).read()\n'],
    ...[
      ['joinpath', 'Path(__file__).resolve().parent.joinpath("data", "rows.csv")'],
      ['with_name', 'Path("data/names.csv").with_name("rows.csv")'],
      ['with_name', 'Path(__file__).with_name("data") / "rows.csv"'],
      ['Path', 'Path("data", "rows.csv")'],
      ['Path', 'Path() / "other/../data/rows.csv"'],
      ['files', 'files("data") / "rows.csv"'],
      ['two strings', '"data/" "rows.csv"'],
    ].map(([name = '', path]) => [
      name,
      `from importlib.resources import files\nfrom pathlib import Path\n\nROWS = open(${path}).read()\nprint(files, Path)\n`,
    ]),
  ].map(([name, code = '']): [string, Files, string] => [
    `a file that is not sent, named by ${name}()`,
    { 'cerebrium.toml': settings('', 'exclude = ["*.csv"]\n'), 'main.py': code, 'data/rows.csv': '1\n' },
    'warning file-excluded cerebrium.toml:5',
  ]),
  [
    'a program of an environment that is not in the PATH',
    {
      'cerebrium.toml': settings('[cerebrium.runtime.custom]\nport = 8080\ndockerfile_path = "./Dockerfile"\n'),
      Dockerfile:
        'FROM python:3.12-slim AS made\nRUN python -m venv /opt/venv && /opt/venv/bin/pip install flask gunicorn\nFROM python:3.12-slim\nWORKDIR /srv\nCOPY --from=made /opt/venv /opt/venv\nCOPY main.py .\nCMD ["gunicorn", "main:app", "-b", "0.0.0.0:8080"]\n',
      'main.py': 'from flask import Flask\n\napp = Flask(__name__)\n',
    },
    'Dockerfile:7 gunicorn is not installed in the image -> ENV PATH="/opt/venv/bin:$PATH"',
  ],
  [
    'a file with another name',
    {
      'cerebrium.toml': settings(),
      'main.py': 'MODEL = open("model/best.onnx", "rb").read()\n',
      'model/last.onnx': '1\n',
    },
    'warning file-not-found main.py:1',
  ],
  [
    'a port in the code',
    {
      'cerebrium.toml': served('["python", "main.py"]', 'fastapi', 'uvicorn'),
      'main.py': `import uvicorn\n${api}PORT = 9000\nuvicorn.run(app, host="0.0.0.0", port=PORT)\n`,
    },
    'warning wrong-port main.py:6',
  ],
  [
    'a server that listens for itself',
    {
      'cerebrium.toml': served('["python", "main.py"]', 'flask'),
      'main.py': 'from flask import Flask\n\napp = Flask(__name__)\napp.run(host="127.0.0.1", port=8000)\n',
    },
    'error bound-to-localhost main.py:4',
  ],
  [
    'an app that nothing serves',
    {
      'cerebrium.toml': served('["python", "main.py"]', 'flask'),
      'main.py': 'from flask import Flask\n\napp = Flask(__name__)\n',
    },
    'warning not-listening',
  ],
  [
    'what a call needs besides its package',
    {
      'cerebrium.toml': uvicorn('main:app'),
      'main.py': `${api}\n\n@app.post("/")\ndef up(file: UploadFile):\n    return 1\n`.replace(
        'FastAPI\n',
        'FastAPI, UploadFile\n',
      ),
    },
    'warning module-missing main.py:1',
  ],
  [
    'a name that only notebooks have',
    { 'cerebrium.toml': settings(), 'main.py': 'display(1)\n' },
    'warning name-undefined main.py:1',
  ],
])('Python that fails in the cloud: %s', async (_, files, wanted) => {
  expect(await told(files)).toContainEqual(expect.stringContaining(wanted));
});

test.each(
  Object.entries<Files>({
    'names of star imports': { 'main.py': 'from a import one\n', 'a.py': 'from b import *\n', 'b.py': 'one = 1\n' },
    'an import that may fail': { 'main.py': 'try:\n    import uvloop\nexcept ImportError:\n    uvloop = None\n' },
    'an import for types': {
      'main.py': 'from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from a import A\n',
      'a.py': 'A = 1\n',
    },
    'a namespace package': { 'main.py': 'from lib.a import x\n', 'lib/a.py': 'x = 1\n' },
    'a cycle through a module': {
      'main.py': 'import a\n',
      'a.py': 'import b\n\nx = 1\n',
      'b.py': 'import a\n\n\ndef f():\n    return a.x\n',
    },
    'a folder that the code adds': {
      'main.py':
        'import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).parent / "src"))\nimport a\n',
      'src/a.py': '',
    },
    'a join that is not of paths': {
      'main.py': 'import threading\n\nwork = threading.Thread(target=print)\nwork.start()\nended = work.join()\n',
    },
    'modules that are loaded by what is no name': {
      'main.py':
        'from importlib import import_module\n\none = import_module(".one", package="plugins")\n\n\ndef run():\n    return import_module("plugins one")\n',
      'plugins/__init__.py': '',
      'plugins/one.py': '',
    },
    'a file that the code makes': { 'main.py': 'open("out.json", "w").write("1")\nprint(open("out.json").read())\n' },
    'a parameter with the name of a module': {
      'main.py': 'import a\n\n\ndef f(a):\n    return a.anything\n',
      'a.py': '',
    },
    'names of comprehensions, patterns and walrus': {
      'main.py': 'match [1]:\n    case [x, *rest]:\n        print(x, rest, [y for y in rest if (z := y)], z)\n',
    },
    'wheels that another stage makes': {
      'cerebrium.toml': settings('[cerebrium.runtime.custom]\nport = 8080\ndockerfile_path = "./Dockerfile"\n'),
      Dockerfile:
        'FROM python:3.12 AS made\nCOPY requirements.txt .\nRUN pip wheel -r requirements.txt -w /wheels\nFROM python:3.12\nCOPY --from=made /wheels /wheels\nRUN pip install /wheels/*.whl\nWORKDIR /srv\nCOPY main.py .\nCMD ["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8080"]\n',
      'requirements.txt': 'fastapi\nuvicorn\n',
      'main.py': api,
    },
    'a package that only types need': { 'main.py': 'import typing\nif typing.TYPE_CHECKING:\n    import pandas\n' },
    'names that are made as text': { 'main.py': 'from a import one\n', 'a.py': 'globals()["one"] = 1\n' },
    'an address in another language that is no server of the app': {
      'cerebrium.toml': settings('[cerebrium.runtime.custom]\nport = 8080\ndockerfile_path = "./Dockerfile"\n'),
      Dockerfile: 'FROM node:22-slim\nWORKDIR /app\nCOPY server.js .\nCMD ["node", "server.js"]\n',
      'server.js':
        'const cacheServer = process.env.CACHE ?? "127.0.0.1:6379";\nrequire("http").createServer().listen(8080);\n',
    },
    'a lazy __getattr__': { 'main.py': 'from a import anything\n', 'a.py': 'def __getattr__(name):\n    return 1\n' },
  }),
)('Python that works has no problems: %s', async (_, files) => {
  expect(await told({ 'cerebrium.toml': settings(), ...files })).toEqual([]);
});

test('a package that is missing is named once, and a name that a module lacks with its file', async () => {
  const cwd = newFolder({
    'cerebrium.toml': settings('[cerebrium.dependencies.pip]\nnumpy = "latest"\n'),
    'main.py': 'import tools\nfrom PIL import Image\nfrom PIL import ImageDraw\n\ntools.run(Image, ImageDraw)\n',
    'tools.py': 'from PIL import ImageFont\n\nfont = ImageFont\n',
  });
  const found = (await gantry(['check', '--json'], { cwd })).json() as { problems: Problem[] };
  expect(found.problems.map(({ fix }) => fix)).toEqual([
    'add pillow to [cerebrium.dependencies.pip]: pillow = "latest"',
    'define run in tools.py, or correct the import',
  ]);
});

describe('what a module gets wrong of its own names', () => {
  const main = (code: string) => ({
    'cerebrium.toml': settings(),
    'main.py': `${code}\n\n\ndef run():\n    return 1\n`,
  });
  const index = 'class Index:\n    @classmethod\n    def load(cls, path, *, size=1):\n        return cls()\n';

  test.each<[string, Files, string]>([
    ['a call before the function', main('run()'), 'main.py uses run before line 4, which defines it'],
    [
      'a name that nothing defines, beside a bare yield',
      main('def lifespan():\n    yield\n\n\nX = nothing'),
      'name-undefined main.py:5',
    ],
    ['a module in another case', main('import pil'), 'the module of the package pillow is PIL'],
    [
      'a program that is not there',
      { 'cerebrium.toml': served('["python", "-m", "server"]', 'fastapi') },
      'error entrypoint-not-found cerebrium.toml:7 python loads server',
    ],
    [
      'a page of Streamlit',
      {
        'cerebrium.toml': served('["streamlit", "run", "Home.py", "--server.address=0.0.0.0"]', 'streamlit'),
        'Home.py': 'import streamlit as st\n\nst.write(1)\n',
        'pages/1_More.py': 'import lifelines\n',
      },
      'module-missing pages/1_More.py:1',
    ],
  ])('%s', async (_, files, expected) => {
    expect((await told(files)).join('\n')).toContain(expected);
  });

  test.each(
    Object.entries<Files>({
      'a keyword that it has': { ...main('from a import Index\n\nI = Index.load("x", size=2)'), 'a.py': index },
      'keywords that a function passes on, or that a decorator takes': main('import a\n\na.f(x=1)\na.g(x=1)'),
      'a function that runs later': main('def first():\n    return run()'),
      'a name that an argument binds': main(
        'def f(x):\n    return x\n\n\nif f(y := 1) and f(x=(z := 2)):\n    print(y, z)',
      ),
      'an annotation, and a name that is bound twice': main(
        'def f(x: "run"):\n    return x\n\n\ntry:\n    run\nexcept NameError:\n    run = None',
      ),
    }),
  )('but not %s', async (_, files) => {
    const others = {
      'a.py': 'import functools\n\n\ndef f(**more):\n    return more\n\n\n@functools.cache\ndef g(y):\n    return y\n',
    };
    expect(await told({ ...others, ...files })).toEqual([]);
  });
});

describe('files that frameworks and tools look for', () => {
  const started = served('["bash", "start.sh"]', 'alembic', 'fastapi', 'uvicorn');
  const start = 'alembic upgrade head\nexec uvicorn main:app --host 0.0.0.0 --port 8000\n';
  const revision = (own: string, before: string) => `revision = "${own}"\ndown_revision = ${before}\n`;
  const flask = {
    'cerebrium.toml': served('["gunicorn", "main:app", "--bind", "0.0.0.0:8000"]', 'flask', 'gunicorn'),
    'main.py':
      'from flask import Flask, render_template\n\napp = Flask(__name__)\n\n\n@app.get("/")\ndef index():\n    return render_template("index.html")\n',
  };
  const _built = settings('', 'shell_commands = ["pip install ."]\ninclude = ["main.py", "pyproject.toml", "src/*"]\n');
  const _project = (rest: string) =>
    `[build-system]\nrequires = ["setuptools"]\n\n[project]\nname = "shop"\nversion = "1"\n${rest}`;
  const alembic = (include: string) => started.replace('disable_auth', `include = [${include}]\ndisable_auth`);

  test.each<[string, Files, string | undefined]>([
    [
      'alembic.ini that is sent',
      { 'cerebrium.toml': alembic('"*"'), 'start.sh': start, 'main.py': api, 'alembic.ini': '' },
      undefined,
    ],
    [
      'alembic.ini that is not there',
      { 'cerebrium.toml': alembic('"*"'), 'start.sh': start, 'main.py': api },
      'alembic reads alembic.ini, which is not in the image',
    ],
    [
      'revisions that follow each other',
      {
        'cerebrium.toml': settings(),
        'm/versions/1.py': revision('a', 'None'),
        'm/versions/2.py': revision('b', '"a"'),
      },
      undefined,
    ],
    ['a template in its folder', { ...flask, 'templates/index.html': '' }, undefined],
  ])('%s', async (_, files, expected) => {
    const said = (await told(files)).join('\n');
    if (expected === undefined) expect(said).toBe('');
    else expect(said).toContain(expected);
  });
});
