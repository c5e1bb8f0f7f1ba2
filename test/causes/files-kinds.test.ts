import { describe, expect, test } from 'vitest';
import { readPython } from '../../src/app/python/read-python.ts';
import { emulatorForAll, gantry, machine, newFolder } from '../support/index.ts';
import { cases, custom, docker, type Files, settings } from './looked.ts';

const project = (needs: string, rest = '') =>
  `[project]\nname = "web"\nversion = "1"\nrequires-python = ">=3.11"\ndependencies = [${needs}]\n${rest}`;
const web = 'from flask import Flask\n\napp = Flask(__name__)\n';
const poetryApp = (needs: string): Files => ({
  Dockerfile:
    'FROM python:3.11-slim\nWORKDIR /srv\nRUN pip install poetry && poetry config virtualenvs.create false\nCOPY pyproject.toml poetry.lock web.py ./\nRUN poetry install --no-root\nCMD ["gunicorn", "web:app", "-b", "0.0.0.0:8000"]\n',
  'pyproject.toml': `[tool.poetry]\nname = "web"\nversion = "1"\n\n[tool.poetry.dependencies]\npython = "^3.11"\nflask = "^3.0"\n${needs}`,
  'poetry.lock':
    '[[package]]\nname = "flask"\nversion = "3.1.0"\n\n[[package]]\nname = "gunicorn"\nversion = "23.0.0"\n',
  'web.py': web,
});

const stages = (last: string, build = 'python -m venv /opt/venv && /opt/venv/bin/pip install flask gunicorn') =>
  `FROM python:3.11-slim AS build\nRUN ${build}\n\nFROM python:3.11-slim\nWORKDIR /srv\nCOPY web.py .\n${last}CMD ["gunicorn", "web:app", "-b", "0.0.0.0:8000"]\n`;
const staged = (last: string, build?: string): Files => ({ Dockerfile: stages(last, build), 'web.py': web });
const path = 'ENV PATH="/opt/venv/bin:$PATH"\n';

cases('packages of another stage', [
  ['that are copied', staged(`COPY --from=build /opt/venv /opt/venv\n${path}`), undefined],
  ['that are copied with the folder above', staged(`COPY --from=build /opt /opt\n${path}`), undefined],
  [
    'of the Python of the image',
    staged('COPY --from=build /usr/local /usr/local\n', 'pip install flask gunicorn'),
    undefined,
  ],
  [
    'of the user',
    staged(
      'COPY --from=build /root/.local /root/.local\nENV PATH="/root/.local/bin:$PATH"\n',
      'pip install --user flask gunicorn',
    ),
    undefined,
  ],
  [
    'as wheels',
    staged('COPY --from=build /wheels /wheels\nRUN pip install /wheels/*\n', 'pip wheel -w /wheels flask gunicorn'),
    undefined,
  ],
]);

const editable = (flag: string, last: string): Files => ({
  Dockerfile: `FROM python:3.11-slim AS build\nWORKDIR /srv\nRUN pip install uv\nCOPY pyproject.toml ./\nCOPY src ./src\nRUN uv sync ${flag}\n\nFROM python:3.11-slim\nWORKDIR /srv\nCOPY --from=build /srv/.venv /srv/.venv\n${last}ENV PATH="/srv/.venv/bin:$PATH"\nCMD ["gunicorn", "web:app", "-b", "0.0.0.0:8000"]\n`,
  'pyproject.toml': project(
    '"flask", "gunicorn"',
    '\n[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n',
  ),
  'src/web/__init__.py': web,
});

cases('a project that another stage installs', [
  ['with its files', editable('--no-editable', ''), undefined],
  ['by their place, which is copied', editable('', 'COPY src ./src\n'), undefined],
]);

const django = (changed: Files = {}): Files => ({
  Dockerfile:
    'FROM python:3.11-slim\nENV DJANGO_SETTINGS_MODULE=desk.settings\nWORKDIR /srv\nRUN pip install django gunicorn\nCOPY . .\nRUN SECRET=x python manage.py collectstatic --noinput\nCMD ["gunicorn", "desk.wsgi", "-b", "0.0.0.0:8000"]\n',
  'manage.py':
    'import sys\n\nfrom django.core.management import execute_from_command_line\n\nexecute_from_command_line(sys.argv)\n',
  'desk/__init__.py': '',
  'desk/wsgi.py': 'from django.core.wsgi import get_wsgi_application\n\napplication = get_wsgi_application()\n',
  'desk/urls.py': 'urlpatterns = []\n',
  'desk/settings.py':
    'import os\n\nSECRET_KEY = os.environ["SECRET"]\nINSTALLED_APPS = ["django.contrib.staticfiles"]\nROOT_URLCONF = "desk.urls"\nSTATIC_ROOT = "static"\n',
  'desk/templates/base.html':
    '{% load static %}\n{# {% if %} #}\n<link href="{% static "css/a.css" %}">{% block a %}{% endblock a %}\n',
  'desk/templates/page.html':
    '{% extends "base.html" %}\n{% block a %}{% for x in y %}{{ x }}{% empty %}{% endfor %}{% verbatim %}{% if %}{% endverbatim %}{% endblock %}\n',
  'desk/static/css/a.css': '',
  ...changed,
});
const without = (files: Files, file: string, from: string, to = ''): Files => {
  expect(files[file]).toContain(from);
  return { ...files, [file]: (files[file] ?? '').replace(from, to) };
};

cases('an app of Django', [
  ['that works', django(), undefined],
  [
    'without a folder to collect into',
    without(django(), 'desk/settings.py', 'STATIC_ROOT = "static"\n'),
    'error: collectstatic needs STATIC_ROOT',
  ],
]);

const image = (lines: string, changed: Files = {}): Files => ({
  Dockerfile: `FROM python:3.11-slim\nWORKDIR /srv\nRUN pip install flask gunicorn\nCOPY web.py ./\n${lines}CMD ["gunicorn", "web:app", "-b", "0.0.0.0:8000"]\n`,
  'web.py': web,
  ...changed,
});

cases('an image', [
  [
    'with a variable that names a folder of it',
    image('COPY prompts ./prompts\nENV PROMPTS=/srv/prompts\n', { 'prompts/a.txt': '' }),
    undefined,
  ],
  ['with a variable that names what the app makes', image('ENV CACHE=/srv/cache\n'), undefined],
  ['whose user is made', image('RUN useradd web\nUSER web\n'), undefined],
  ['whose user has a name that is a variable', image('ARG NAME=web\nRUN useradd "$NAME"\nUSER web\n'), undefined],
  [
    'where root installs',
    image('USER 1000\nUSER root\nRUN apt-get update && apt-get install -y git\nUSER 1000\n'),
    undefined,
  ],
  [
    'with the libraries of the browser',
    image('RUN pip install playwright && playwright install --with-deps chromium\n'),
    undefined,
  ],
  [
    'without tsconfig.json',
    {
      Dockerfile:
        'FROM node:22\nWORKDIR /srv\nCOPY package.json a.ts ./\nRUN npm install\nRUN npx tsc\nCMD ["node", "a.js"]\n',
      'package.json': '{"devDependencies": {"typescript": "5"}}',
      'a.ts': '',
    },
    'needs tsconfig.json',
  ],
]);

const run = (main: string, changed: Files = {}, rest = ''): Files => ({
  'cerebrium.toml': settings(
    `${rest}[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ["python", "main.py"]\n[cerebrium.dependencies.pip]\ngradio = "latest"\nrich = "latest"\nsqlalchemy = "latest"\ntransformers = "latest"\n`,
  ),
  'main.py': main,
  ...changed,
});
const demo = 'import gradio as gr\n\ndemo = gr.Interface(print, "text", "text")\n';
const launch = 'demo.launch(server_name="0.0.0.0", server_port=8000)\n';
const own =
  'class Reader:\n    def __init__(self, path, *, mode="r"):\n        self.path = path\n\n    def read(self, size=1):\n        return size\n\n    @staticmethod\n    def of(a, b):\n        return a\n\n\ndef cut(a, b, *rest, c=1):\n    return a\n';
const called = (call: string) =>
  run(`${demo}from own import Reader, cut\n\nr = Reader("x", mode="w")\n${call}\n${launch}`, { 'own.py': own });

cases('a program of Python', [
  [
    'with the arguments that its functions take',
    called(
      'r.read()\nr.read(size=2)\nReader.of(1, 2)\nr.of(1, 2)\nReader.read(r, 2)\ncut(1, 2, 3, c=4)\ncut(*[1, 2])\ncut(b=1, **{})',
    ),
    undefined,
  ],
  ['that does not launch its page', run(demo), 'makes an app, and nothing in it starts a server'],
  ['that launches its page', run(demo + launch), undefined],
  [
    'that uses a variable before it is there',
    run(`${demo}print(size)\nsize = 1\n${launch}`),
    'main.py uses size before line 5',
  ],
  [
    'that uses it in a loop',
    run(`${demo}for i in [1, 2]:\n    print(i > 1 and last)\n    last = i\n${launch}`),
    undefined,
  ],
  [
    'with a script of the build that is not there',
    run(demo + launch, {}, 'shell_commands = ["python get.py"]\n'),
    'error: get.py is started, and is not in the app',
  ],
  [
    'with a script that the build makes',
    run(demo + launch, {}, 'shell_commands = ["curl -o get.py https://example.com/get.py", "python get.py"]\n'),
    undefined,
  ],
  [
    'with a script that runs later',
    run(demo + launch, { 'get.py': 'import rich\n' }, 'shell_commands = ["python get.py"]\n'),
    undefined,
  ],
]);

const node = (source: string, changed: Files = {}): Files => ({
  Dockerfile: 'FROM node:22\nWORKDIR /srv\nCOPY . .\nCMD ["node", "a.mjs"]\n',
  'a.mjs': `${source}\nimport http from "node:http";\n\nhttp.createServer().listen(8000, "0.0.0.0");\n`,
  ...changed,
});
const exporting = {
  'b.mjs': 'export const one = 1;\nexport async function two() {}\nconst three = 3;\nexport { three as drei };\n',
};

cases('a program of Node', [
  [
    'with names that another file exports',
    node('import { one, two as zwei, drei } from "./b.mjs";', exporting),
    undefined,
  ],
  [
    'with a name of a file that may export all',
    node('import { x } from "./b.mjs";', { 'b.mjs': 'export * from "node:fs";\n' }),
    undefined,
  ],
]);

describe('variables that a program of Node needs', () => {
  const emulator = emulatorForAll();

  test.each([['a value that may be missing', 'const url = process.env.TOKEN ?? "";', []]])(
    '%s',
    async (_, source, needed) => {
      const { stderr } = await gantry(['check', '--online'], {
        emulator,
        cwd: newFolder({ 'cerebrium.toml': docker, ...node(source) }),
      });
      expect([...stderr.matchAll(/fix gantry secrets set (\w+)/g)].map(([, name]) => name)).toEqual(needed);
    },
  );
});

const members =
  'import os\n\n\nclass Shop:\n    currency = "EUR"\n\n    def __init__(self):\n        self.items, self.size = [], 0\n\n    def add(self, item):\n        self.items.append(item)\n        self._count()\n\n    def _count(self):\n        self.size += 1\n\n    @property\n    def total(self):\n        return self.size\n';
const fields =
  'from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Item:\n    name: str\n    price: int = 0\n';
const shop = (rest: string, own = members) =>
  run(`${demo}from item import Item\nfrom own import Shop\n\nshop = Shop()\n${rest}\n${launch}`, {
    'own.py': own,
    'item.py': fields,
  });

cases('a class of the app', [
  [
    'with what it has',
    shop('shop.add(Item("a", price=1))\nprint(shop.total, shop.size, Shop.currency, shop.__class__)'),
    undefined,
  ],
  ['with what other code gives it', shop('shop.owner = "x"\nprint(shop.owner)'), undefined],
  ['with a base that may have more', shop('shop.sell()', members.replace('Shop:', 'Shop(os.PathLike):')), undefined],
  [
    'with members that it looks for',
    shop('shop.sell()', `${members}\n    def __getattr__(self, name):\n        return name\n`),
    undefined,
  ],
  [
    'that another one mixes in',
    shop('', `${members.replace('self._count()', 'self.other()')}\n\nclass Big(Shop, dict):\n    pass\n`),
    undefined,
  ],
]);

test.each([
  ['tabs and spaces in one block', 'def f():\n        a = 1\n\treturn a\n', true],
  ['tabs and spaces before statements of one letter', 'def f(a):\n        a\n\ta\n', true],
  ['tabs in one function and spaces in another', 'def f():\n    return 1\n\n\ndef g():\n\treturn 2\n', false],
])('what Python refuses: %s', (_, source, isBroken) => {
  expect(readPython(source, 'main.py').isBroken).toBe(isBroken);
});

describe('variables that settings of Python need', () => {
  const emulator = emulatorForAll();

  test.each([
    [
      'django-environ',
      'import environ\n\nenv = environ.Env(DEBUG=(bool, False))\nA = env("DEBUG")\nB = env.str("TOKEN")\nC = env("OTHER", default="")\n',
      ['TOKEN'],
    ],
    [
      'python-decouple',
      'from decouple import config\n\nA = config("TOKEN")\nB = config("OTHER", default="")\n',
      ['TOKEN'],
    ],
    ['another config', 'def config(name):\n    return name\n\n\nA = config("TOKEN")\n', []],
  ])('%s', async (_, source, needed) => {
    const cwd = newFolder({
      'cerebrium.toml': settings(
        '[cerebrium.dependencies.pip]\ndjango-environ = "latest"\npython-decouple = "latest"\n',
      ),
      'main.py': `${source}\n\ndef run():\n    return A\n`,
    });
    const { stderr } = await gantry(['check', '--online'], { emulator, cwd });
    expect([...stderr.matchAll(/fix gantry secrets set (\w+)/g)].map(([, name]) => name)).toEqual(needed);
  });
});

cases('a command of an image', [
  [
    'with tini that is installed',
    {
      Dockerfile:
        'FROM node:22-alpine\nRUN apk add --no-cache tini\nCOPY a.js .\nENTRYPOINT ["/sbin/tini", "--", "node", "a.js"]\n',
      'a.js': '',
    },
    undefined,
  ],
  [
    'with tini of another image',
    {
      Dockerfile:
        'FROM node:22-alpine\nCOPY --from=example.com/tini:1 /tini /sbin/tini\nCOPY a.js .\nENTRYPOINT ["/sbin/tini", "--", "node", "a.js"]\n',
      'a.js': '',
    },
    undefined,
  ],
]);

const ofPoetry = (rest: string, command = '"gunicorn"'): Files => ({
  ...poetryApp('gunicorn = "^23"\n'),
  Dockerfile: `FROM python:3.11-slim\nWORKDIR /srv\nRUN pip install poetry\n${rest}COPY pyproject.toml poetry.lock web.py ./\nRUN poetry install --no-root\nCMD [${command}, "web:app", "-b", "0.0.0.0:8000"]\n`,
});

cases('an environment of Poetry', [
  ['that is not made', ofPoetry('ENV POETRY_VIRTUALENVS_CREATE=false\n'), undefined],
  ['that poetry run finds', ofPoetry('', '"poetry", "run", "gunicorn"'), undefined],
  ['that nothing finds', ofPoetry(''), 'gunicorn is not installed in the image'],
]);

/** With gunicorn in the group `dev`. */
const grouped = (install: string): Files => ({
  'pyproject.toml':
    '[tool.poetry]\nname = "web"\nversion = "1"\n[tool.poetry.dependencies]\npython = "^3.11"\nflask = "^3.0"\n[tool.poetry.group.dev.dependencies]\ngunicorn = "^23"\n',
  Dockerfile: `FROM python:3.11-slim\nENV V=1.8.5 POETRY_VIRTUALENVS_CREATE=false\nWORKDIR /srv\nRUN pip install "poetry==$V"\nCOPY pyproject.toml web.py ./\nRUN poetry install --no-root${install}\nCMD ["gunicorn", "web:app", "-b", "0.0.0.0:8000"]\n`,
  'web.py': web,
});

cases('a group of packages', [
  ['that is installed', grouped(''), undefined],
  ['that is left out', grouped(' --only main'), 'gunicorn is not installed in the image'],
]);

/** Several processes of one container. */
const managed = (command: string, rest: Files, install = 'pip install flask gunicorn celery honcho'): Files => ({
  Dockerfile: `FROM python:3.11-slim\nRUN apt-get update && apt-get install -y supervisor\nRUN ${install}\nWORKDIR /srv\nCOPY . .\nCMD [${command}]\n`,
  'web.py': web,
  'jobs.py': 'from celery import Celery\n\napp = Celery()\n',
  ...rest,
});
const procfile = (text: string): Files => ({ Procfile: `# both\nweb: gunicorn web:app -b 0.0.0.0:8000\n${text}` });
const supervised = (text: string, words = '"supervisord", "-c", "daemon.conf"'): Files =>
  managed(words, { 'daemon.conf': `[supervisord]\n${text}` });
const served = '[program:web]\ndirectory=/srv\ncommand=gunicorn web:app -b 0.0.0.0:8000\n';

cases('a process manager', [
  ['of a Procfile', managed('"honcho", "start"', procfile('work: celery -A jobs worker\n')), undefined],
  [
    'of a Procfile that names no module',
    managed('"honcho", "start"', procfile('work: celery -A job worker\n')),
    'celery loads job, which is not in /srv',
  ],
  [
    'of another port',
    managed('"honcho", "start"', { Procfile: 'web: gunicorn web:app -b 0.0.0.0:8001\n' }),
    'listens on port 8001',
  ],
  [
    'that is not installed',
    managed('"honcho", "start"', procfile(''), 'pip install flask gunicorn'),
    'honcho is not installed',
  ],
  ['of supervisord', supervised(`nodaemon=true\n${served}`), undefined],
  ['of supervisord, told by a flag', supervised(served, '"supervisord", "-n", "-c", "daemon.conf"'), undefined],
  ['of supervisord in the background', supervised(served), 'supervisord goes to the background'],
  [
    'of supervisord in the background, by the file of its folder',
    managed('"supervisord"', { 'supervisord.conf': `[supervisord]\n${served}` }),
    'supervisord goes to the background',
  ],
  [
    'of supervisord in another folder',
    supervised(`nodaemon=true\n${served.replace('/srv', '/srv/web')}`),
    'gunicorn loads web, which is not in /srv/web',
  ],
  [
    'of supervisord without its file',
    supervised(served, '"supervisord", "-n", "-c", "other.conf"'),
    'supervisord reads other.conf, which is not in the image',
  ],
  [
    'of supervisord with the file of its package',
    supervised(served, '"supervisord", "-n", "-c", "/etc/supervisor/supervisord.conf"'),
    undefined,
  ],
]);

const script = (command: string, more = ''): Files => ({
  Dockerfile: `FROM python:3.11-slim\nRUN pip install flask gunicorn\nWORKDIR /srv\nCOPY . .\n${more}${command}\n`,
  'run.sh': 'exec gunicorn web:app -b 0.0.0.0:8000\n',
  'web.py': web,
});

const shell = (text: string): Files => ({
  ...script('CMD ["sh", "run.sh"]'),
  'run.sh': `${text}exec gunicorn web:app \\\n  -b 0.0.0.0:8000\n`,
});

test.each([
  ['what Bash knows', 'if [[ -n "$A" ]]; then\n  echo a &>/dev/null 2>&1\nfi\n', undefined],
  ['an if that is not ended', 'if [ -n "$A" ]; then\n  echo a\n', 'has a syntax error: unexpected end of file'],
  ['a quote that is not ended', 'echo "a\n', 'unexpected EOF while looking for matching'],
  ['blanks behind a backslash', 'echo a \\ \n  b\n', 'a backslash with blanks behind it'],
])('a script that is started, with %s', async (_, text, said) => {
  const cwd = newFolder({ 'cerebrium.toml': docker, ...shell(text) });
  const { stderr } = await gantry(['check'], { cwd, env: machine() });
  expect(stderr.match(/^(?:error|warning): (.*)/m)?.[1]).toEqual(said && expect.stringContaining(said));
});

const installing = (...lines: string[]): Files => ({
  Dockerfile: `FROM python:3.11-slim\n${lines.map((line) => `RUN ${line}\n`).join('')}RUN pip install flask gunicorn\nWORKDIR /srv\nCOPY . .\nCMD ["gunicorn", "web:app", "-b", "0.0.0.0:8000"]\n`,
  'web.py': web,
});
const update = 'apt-get update';
const curl = 'apt-get install -y curl';

const asUser = (...lines: string[]): Files => ({
  ...installing(),
  Dockerfile: `FROM python:3.11-slim\n${lines.join('\n')}\nRUN apt-get update && apt-get install -y curl\nUSER root\nRUN pip install flask gunicorn\nCOPY . .\nCMD ["gunicorn", "web:app", "-b", "0.0.0.0:8000"]\n`,
});

cases('apt of another user', [
  ['root', asUser('USER nobody', 'USER root:root'), undefined],
  [
    'one that is named before',
    asUser('USER nobody'),
    'apt-get has to run as root, and the user of the image is nobody',
  ],
]);

cases('the lists of apt', [
  ['that are read', installing(update, curl), undefined],
  ['that are read in the same line', installing(`${update} && ${curl} && rm -rf /var/lib/apt/lists/*`), undefined],
  ['that nothing reads', installing(curl), 'apt-get install finds no packages'],
  [
    'that were removed',
    installing(`${update} && rm -rf /var/lib/apt/lists/*`, curl),
    'apt-get install finds no packages',
  ],
  ['that a script may read', installing('sh -c "apt-get update"', curl), undefined],
]);

cases('a script whose mode does not allow to start it', [
  ['that is started by itself', script('ENTRYPOINT ["./run.sh"]'), 'run.sh is started, and is not executable'],
  ['that a command allows to start', script('ENTRYPOINT ["./run.sh"]', 'RUN chmod +x run.sh\n'), undefined],
  ['that a shell starts', script('CMD ["sh", "./run.sh"]'), undefined],
]);

cases('a file that a server reads', [
  [
    'which is not there',
    {
      'cerebrium.toml': `${custom('["gunicorn", "-c", "conf/gunicorn.py", "web:app", "-b", "0.0.0.0:8000"]')}[cerebrium.dependencies.pip]\nflask = "latest"\ngunicorn = "latest"\n`,
      'web.py': web,
    },
    'gunicorn reads conf/gunicorn.py, which is not in the image',
  ],
]);

const started = (changed: Files): Files => ({
  Dockerfile:
    'FROM node:22-alpine\nRUN apk add --no-cache tini\nCOPY . .\nENTRYPOINT ["/sbin/tini", "--"]\nCMD ["npm", "start"]\n',
  'package.json': '{"scripts": {"start": "node a.mjs"}}',
  'a.mjs': 'import http from "node:http";\n\nhttp.createServer().listen(8000, "0.0.0.0");\n',
  ...changed,
});

cases('a script that an init starts', [
  ['with its file', started({}), undefined],
  [
    'without its file',
    started({ 'package.json': '{"scripts": {"start": "node b.mjs"}}' }),
    'b.mjs is started, which is not in the image',
  ],
]);
