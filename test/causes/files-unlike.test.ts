import { describe, expect, test } from 'vitest';
import { gantry, newFolder } from '../support/index.ts';
import { cases, type Files, told } from './looked.ts';

const app = (settings: string, entrypoint = '["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"]') =>
  `[cerebrium.deployment]\nname = "web"\npython_version = "3.11"\ndisable_auth = false\n${settings}\n[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ${entrypoint}\n`;
const pip = (...names: string[]) => `\n[cerebrium.dependencies.pip]\n${names.map((each) => `${each}\n`).join('')}`;
const served = pip('fastapi = "latest"', 'uvicorn = "latest"');
const image = (dockerfile: string, files: Files = {}): Files => ({
  'cerebrium.toml':
    '[cerebrium.deployment]\nname = "web"\ndisable_auth = false\n\n[cerebrium.runtime.custom]\nport = 8000\ndockerfile_path = "./Dockerfile"\n',
  Dockerfile: dockerfile,
  'main.py': main,
  ...files,
});
const main = 'from fastapi import FastAPI\n\napp = FastAPI()\n';
const start = 'CMD ["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"]\n';
const native = (settings: string, files: Files = {}, entrypoint?: string): Files => ({
  'cerebrium.toml': app(settings, entrypoint) + served,
  'main.py': main,
  ...files,
});

cases('modules that may be elsewhere', [
  [
    'where the code adds a folder outside of the app, a package is only a warning',
    native('', { 'main.py': `import sys\n\nsys.path.append("/opt/lib")\nimport boto3\n${main}\nprint(boto3)\n` }),
    'warning: main.py imports boto3, and nothing installs boto3',
  ],
  [
    'where the folder is one of the app, it is an error',
    native('', {
      'main.py': `import sys\n\nsys.path.append("lib")\nimport boto3\n${main}\nprint(boto3)\n`,
      'lib/a.py': '',
    }),
    'error: main.py imports boto3, and nothing installs boto3',
  ],
]);

const slim = (command: string) => `docker_base_image_url = "debian:bookworm-slim"\npre_build_commands = [${command}]\n`;
const stages = (path: string) =>
  `FROM python:3.12-slim AS build\nCOPY --from=ghcr.io/astral-sh/uv:0.9.0 /uv /usr/local/bin/uv\nWORKDIR /srv\nCOPY pyproject.toml .\nRUN uv sync\n\nFROM python:3.12-slim\nWORKDIR /srv\nCOPY --from=build /srv/.venv /srv/.venv\nCOPY main.py .\nENV PATH="${path}/.venv/bin:$PATH"\n${start}`;
const project = '[project]\nname = "web"\nversion = "1"\ndependencies = ["fastapi", "uvicorn"]\n';

cases('programs that an image has', [
  [
    'git, which the settings install first',
    native(slim('"apt-get install -y git", "git clone https://a.b/c"')),
    undefined,
  ],
  ['uv, which another image brings', image(stages('/srv'), { 'pyproject.toml': project }), undefined],
  [
    'no uv',
    image(stages('/srv').replace(/COPY --from=ghcr.*\n/, ''), { 'pyproject.toml': project }),
    'error: uv is not installed in the image',
  ],
  [
    'uvicorn, where the PATH does not look',
    image(stages('/app'), { 'pyproject.toml': project }),
    'uvicorn is not installed in the image',
  ],
]);

const conda = (command: string) =>
  image(
    `FROM continuumio/miniconda3:24.9.2-0\nWORKDIR /srv\nCOPY . .\nRUN conda env create -f environment.yml\nENTRYPOINT [${command}"uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"]\n`,
    { 'environment.yml': 'name: web\ndependencies:\n  - python=3.11\n  - pip:\n      - fastapi\n      - uvicorn\n' },
  );

cases('an environment of conda', [['by its name', conda('"conda", "run", "-n", "web", '), undefined]]);

const pipenv = (packages: string, rest: Files = {}) =>
  image(
    `FROM python:3.11-slim\nRUN pip install pipenv\nWORKDIR /srv\nCOPY . .\nRUN pipenv install --system --deploy\n${start}`,
    {
      Pipfile: `[packages]\n${packages}`,
      'Pipfile.lock': '{"_meta": {}, "default": {"fastapi": {}, "uvicorn": {}}, "develop": {}}\n',
      ...rest,
    },
  );
const listed = 'fastapi = "*"\nuvicorn = "*"\n';

cases('a Pipfile', [
  ['that has all', pipenv(listed), undefined],
  [
    'without a package',
    pipenv(listed, { 'main.py': `import pandas\n${main}\nprint(pandas)\n` }),
    'main.py imports pandas, and nothing installs pandas',
  ],
]);

const poetry = (flags: string, own = 'packages = [{ include = "shop", from = "src" }]\n') =>
  image(
    `FROM python:3.11-slim\nRUN pip install "poetry>=2,<3" && poetry config virtualenvs.create false\nWORKDIR /srv\nCOPY pyproject.toml .\nRUN poetry install${flags}\nCOPY . .\n${start}`,
    {
      'pyproject.toml': `[tool.poetry]\nname = "shop"\nversion = "1"\n${own}\n[tool.poetry.dependencies]\nfastapi = "*"\nuvicorn = "*"\n`,
      'src/shop/__init__.py': '',
    },
  );

cases('a project of Poetry', [
  ['that is not installed itself', poetry(' --no-root'), undefined],
  ['that is no package', poetry('', 'package-mode = false\n'), undefined],
]);

const shell = 'exec uvicorn main:app --host 0.0.0.0 --port 8000';

cases('a command', [
  [
    'with the name of a file that it writes',
    native(
      '',
      { 'start.sh': `python x.py --output my_paths.yml\n${shell}\n`, 'x.py': '', 'paths.yml': '' },
      '["sh", "start.sh"]',
    ),
    undefined,
  ],
]);

const dash = (name: string): Files => ({
  'cerebrium.toml': `${app('', `["gunicorn", "main:${name}", "--bind", "0.0.0.0:8000"]`)}${pip('dash = "latest"', 'gunicorn = "latest"')}`,
  'main.py': 'from dash import Dash\n\napp = Dash(__name__)\nserver = app.server\n',
});

cases('an object and a module', [['that a server serves', dash('server'), undefined]]);

cases('what goes with an older package', [
  [
    'the numpy of its time',
    {
      'cerebrium.toml':
        app('') +
        pip('fastapi = "latest"', 'uvicorn = "latest"', 'opencv-python-headless = "==4.9.0.80"', 'numpy = "==1.26.4"'),
      'main.py': main,
    },
    undefined,
  ],
  [
    'a later numpy',
    {
      'cerebrium.toml':
        app('') +
        pip('fastapi = "latest"', 'uvicorn = "latest"', 'opencv-python-headless = "==4.9.0.80"', 'numpy = "==2.1.3"'),
      'main.py': main,
    },
    'warning: opencv-python-headless 4.9.0.80 does not work with numpy==2.1.3',
  ],
]);

const rust = (run: string, build = 'rust:1.88-bookworm', bind = '0.0.0.0:8000'): Files =>
  image(
    `FROM ${build} AS build\nWORKDIR /src\nCOPY . .\nRUN cargo build --release\n\nFROM ${run}\nCOPY --from=build /src/target/release/web /web\nCMD ["/web"]\n`,
    {
      'Cargo.toml': '[package]\nname = "web"\nversion = "1.0.0"\n',
      'Cargo.lock': 'version = 4\n',
      'src/main.rs': `fn main() {\n    let at: SocketAddr = "${bind}".parse().unwrap();\n}\n`,
    },
  );

cases('a program of Rust', [
  ['that runs where it was built', rust('debian:bookworm-slim'), undefined],
  [
    'with a lock file that Rust cannot read',
    rust('debian:bookworm-slim', 'rust:1.70-bookworm'),
    'Cargo.lock wants Rust >=1.78',
  ],
  ['that only listens inside', rust('debian:bookworm-slim', undefined, '127.0.0.1:8000'), '127.0.0.1'],
  ['on another port', rust('debian:bookworm-slim', undefined, '0.0.0.0:9000'), 'listens on port 9000'],
]);

test.each(['(', 'not ', 'x+', 'x.y', 'lambda: '])('a file of %j thousands of times ends no look', async (text) => {
  const files = native('', { 'deep.py': `x = ${text.repeat(20_000)}1\n`, 'less.py': `x = ${text.repeat(900)}1\n` });
  const { code, stderr } = await gantry(['check'], {
    cwd: newFolder({ ...files, 'main.py': `import deep, less\n${main}` }),
  });
  expect([code, stderr]).toEqual([expect.any(Number), expect.not.stringContaining('internal')]);
});

cases('names of variables that no shell takes', [
  [
    'are looked for as they are written',
    native('', {
      'main.py': `import os\n\nos.environ["API_KEY(X"] = "1"\n${main}\nif "KEY[" in os.environ:\n    print(os.environ["KEY["])\nprint(os.environ["API_KEY(Y"])\n`,
    }),
    undefined,
  ],
]);

const reading = (file: string, text: string): Files =>
  native('', { 'main.py': `${main}\nTEXT = open("${file}").read()\n`, [file]: text });

cases('a file that breaks the rules of its format', [
  ['of JSON', reading('a.json', '{"a": 1,}\n'), 'a.json is not valid: '],
  ['of TOML', reading('a.toml', 'a = 1\na = \n'), 'a.toml is not valid: '],
  ['of YAML', reading('a.yaml', 'a: "1\nb: 2\n'), 'a.yaml is not valid: '],
  ['of YAML, where it is a template', reading('a.yml', 'a: {{ a }}\nb: "{% if b %}\n'), undefined],
  ['of YAML, where one has a tag', reading('a.yml', 'a: !env A\nb: "1\n'), undefined],
  ['of YAML, where the last of two counts', reading('a.yml', 'a: 1\na: 2\n'), undefined],
  ['and that nothing reads', native('', { 'a.json': '{"a": 1,}\n' }), undefined],
]);

const starting = (code: string, packages: string[], files: Files = {}): Files => ({
  'cerebrium.toml': app('', '["python", "main.py"]') + pip(...packages.map((name) => `${name} = "latest"`)),
  'main.py': code,
  ...files,
});
const required = (line: string): Files => ({
  'cerebrium.toml': `${app('')}\n[cerebrium.dependencies.paths]\npip = "requirements.txt"\n`,
  'main.py': main,
  'requirements.txt': `fastapi\nuvicorn\n${line}\n`,
  'wheels/a.txt': '',
});

cases('where pip looks', [
  ...['-f wheels', '--find-links ./wheels', '-i https://pypi.example/simple', '-f https://172.32.0.1/a'].map(
    (line): [string, Files, undefined] => [line, required(line), undefined],
  ),
  ...[
    '-i http://pypi.corp/simple',
    '-f http://10.0.0.7/wheels',
    '--index-url http://me:secret@172.16.0.7:8080/simple',
    '--find-links http://localhost/wheels',
    'a @ git+https://git.internal/a',
  ].map((line): [string, Files, string] => [
    line,
    required(line),
    'warning: the build has no way to the package index',
  ]),
]);

const shop = (name: string): Files =>
  native('', {
    'main.py': `import shop.a\n\n${main}`,
    'shop/__init__.py': 'one = 1\n',
    'shop/a.py': `from . import ${name}\n`,
  });

cases('a name that a module takes from the package around it', [
  ['which has it', shop('one'), undefined],
  ['which has it not', shop('two'), 'error: shop/__init__.py has no two'],
]);

const local = 'warning: the server listens on 127.0.0.1 only, so that the platform cannot reach it';

describe('where a server listens by default', () => {
  test.each([
    ['uvicorn', 'import uvicorn\n\nuvicorn.run("main:app")\n', [local], '8000'],
    ['uvicorn', 'import uvicorn\n\nuvicorn.run("main:app", host="0.0.0.0")\n', [], '8000'],
    ['flask', 'from flask import Flask\n\napp = Flask("a")\napp.run()\n', [local], '5000'],
    ['gradio', 'import gradio\n\ndemo = gradio.Blocks()\ndemo.launch()\n', [local], '7860'],
    ['bottle', 'import bottle\n\nbottle.run()\n', [local], '8080'],
    ['sanic', 'from sanic import Sanic\n\napp = Sanic("a")\napp.run()\n', [local], '8000'],
    ['aiohttp', 'from aiohttp import web\n\nweb.run_app(print)\n', [], '8080'],
    ['waitress', 'import waitress\n\nwaitress.serve(print)\n', [], '8080'],
  ])('%s: %s', async (name, code, hosts, port) => {
    const { 'cerebrium.toml': config = '', ...files } = starting(code, [name]);
    const other = `warning: main.py listens on port ${port}, but port is 9999`;
    expect(await told({ 'cerebrium.toml': config.replace('8000', '9999'), ...files })).toEqual([other, ...hosts]);
    expect(await told({ 'cerebrium.toml': config.replace('8000', port), ...files })).toEqual(hosts);
  });
});

cases('a module of the app whose name ends like that of a server', [
  [
    'starts none',
    starting('from mosanic import Sanic\n\napp = Sanic()\napp.run()\n', ['sanic'], {
      'mosanic.py': 'class Sanic:\n    def run(self):\n        return 1\n',
    }),
    undefined,
  ],
]);

const checked = (path: string, code: string, packages: string[]): Files => {
  const { 'cerebrium.toml': config = '', ...files } = starting(code, packages);
  return { 'cerebrium.toml': config.replace('port = 8000', `port = 8000\nhealthcheck_endpoint = "${path}"`), ...files };
};
const fastapi = `${main.replace('FastAPI\n', 'FastAPI\nimport uvicorn\n')}\n\n@app.get("/")\ndef home():\n    return 1\n\n\nuvicorn.run(app, host="0.0.0.0", port=8000)\n`;
const fastmcp =
  'from fastmcp import FastMCP\n\nmcp = FastMCP("a")\n\n\n@mcp.custom_route("/ok", methods=["GET"])\nasync def ok(request):\n    return 1\n\n\nmcp.run(transport="http", host="0.0.0.0", port=8000)\n';

cases('a check', [
  ...['/', '/docs', '/redoc', '/openapi.json'].map((path): [string, Files, undefined] => [
    `of ${path}, which FastAPI answers`,
    checked(path, fastapi, ['fastapi', 'uvicorn']),
    undefined,
  ]),
  ...['/ok', '/mcp', '/sse'].map((path): [string, Files, undefined] => [
    `of ${path} of a server of FastMCP`,
    checked(path, fastmcp, ['fastmcp']),
    undefined,
  ]),
  ['that FastAPI does not answer', checked('/mcp', fastapi, ['fastapi', 'uvicorn']), '/mcp'],
  ['that FastMCP does not answer', checked('/docs', fastmcp, ['fastmcp']), '/docs'],
]);
