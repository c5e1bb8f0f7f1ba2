import { expect, test } from 'vitest';
import { docker, type Files, settings, told } from './looked.ts';

const cortex = settings('[cerebrium.dependencies.pip]\nrequests = "latest"\njinja2 = "latest"\n');
const image = (base: string, ...lines: string[]) => ({
  Dockerfile: `FROM ${base}\nWORKDIR /srv\nCOPY . .\n${lines.join('\n')}\n`,
});

const said = async (files: Files) => (await told(files)).join('\n');

const debian = 'python:3.11-slim';
const flask = 'import flask\n\napp = flask.Flask(__name__)\n';
const serve = 'CMD ["gunicorn", "web:app", "-b", "0.0.0.0:8000"]';
const server = 'import http.server\n\nhttp.server.HTTPServer(("0.0.0.0", 8000), None).serve_forever()\n';
const gradio = (call: string, ...lines: string[]): Files => ({
  ...image(debian, 'RUN pip install gradio', ...lines, 'CMD ["python", "app.py"]'),
  'app.py': `import gradio as gr\n\ngr.Interface(len, "text", "text").launch(${call})\n`,
  'cerebrium.toml': docker.replace('8000', '7860'),
});
const converting = (apt: string): Files => ({
  ...image(debian, `RUN apt-get update && apt-get install -y ${apt}`, 'CMD ["python", "app.py"]'),
  'app.py': `import subprocess\n\nsubprocess.run(["soffice", "--headless"])\n${server}`,
});
const imports = (code: string): Files => ({
  'cerebrium.toml': cortex,
  'main.py': `import os\n\nimport requests\n\n${code}\n\ndef run():\n    return requests.get(os.sep)\n`,
});
const templates = (name: string, text: string): Files => ({
  'cerebrium.toml': cortex,
  'main.py':
    'import jinja2\n\nenv = jinja2.Environment(loader=jinja2.FileSystemLoader("prompts"))\n\n\ndef run():\n    return env.get_template("ask.j2").render()\n',
  [`prompts/${name}`]: text,
});
const thumbs = (address: string): Files => ({
  Dockerfile: `FROM golang:1.23-bookworm AS build\nWORKDIR /src\nCOPY . .\nRUN go build -o /thumbs .\nFROM gcr.io/distroless/static-debian12\nCOPY --from=build /thumbs /thumbs\nENTRYPOINT ["/thumbs"]\nCMD ["-addr", "${address}"]\n`,
  'go.mod': 'module thumbs\n\ngo 1.23\n',
  'main.go': 'package main\n\nfunc main() {}\n',
});

/** A file or a setting that breaks the app, and what is said; what works beside it is silent. */
test.each<[string, Files, string]>([
  [
    'pip of an environment that is not in the PATH',
    {
      ...image(
        'debian:bookworm-slim',
        'RUN apt-get update && apt-get install -y python3 python3-venv',
        'RUN python3 -m venv /opt/venv',
        'RUN pip install flask',
        'CMD ["python3", "web.py"]',
      ),
      'web.py': server,
    },
    'pip is not installed in the image',
  ],
  [
    'a list in single quotes behind an init',
    {
      ...image(
        debian,
        'RUN apt-get update && apt-get install -y tini',
        'ENTRYPOINT ["tini", "--"]',
        "CMD ['./start.sh']",
      ),
      'start.sh': '#!/bin/sh\nexec python web.py\n',
      'web.py': server,
    },
    'the list of CMD is no JSON',
  ],
  [
    'a Python file that no image has',
    { ...image(debian, `RUN python -c "import json; json.dumps(1)"`, 'CMD ["python", "main.py"]'), 'web.py': server },
    '/srv/main.py is started, which is not in the image',
  ],
  ['an address that the command gives to a program', thumbs('localhost:8000'), 'the server listens on localhost only'],
  ['gradio without an address', gradio(''), 'the server listens on 127.0.0.1 only'],
  [
    'uvicorn without an address in an image of CUDA',
    {
      'cerebrium.toml': settings(
        'docker_base_image_url = "nvidia/cuda:12.4.1-runtime-ubuntu22.04"\n[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ["uvicorn", "web:app", "--port", "8000"]\n[cerebrium.dependencies.pip]\nflask = "latest"\nuvicorn = "latest"\n',
      ),
      'web.py': flask,
    },
    'the server listens on 127.0.0.1 only',
  ],
  ['a program that no package of its name brings', converting('curl'), 'soffice is not installed in the image'],
  [
    'an import under a constant of the code',
    imports('DEBUG = True\nif DEBUG:\n    import icecream\n\n    icecream.install()\n'),
    'nothing installs icecream',
  ],
  [
    'an import of a function that is called',
    imports('def _frame():\n    import pandas\n\n    return pandas\n\n\nframe = _frame()\n'),
    'nothing installs pandas',
  ],
])('%s', async (_, files, problem) => {
  expect(await said(files)).toContain(problem);
});

test.each(
  Object.entries<Files>({
    'an init that apt installs': {
      ...image(
        debian,
        'RUN pip install flask gunicorn',
        'RUN apt-get update && apt-get install -y tini',
        'ENTRYPOINT ["tini", "--"]',
        serve,
      ),
      'web.py': flask,
    },
    'pip of an environment that is activated': {
      ...image(
        'debian:bookworm-slim',
        'RUN apt-get update && apt-get install -y python3 python3-venv',
        'RUN python3 -m venv /opt/venv && . /opt/venv/bin/activate && pip install flask',
        'CMD ["python3", "web.py"]',
      ),
      'web.py': server,
    },
    'a Python file that a command writes': {
      ...image(debian, `RUN python -c "open('main.py', 'w').write('')"`, 'CMD ["python", "-u", "main.py"]'),
      'web.py': server,
    },
    'a folder that root made and gave away': {
      ...image(
        debian,
        'RUN useradd office && mkdir /var/work && chown office /var/work /srv',
        'USER office',
        'RUN mkdir -p /var/work/a ~/b /tmp/c /srv/d /opt /tmp',
        'CMD ["python", "web.py"]',
      ),
      'web.py': server,
    },
    'a browser that apt installs': {
      ...image(
        'node:20-slim',
        'RUN apt-get update && apt-get install -y chromium',
        'ENV CHROME_BIN=/usr/bin/chromium',
        'CMD ["node", "a.mjs"]',
      ),
      'a.mjs': '',
    },
    'a port that the command gives to a program': thumbs(':8000'),
    'gradio with its variable': gradio('', 'ENV GRADIO_SERVER_NAME=0.0.0.0 GRADIO_SERVER_PORT=7860'),
    'gradio whose code sets its variable': {
      ...gradio(''),
      'app.py':
        'import os\n\nos.environ["GRADIO_SERVER_NAME"] = "0.0.0.0"\nimport gradio as gr\n\ngr.Interface(len, "text", "text").launch()\n',
    },
    'a program of a part of LibreOffice': converting('libreoffice-writer'),
    'an import under a variable': imports(
      'DEBUG = os.environ.get("DEBUG")\nif DEBUG:\n    import icecream\n\n    icecream.install()\n',
    ),
    'an import of a private function that nothing calls': imports(
      'def _frame():\n    import pandas\n\n    return pandas\n',
    ),
    'a file that COPY writes': {
      Dockerfile: `FROM ${debian}\nWORKDIR /srv\nCOPY <<EOF /srv/version.txt\n7\nEOF\nCOPY web.py .\nCMD ["python", "web.py"]\n`,
      'web.py': `from pathlib import Path\n\nprint(Path("version.txt").read_text())\n${server}`,
    },
    'a template with its ending': templates('ask.j2', '{% if a %}\n{% endif %}\n'),
  }),
)('%s is no problem', async (_, files) => {
  expect(await said(files)).toBe('');
});

/** What the entrypoint of the config file starts, in an app with `src/app.py`. */
const started = (entrypoint: string, rest = '') =>
  said({
    'cerebrium.toml': settings(`${rest}[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ${entrypoint}\n`),
    'src/__init__.py': '',
    'src/app.py': `from fastapi import FastAPI\n\napp = FastAPI()\n`,
  });
const listed = (line: string) => `[cerebrium.dependencies.pip]\nfastapi = "latest"\nuvicorn = "latest"\n${line}\n`;

test.each([
  ['["uvicorn", "main:app"]', '', 'error: uvicorn loads main, which is not in /cortex'],
  ['["uvicorn", "src.ap:app"]', '', 'error: uvicorn loads src.ap, which is not in /cortex'],
  ['["gunicorn", "-w", "4", "-b", "0.0.0.0:8000", "main:app"]', '', 'error: gunicorn loads main'],
  ['["sh", "-c", "exec uvicorn main:app"]', '', 'error: uvicorn loads main'],
  ['["python", "-m", "uvicorn", "main:app"]', '', 'error: uvicorn loads main'],
  ['["python3", "-u", "./main.py"]', '', 'error: main.py is started, and is not in the app'],
  ['["python3", "app.py"]', '', 'error: app.py is started, and is not there'],
  ['["uvicorn", "app:app"]', 'docker_base_image_url = "ghcr.io/me/app:1"\n', 'warning: uvicorn loads app'],
  ['["uvicorn", "backend.server:app"]', listed(''), 'error: uvicorn loads backend.server'],
])('%s starts what is not there', async (entrypoint, rest, problem) => {
  expect(await started(entrypoint, rest)).toContain(problem);
});

test.each([
  ['["uvicorn", "src.app:app"]', ''],
  ['["uvicorn", "--app-dir", "src", "app:app"]', ''],
  ['["python", "/opt/server.py"]', ''],
  ['["python", "-m", "http.server"]', ''],
  ['["python", "ComfyUI/main.py"]', 'shell_commands = ["git clone https://x.test/ComfyUI"]\n'],
  ['["uvicorn", "infinity_emb.server:app"]', listed('"infinity-emb[all]" = "1"')],
])('%s starts what is there, or what may be', async (entrypoint, rest) => {
  expect(await started(entrypoint, rest)).not.toMatch(/loads|is started/);
});
