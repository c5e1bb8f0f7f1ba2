import { cases, custom, docker, type Files, pip, settings } from './looked.ts';

const image = (lines: string, files: Files = {}): Files => ({ Dockerfile: `${lines}\n`, ...files });
const node = (rest: string) => `FROM node:22-alpine\nWORKDIR /app\nCOPY . .\n${rest}\nCMD ["node", "server.js"]`;
const server = { 'server.js': 'require("./lib/names");\n', 'lib/names.js': '' };
const api = '{ "name": "api", "dependencies": { "@shop/units": "workspace:*" } }';
const units = { 'packages/units/package.json': '{ "name": "@shop/units" }' };
const conda = (start: string) =>
  `FROM continuumio/miniconda3\nCOPY . .\nRUN conda env create -f environment.yml\nCMD [${start}]`;
const rasters = { 'environment.yml': 'name: rasters\ndependencies:\n  - python=3.11\n', 'a.py': '' };
const go = (build = '.', image = 'golang:1.24') =>
  `FROM ${image}\nWORKDIR /src\nCOPY . .\nRUN go build -o /web ${build}\nCMD ["/web"]`;
const goFiles = (line: string, version = '1.24') => ({
  'go.mod': `module example.org/web\n\ngo ${version}\n\nrequire github.com/go-chi/chi/v5 v5.1.0\n`,
  'main.go': `package main\n\nimport (\n\t"${line}"\n)\n`,
  'store/a.go': 'package store\n',
});
const rust = 'FROM rust:1.85\nCOPY . .\nRUN cargo build --release\nCMD ["/target/release/web"]';
const cargo = { 'Cargo.toml': '[package]\nname = "web"\n[dependencies]\naxum = "0.7"\n', 'src/pages.rs': '' };
const django = (apps: string, module = 'site1.settings'): Files => ({
  'cerebrium.toml': `${custom(`["env", "DJANGO_SETTINGS_MODULE=${module}", "gunicorn", "-b", "0.0.0.0:8000", "site1.wsgi"]`)}${pip('django', 'gunicorn')}`,
  'site1/__init__.py': '',
  'site1/settings.py': `INSTALLED_APPS = [\n    "django.contrib.auth",\n    # "gone",\n    ${apps},\n]\n`,
  'site1/wsgi.py': 'from django.core.wsgi import get_wsgi_application\n\napplication = get_wsgi_application()\n',
  'shop/__init__.py': '',
  'shop/apps.py': 'class ShopConfig:\n    name = "shop"\n',
});
const vite = (config: string) =>
  image(
    'FROM node:22 AS web\nWORKDIR /web\nCOPY . .\nRUN npx vite build\nFROM nginx\nCOPY --from=web /web/dist /usr/share/nginx/html',
    { 'vite.config.js': `export default { ${config} };\n` },
  );
const health = (route: string): Files => ({
  'cerebrium.toml': `${docker}healthcheck_endpoint = "/health"\n`,
  ...image(node(''), {
    'server.js': `const app = require("express")();\napp.get("${route}", (_, res) => res.json({}));\n`,
  }),
});

cases('parts of a project', [
  [
    'a command that selects none',
    image(node('RUN npx turbo build --filter=backend'), { ...server, 'package.json': api, ...units }),
    'backend is asked for',
  ],
  ['a part that no manifest has', image(node(''), { ...server, 'package.json': api }), '@shop/units is asked for'],
  [
    'those that there are',
    image(node('RUN npx turbo build --filter=api...'), { ...server, 'package.json': api, ...units }),
    undefined,
  ],
  [
    'an environment of another name',
    image(conda('"conda", "run", "-n", "raster", "python", "a.py"'), rasters),
    'raster is asked for',
  ],
  [
    'a server outside of the environment',
    image(conda('"hypercorn", "a:app", "-b", "0.0.0.0:8000"'), { ...rasters, 'a.py': 'app = 1\n' }),
    'hypercorn is not installed in the image',
  ],
  [
    'a part that uv finds later',
    image(
      'FROM python:3.12-slim\nCOPY --from=ghcr.io/astral-sh/uv:latest /uv /bin/\nCOPY pyproject.toml .\nRUN uv sync\nCOPY . .\nCMD ["uv", "run", "a.py"]',
      {
        'a.py': '',
        'pyproject.toml': '[project]\nname = "web"\n[tool.uv.sources]\nown-part = { workspace = true }\n',
        'libs/own/pyproject.toml': '[project]\nname = "own_part"\n',
      },
    ),
    'uv sync needs libs/own/pyproject.toml',
  ],
]);

cases('what sources load', [
  [
    'a file of Node in another case',
    image(node(''), { ...server, 'server.js': 'require("./lib/Names");\n' }),
    'imports ./lib/Names, which the app does not have',
  ],
  ['files of Node', image(node(''), server), undefined],
  [
    'a package of Node',
    image(node(''), { 'server.js': 'require("pg");\n', 'package.json': '{}' }),
    'server.js imports pg, which package.json does not list',
  ],
  [
    'a file of Ruby',
    image('FROM ruby:3.3\nCOPY . .\nCMD ["ruby", "a.rb"]', { 'a.rb': 'require_relative "lib/b"\n' }),
    'imports lib/b',
  ],
  [
    'a package of Go',
    image(go(), goFiles('github.com/x/y')),
    'main.go imports github.com/x/y, which go.mod does not list',
  ],
  ['a folder of Go', image(go(), goFiles('example.org/web/stores')), 'main.go imports example.org/web/stores'],
  [
    'folders and packages of Go',
    image(go(), goFiles('github.com/go-chi/chi/v5/middleware"\n\t"example.org/web/store')),
    undefined,
  ],
  ['a folder that Go builds', image(go('./cmd/web'), goFiles('example.org/web/store')), 'needs ./cmd/web'],
  [
    'a version that an old Go cannot read',
    image(go('.', 'golang:1.20'), goFiles('example.org/web/store', '1.23.0')),
    'go.mod wants Go >=1.21',
  ],
  ['a module of Rust', image(rust, { ...cargo, 'src/main.rs': 'mod page;\n' }), 'src/main.rs imports page'],
  [
    'a crate',
    image(rust, { ...cargo, 'src/main.rs': 'mod pages;\nuse serde::Serialize;\n' }),
    'imports serde, which Cargo.toml does not list',
  ],
  [
    'modules and crates',
    image(rust, { ...cargo, 'src/main.rs': 'mod pages;\nuse axum::Router;\nuse pages::index;\n' }),
    undefined,
  ],
]);

const nest = {
  'package.json': '{ "dependencies": { "@prisma/client": "^5" }, "scripts": { "build": "nest build" } }',
  'tsconfig.json': '{ "compilerOptions": { "outDir": "./dist", "rootDir": "./src" } }',
  'prisma/schema.prisma': 'generator client {\n  provider = "prisma-client-js"\n}\n',
  'src/main.ts': 'import "@prisma/client";\nimport "./orders.module";\n',
  'src/orders.module.ts': '',
};
const nestImage = (start = 'main.js') =>
  `FROM node:22-slim AS build\nWORKDIR /usr/src/app\nCOPY . .\nRUN npx prisma generate && npm run build\nFROM node:22-slim\nWORKDIR /usr/src/app\nCOPY --from=build /usr/src/app/dist dist\nCMD ["node", "dist/${start}"]`;
cases('apps whose build generates sources', [
  ['an app of Nest', image(nestImage(), nest), undefined],
  ['a start in another folder', image(nestImage('src/main.js'), nest), '/usr/src/app/dist/src/main.js is started'],
  [
    'an import of nearly the name',
    image(nestImage(), { ...nest, 'src/main.ts': 'import "./order.module";\n' }),
    'src/main.ts imports ./order.module',
  ],
  ['a misspelled tag', image(nestImage().replace('22-slim\n', '22-slm\n'), nest), 'did you mean node:22-slim'],
  ['a page of PHP', image('FROM php:8.3-cli\nWORKDIR /srv\nCMD ["php", "-S", "0.0.0.0:8000", "a.php"]'), '/srv/a.php'],
]);

cases('names that are given to others', [
  ['an app of Django', django('"blog"'), 'site1/settings.py imports blog'],
  ['an object in an app of Django', django('"shop.apps.ShopConf"'), 'shop/apps.py has no ShopConf'],
  ['the settings of Django', django('"shop"', 'site1.setting'), 'DJANGO_SETTINGS_MODULE loads site1.setting'],
  ['apps of Django', django('"shop.apps.ShopConfig"'), undefined],
  [
    'a module that is run',
    {
      'cerebrium.toml': `${custom('["python", "-m", "vllm.entrypoints.openai.apiserver", "--host", "0.0.0.0", "--port", "8000"]')}`,
    },
    'vllm.entrypoints.openai.apiserver is not installed',
  ],
  [
    'a variable in a list of words',
    {
      'cerebrium.toml': `${custom('["uvicorn", "a:app", "--host", "0.0.0.0", "--port", "$PORT"]')}${pip('uvicorn')}`,
      'a.py': 'app = 1\n',
    },
    'has $PORT, which is not replaced',
  ],
  [
    'apt on Alpine',
    {
      'cerebrium.toml': `${settings('', 'docker_base_image_url = "alpine:3.20"\n')}[cerebrium.dependencies.apt]\nffmpeg = "latest"\n`,
      'main.py': 'def run():\n    return 1\n',
    },
    'apt-get is not installed in the image',
  ],
  ['pages in another folder', vite('build: { outDir: "public" }'), 'copies /web/dist'],
  ['pages in the usual folder', vite('plugins: []'), undefined],
  ['a route by another name', health('/healthz'), 'the app has no /health'],
  ['a route', health('/health'), undefined],
  [
    'a file that the start names in a variable',
    {
      'cerebrium.toml': custom('["bash", "start.sh"]', 'include = ["*.sh", "*.py"]\n'),
      'start.sh': 'export PROMPT=texts/a.txt\nexec python a.py\n',
      'a.py': 'import os\n\nprint(open(os.environ["PROMPT"]).read())\n',
      'texts/a.txt': 'a\n',
    },
    'texts/a.txt is in the app folder, but is not sent',
  ],
]);
