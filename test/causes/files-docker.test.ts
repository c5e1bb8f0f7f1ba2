import { describe, expect, test } from 'vitest';
import { cases, type Files, problemsOf, settings, told } from './looked.ts';

const docker = (rest = '') =>
  settings(`[cerebrium.runtime.custom]\nport = 8000\ndockerfile_path = "./Dockerfile"\n${rest}`);
const custom = (command: string, rest = '') =>
  settings(`[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ${command}\n${rest}`);
const web = 'from flask import Flask\n\napp = Flask(__name__)\n';
const base = 'FROM python:3.11-slim\nWORKDIR /srv\n';
const serve = 'CMD ["gunicorn", "web:app", "-b", "0.0.0.0:8000"]\n';

test.each<[string, Files, string]>([
  [
    'uv beside the PATH',
    {
      Dockerfile: `${base}RUN apt-get update && apt-get install -y curl\nRUN curl -LsSf https://astral.sh/uv/install.sh | sh\nENV PATH="/root/.cargo/bin:$PATH"\nCOPY web.py .\nRUN uv pip install --system flask gunicorn\n${serve}`,
    },
    'uv is not installed in the image',
  ],
  ...['$(curl -s https://example.com/version)', '`curl -s https://example.com/version`'].map(
    (taken): [string, Files, string] => [
      `a program that is run for what it prints: ${taken.slice(0, 1)}`,
      { Dockerfile: `${base}RUN V=${taken} && pip install flask==$V gunicorn\nCOPY web.py .\n${serve}` },
      'curl is not installed in the image',
    ],
  ),
  [
    'a check of an app that answers POST only',
    {
      'cerebrium.toml': docker('healthcheck_endpoint = "/health"\n'),
      Dockerfile: `${base}RUN pip install flask gunicorn\nCOPY web.py .\n${serve}`,
      'web.py': `${web}\n\n@app.post("/predict")\ndef predict():\n    return "1"\n`,
    },
    'the app has no /health, which the platform asks for',
  ],
  [
    'the Python of a distribution',
    {
      Dockerfile:
        'FROM ubuntu:22.04\nRUN apt-get update && apt-get install -y python3 python3-pip\nWORKDIR /srv\nCOPY . .\nRUN pip3 install flask gunicorn\nCMD ["python3", "-m", "gunicorn", "web:app", "-b", "0.0.0.0:8000"]\n',
      'web.py': `import tomllib\n${web}`,
    },
    'web.py imports tomllib, which Python 3.10 does not have',
  ],
  [
    'a port and an address of another module',
    {
      Dockerfile: `${base}RUN pip install aiohttp\nCOPY . .\nCMD ["python", "run.py"]\n`,
      'run.py':
        'from aiohttp import web\n\nimport config\n\nweb.run_app(web.Application(), host=config.HOST, port=config.PORT)\n',
      'config.py':
        'import os\n\nHOST = os.getenv("BOT_HOST", "127.0.0.1")\nPORT = int(os.getenv("BOT_PORT", "8000"))\n',
    },
    'the server listens on 127.0.0.1 only',
  ],
  [
    'a misspelt instruction',
    { Dockerfile: `${base}RUNN pip install flask gunicorn\nCOPY . .\n${serve}` },
    'RUNN is not an instruction',
  ],
  [
    'a package without a program',
    { 'cerebrium.toml': custom('["python", "-m", "gate"]'), 'gate/__init__.py': '', 'gate/run.py': 'print(1)\n' },
    'python -m gate runs gate/__main__.py, which is not there',
  ],
  [
    'a pin that a constraint refuses',
    {
      Dockerfile: `${base}COPY *.txt ./\nRUN pip install -r requirements.txt -c constraints.txt\nCOPY web.py .\n${serve}`,
      'requirements.txt': 'flask\ngunicorn\nnumpy<2\n',
      'constraints.txt': 'numpy==2.1.0\n',
    },
    'the packages need different versions of one package',
  ],
  [
    'the name of a package for that of its module',
    { 'cerebrium.toml': settings('[cerebrium.dependencies.pip]\npillow = "latest"\n'), 'main.py': 'import pillow\n' },
    'the module of the package pillow is PIL',
  ],
  [
    'a file of a loop',
    {
      'cerebrium.toml': settings(),
      'main.py':
        'import json\nfrom pathlib import Path\n\nHERE = Path(__file__).parent / "texts"\nTEXTS = [json.loads((HERE / f"{name}.json").read_text()) for name in ("en", "de")]\n',
      'texts/en.json': '{}',
    },
    'texts/de.json is not in the app',
  ],
  [
    'a server of MCP without a port',
    {
      'cerebrium.toml': custom('["python", "server.py"]', '[cerebrium.dependencies.pip]\nfastmcp = "latest"\n'),
      'server.py': 'from fastmcp import FastMCP\n\nmcp = FastMCP("tools")\nmcp.run()\n',
    },
    'server.py starts a server of MCP that talks over its input and output',
  ],
])('%s is named', async (_, files, wanted) => {
  const plain = Object.entries({ 'cerebrium.toml': docker(), 'web.py': web, ...files });
  const bytes = plain.map(
    ([path, text]) => [path, text === 'latin1' ? Buffer.from('Música\n', 'latin1') : text] as const,
  );
  const problems = await problemsOf(Object.fromEntries(bytes));
  expect(problems.map(({ message }) => message).join('\n')).toContain(wanted);
});

describe('what the image starts of a project, and what it does not copy', () => {
  const project = (target: string) =>
    `[build-system]\nrequires = ["hatchling"]\n\n[project]\nname = "shop"\nversion = "1"\n\n[project.scripts]\nshop = "shop.cli:${target}"\n`;
  const builder =
    'FROM python:3.12-slim AS build\nWORKDIR /app\nRUN python -m venv /venv\nCOPY pyproject.toml ./\nCOPY src ./src\nRUN /venv/bin/pip install .\nFROM python:3.12-slim\nCOPY --from=build /venv /venv\nWORKDIR /app\nENV PATH=/venv/bin:$PATH\nCMD ["shop"]\n';
  const shop = { Dockerfile: builder, 'src/shop/__init__.py': '', 'src/shop/cli.py': 'def main():\n    return 0\n' };
  const read = 'FROM python:3.12-slim\nWORKDIR /srv\nCOPY main.py ./\nEXPOSE 8000\nCMD ["python", "main.py"]\n';
  const main = 'from pathlib import Path\n\nimport lib.data\n\nprint(Path("shops.toml").read_text(), lib.data)\n';
  const parts = { 'lib/__init__.py': '', 'lib/data.py': '', 'shops.toml': '', 'main.py': main };
  const script =
    'case "$1" in\n  serve) exec uvicorn main:app --host 0.0.0.0 --port 9000 ;;\n  *) exec uvicorn main:app --host 0.0.0.0 --port 7000 ;;\nesac\n';

  test('a script of the project names a function that there is', async () => {
    expect(await told({ ...shop, 'pyproject.toml': project('run') })).toEqual([
      'error: the entrypoint names an object that src/shop/cli.py does not have: run',
    ]);
    expect(await told({ ...shop, 'pyproject.toml': project('main') })).toEqual([]);
  });

  test('a module and a file that no COPY brings', async () => {
    expect(await told({ ...parts, Dockerfile: read })).toEqual([
      'warning: main.py imports lib.data, and Dockerfile does not copy lib/data.py',
      'warning: shops.toml is not in the image: Dockerfile does not copy it',
    ]);
    expect(await told({ ...parts, Dockerfile: read.replace('COPY main.py', 'COPY .') })).toEqual([]);
  });

  test('of a script with cases, the one that the image chooses', async () => {
    const served = (word: string) =>
      `FROM python:3.12-slim\nWORKDIR /srv\nRUN pip install uvicorn\nCOPY . .\nENTRYPOINT ["sh", "start.sh"]\nCMD ["${word}"]\n`;
    const files = { 'start.sh': script, 'main.py': 'async def app(scope, receive, send):\n    pass\n' };
    expect((await told({ ...files, Dockerfile: served('serve') })).join()).toContain('listens on port 9000');
    expect((await told({ ...files, Dockerfile: served('other') })).join()).toContain('listens on port 7000');
  });
});

const flask = `${base}RUN pip install flask gunicorn\nCOPY . .\n`;

// biome-ignore format: a case is a line
cases('an image that does not start', [
  ['a module that .dockerignore leaves out', { Dockerfile: flask + serve, 'web.py': web, '.dockerignore': 'web.py\n' }, 'error: web.py is in the app folder, but is not sent: .dockerignore:1'],
  ['one that exclude does', { 'cerebrium.toml': docker().replace('disable_auth', 'exclude = ["*.py"]\ndisable_auth'), Dockerfile: flask + serve, 'web.py': web }, 'error: web.py is in the app folder, but is not sent: exclude pattern'],
  ['a package that is ignored', { Dockerfile: flask + serve.replace('web:', 'src.web:'), 'src/web.py': web, '.dockerignore': 'src\n' }, 'error: src/web.py is in the app folder, but is not sent: .dockerignore:1'],
  ['no command', { Dockerfile: flask, 'web.py': web }, 'error: Dockerfile has no CMD and no ENTRYPOINT'],
  ['no command, and an entrypoint', { 'cerebrium.toml': docker('entrypoint = "gunicorn web:app -b 0.0.0.0:8000"\n'), Dockerfile: flask, 'web.py': web }, undefined],
  ['no command, and an image that may have one', { Dockerfile: 'FROM ghcr.io/shop/server:1\nCOPY . .\n', 'web.py': web }, undefined],
  ['a user that nothing makes', { Dockerfile: `${flask}USER shop\n${serve}`, 'web.py': web }, 'error: Dockerfile sets USER shop, and the image python:3.11-slim has no such user'],
  ['a user that is made below', { Dockerfile: `${flask}USER shop\nUSER root\nRUN useradd shop\nUSER shop\n${serve}`, 'web.py': web }, 'error: Dockerfile sets USER shop'],
  ['a user that is made', { Dockerfile: `${flask}RUN useradd -m shop\nUSER shop:shop\n${serve}`, 'web.py': web }, undefined],
  ['a user that is made by a variable', { Dockerfile: `${flask}ARG NAME=shop\nRUN useradd -m $NAME\nUSER $NAME\n${serve}`, 'web.py': web }, undefined],
  ['users of systems, and numbers', { Dockerfile: `${flask}USER nobody\nUSER www-data\nUSER 1001:0\n${serve}`, 'web.py': web }, undefined],
  ['users that come with a file', { Dockerfile: `FROM alpine AS users\nRUN adduser -D shop\n${flask}COPY --from=users /etc/passwd /etc/passwd\nUSER shop\n${serve}`, 'web.py': web }, undefined],
  ['a misspelled image', { Dockerfile: (flask + serve).replace('python:', 'pyhton:'), 'web.py': web }, 'warning: pyhton:3.11-slim is not a known image: did you mean python:3.11-slim?'],
  ['a misspelled image of the settings', { 'cerebrium.toml': custom('["gunicorn", "web:app", "-b", "0.0.0.0:8000"]', '[cerebrium.dependencies.pip]\nflask = "latest"\ngunicorn = "latest"\n').replace('disable_auth', 'docker_base_image_url = "debain:bookworm"\ndisable_auth'), 'web.py': web }, 'warning: debain:bookworm is not a known image: did you mean debian:bookworm?'],
  ['images that have an owner', { Dockerfile: (flask + serve).replace('python:', 'shop/pyton:'), 'web.py': web }, undefined],
]);

const script = (lines: string): Files => ({
  Dockerfile: `${base}RUN pip install flask gunicorn\nCOPY . .\nCMD ["sh", "start.sh"]\n`,
  'web.py': web,
  'start.sh': `#!/bin/sh\n${lines}exec gunicorn web:app -b "0.0.0.0:$PORT"\n`,
});

cases('the port of a start script', [
  ['a line of its own', script('PORT=9000\n'), 'warning: the command listens on port 9000, but port is 8000'],
  ['the right one', script('PORT=8000\n'), undefined],
  ['a line that another one exports', script('PORT=9000\nexport PORT\n'), 'listens on port 9000'],
  ['one that is exported later', script('export PORT=8000\nPORT=9000\n'), 'listens on port 9000'],
  ['the first of a list', script('PORT=9000 && echo ready\n'), 'listens on port 9000'],
  ['one below a condition', script('PORT=9000\nif [ -n "$FAR" ]; then\n  PORT=8000\nfi\n'), undefined],
  ['one behind a condition', script('PORT=9000\n[ -z "$FAR" ] || PORT=8000\n'), undefined],
  ['one that the platform may set', script(`PORT="\${PORT:-9000}"\n`), undefined],
]);

const supervised = (conf: string, flags = '"-n", ', more: Files = {}): Files => ({
  Dockerfile: `FROM debian:bookworm-slim\nRUN apt-get update && apt-get install -y nginx supervisor python3 python3-flask gunicorn\nWORKDIR /srv\nCOPY web.py ./\nCOPY nginx.conf /etc/nginx/conf.d/app.conf\nCOPY shop.conf /etc/supervisor/conf.d/shop.conf\nCMD ["/usr/bin/supervisord", ${flags}"-c", "/etc/supervisor/supervisord.conf"]\n`,
  'web.py': web,
  'nginx.conf': 'server {\n  listen 8000;\n  location / { proxy_pass http://127.0.0.1:9000; }\n}\n',
  'shop.conf': `[program:web]\ncommand=${conf}\n\n[program:nginx]\ncommand=/usr/sbin/nginx -g "daemon off;"\n`,
  ...more,
});
const gunicorn = 'gunicorn web:app -b 127.0.0.1:9000';
const lock = (...names: string[]) =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: Object.fromEntries(names.map((name) => [`node_modules/${name}`, {}])),
  });
const node = (...names: string[]): Files => ({
  Dockerfile: 'FROM node:22\nWORKDIR /app\nCOPY package*.json ./\nRUN npm ci\nCOPY . .\nCMD ["node", "server.js"]\n',
  'package.json': '{ "name": "shop", "dependencies": { "express": "4" } }',
  'package-lock.json': lock(...names),
  'server.js': 'require("express")().listen(8000)\n',
});
const poetry = (copied: string, flags = '', mode = ''): Files => ({
  Dockerfile: `FROM python:3.12-slim\nRUN pip install poetry flask gunicorn\nWORKDIR /srv\nCOPY ${copied} ./\nRUN poetry install${flags}\nCOPY web.py ./\n${serve}`,
  'pyproject.toml': `[tool.poetry]\nname = "shop"\nversion = "1"\nreadme = "README.md"\n${mode}\n[tool.poetry.dependencies]\npython = "^3.12"\nflask = "*"\ngunicorn = "*"\n`,
  'README.md': '# shop\n',
  'web.py': web,
});

// biome-ignore format: a case is a line
cases('what an image starts and installs', [
  ['a supervisor of Debian, with nginx in front', supervised(gunicorn), undefined],
  ['that goes to the background', supervised(gunicorn, ''), 'warning: supervisord goes to the background'],
  ['a module that it starts, and that is not there', supervised('gunicorn shop:app -b 127.0.0.1:9000'), 'warning: gunicorn loads shop, which is not in /srv'],
  ['another port of nginx', supervised(gunicorn, undefined, { 'nginx.conf': 'server {\n  listen 80;\n}\n' }), 'warning: nginx.conf listens on port 80, but port is 8000'],
  ['a port of nginx from a variable', supervised(gunicorn, undefined, { 'nginx.conf': 'server {\n  listen $PORT;\n}\n' }), undefined],
  ['a lock file without a package', node('debug'), 'error: package-lock.json does not have express, which package.json lists'],
  ['a lock file with it', node('express', 'debug'), undefined],
  ['a readme that is not copied', poetry('pyproject.toml'), 'warning: poetry install needs README.md'],
  ['a readme that is', poetry('pyproject.toml README.md'), undefined],
  ['a readme that nothing needs', poetry('pyproject.toml', ' --no-root'), undefined],
  ['a readme of no package', poetry('pyproject.toml', '', 'package-mode = false\n'), undefined],
  ['a GPU image on a CPU', { Dockerfile: 'FROM vllm/vllm-openai:v0.8.0\nCMD ["--model", "x", "--port", "8000"]\n' }, 'warning: vllm/vllm-openai:v0.8.0 uses a GPU, and compute is CPU'],
]);

const asgi = (command: string): Files => ({
  Dockerfile: `${base}RUN pip install fastapi flask uvicorn gunicorn\nCOPY . .\nCMD ["sh", "-c", "${command}"]\n`,
  'web.py': web,
  'api.py': 'from fastapi import FastAPI\n\napp = FastAPI()\n',
});
const spring = (jar: string): Files => ({
  Dockerfile: `FROM maven:3.9-eclipse-temurin-21 AS build\nWORKDIR /src\nCOPY . .\nRUN mvn -q package\nFROM eclipse-temurin:21-jre\nCOPY --from=build /src/target/${jar} /app.jar\nCMD ["java", "-jar", "/app.jar"]\n`,
  'pom.xml':
    '<project><parent><artifactId>p</artifactId><version>3.3.0</version></parent><artifactId>shop</artifactId><version>1.0</version></project>\n',
  'src/main/resources/application.properties': 'server.port=8000\n',
});

// biome-ignore format: a case is a line
cases('what a server serves', [
  ['an ASGI app by gunicorn', asgi('gunicorn api:app -b 0.0.0.0:8000'), 'error: gunicorn serves WSGI apps, and app of api.py is an ASGI app (FastAPI)'],
  ['an ASGI app by a worker of uvicorn', asgi('gunicorn api:app -k uvicorn.workers.UvicornWorker -b 0.0.0.0:8000'), undefined],
  ['a WSGI app by uvicorn', asgi('uvicorn web:app --host 0.0.0.0 --port 8000'), 'error: uvicorn serves ASGI apps, and app of web.py is a WSGI app (Flask)'],
  ['a WSGI app by uvicorn, which is told', asgi('uvicorn web:app --interface wsgi --host 0.0.0.0 --port 8000'), undefined],
  ['a worker class that is misspelled', asgi('gunicorn api:app -k uvicorn.worker.UvicornWorker -b 0.0.0.0:8000'), 'warning: gunicorn has no worker class uvicorn.worker.UvicornWorker'],
  ['a program that is misspelled', asgi('uvicron api:app --host 0.0.0.0 --port 8000'), 'warning: uvicron is not installed in the image'],
  ['a jar of another version', spring('shop-1.1.jar'), 'error: Dockerfile copies /src/target/shop-1.1.jar, which no command of the stage build makes'],
  ['its jar', spring('shop-1.0.jar'), undefined],
  ['any jar', spring('*.jar'), undefined],
  ['another port of Spring', { ...spring('*.jar'), 'src/main/resources/application.properties': 'server.port=9090\n' }, 'listens on port 9090, but port is 8000'],
]);
