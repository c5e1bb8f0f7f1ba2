import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Problem } from '../../src/kernel/errors.ts';
import { applyFix } from '../app/apply-fix.ts';
import { emulatorForAll, gantry, newFolder } from '../support/index.ts';
import { type Files, pip, problemsIn, settings } from './looked.ts';

const main = 'def run():\n    return 1\n';
const custom = (command: string, port = 8000) =>
  `[cerebrium.runtime.custom]\nport = ${port}\nentrypoint = ${command}\n`;

const told = (problems: readonly Problem[]) =>
  problems.map(({ severity, message, why }) => `${severity} ${message}${why === undefined ? '' : `: ${why}`}`);

test.each([
  ['the same', '["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "9000"]', 'port = 9000', []],
  [
    'another',
    '["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "9000"]',
    'port = 8000',
    ['warning 7:8 the command listens on port 9000, but port is 8000 -> port = 9000'],
  ],
  [
    'not the default',
    '["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "9000"]',
    '',
    ['warning 6:14 the command listens on port 9000, but port is 8000 -> port = 9000'],
  ],
  [
    'bound',
    '"gunicorn main:app --bind=0.0.0.0:9000"',
    'port = 80',
    ['warning 7:8 the command listens on port 9000, but port is 80 -> port = 9000'],
  ],
  ['of the command line', '["python", "main.py", "--port", "9000"]', 'port = 9000', []],
  ['unknown', '["python", "main.py"]', 'port = 80', []],
])('the port of the entrypoint is the configured port: %s', async (_, entrypoint, port, said) => {
  const toml = settings(
    `[cerebrium.runtime.custom]\nentrypoint = ${entrypoint}\n${port}\n${pip('uvicorn', 'gunicorn')}`,
  );
  const problems = await problemsIn(newFolder({ 'cerebrium.toml': toml, 'main.py': 'app = print\n' }));
  const shown = problems.map(
    ({ severity, location, message, fix }) =>
      `${severity} ${location?.line}:${location?.column} ${message} -> ${String(fix)}`,
  );
  expect(shown).toEqual(said);
});

describe('what is sent is looked at before it is sent', () => {
  test.each<[string, Files, string[]]>([
    [
      'a GPU that the region does not have',
      { 'cerebrium.toml': settings('[cerebrium.hardware]\ncompute = "HOPPER_H100"\nregion = "us-central1"\n') },
      ['warning us-central1 has no HOPPER_H100'],
    ],
    [
      'an entrypoint that is a file',
      { 'cerebrium.toml': settings('[cerebrium.runtime.custom]\nentrypoint = "main.py"\n') },
      ['error the entrypoint is a file, not a command: main.py'],
    ],
    [
      'FastAPI without a runtime',
      {
        'cerebrium.toml': settings(pip('fastapi')),
        'main.py': 'from fastapi import FastAPI\n\napp = FastAPI()\n',
      },
      ['warning main.py has app of FastAPI, and the default runtime serves functions, not its routes'],
    ],
    [
      'an app of another file without a runtime',
      {
        'cerebrium.toml': settings(pip('fastapi')),
        'main.py': 'from shop.web import app\n',
        'shop/web.py': 'from fastapi import FastAPI\n\napp = FastAPI()\n',
      },
      ['warning main.py has app of FastAPI, and the default runtime serves functions, not its routes'],
    ],
    ...[
      `RUN echo '#!/bin/sh' > go.sh && echo 'exec uvicorn main:app --port 9000' >> go.sh`,
      `RUN printf '%s\\n' '#!/bin/sh' 'exec uvicorn main:app --port 9000' > /srv/go.sh`,
      `COPY <<EOF /srv/go.sh\nuvicorn main:app --port 9000\nEOF`,
      `RUN cd /opt && cd ../srv && echo 'exec uvicorn main:app --port 9000' > go.sh`,
      `RUN cd && echo 'exec uvicorn main:app --port 9000' > go.sh && cp go.sh /\nWORKDIR /root`,
    ].map((text): [string, Files, string[]] => [
      `a script that a Dockerfile writes: ${text.slice(0, 16)}`,
      {
        'cerebrium.toml': settings('[cerebrium.runtime.custom]\nport = 8000\ndockerfile_path = "./Dockerfile"\n'),
        Dockerfile: `FROM python:3.12-slim\nWORKDIR /srv\nRUN pip install fastapi uvicorn\nCOPY . .\n${text}\nCMD ["sh", "go.sh"]\n`,
        'main.py': 'from fastapi import FastAPI\n\napp = FastAPI()\n',
      },
      ['warning the command listens on port 9000, but port is 8000', 'warning the server listens on 127.0.0.1 only'],
    ]),
    ...['python:3.12-slim', 'nvidia/cuda:12.6.3-runtime-ubuntu24.04', 'debian:trixie-slim'].map(
      (image): [string, Files, string[]] => [
        `a package that ${image} has no more`,
        {
          'cerebrium.toml': settings('[cerebrium.runtime.custom]\nport = 8000\ndockerfile_path = "./Dockerfile"\n'),
          Dockerfile: `FROM ${image}\nRUN apt-get update && apt-get install -y python3 libgl1-mesa-glx\nCOPY main.py .\nCMD ["python3", "main.py"]\n`,
        },
        ['warning the distribution of the image has no package libgl1-mesa-glx'],
      ],
    ),
    [
      'a package that the base image has no more',
      {
        'cerebrium.toml': settings(
          '[cerebrium.dependencies.apt]\nsoftware-properties-common = "latest"\n',
          'docker_base_image_url = "python:3.11-slim"\n',
        ),
      },
      ['warning the distribution of the image has no package software-properties-common'],
    ],
    [
      'a wheel of another machine in an image',
      {
        'cerebrium.toml': settings('[cerebrium.runtime.custom]\nport = 8000\ndockerfile_path = "./Dockerfile"\n'),
        Dockerfile:
          'FROM python:3.12-slim\nWORKDIR /srv\nCOPY requirements.txt .\nRUN apt-get update && apt-get install -y gcc\nRUN pip install -r requirements.txt\nCOPY . .\nCMD ["python", "main.py"]\n',
        'requirements.txt': 'shop @ file:///C:/work/dist/shop-1.0-py3-none-any.whl\n',
        'main.py': 'import shop\n\nshop.serve("0.0.0.0", 8000)\n',
      },
      ['error requirements.txt:1 installs /C:/work/dist/shop-1.0-py3-none-any.whl, which is not in the image'],
    ],
    [
      'an object that is not there',
      {
        'cerebrium.toml': settings(
          custom('["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"]') + pip('uvicorn'),
        ),
        'main.py': 'def predict(item: dict):\n    return item\n',
      },
      ['error the entrypoint names an object that main.py does not have: app'],
    ],
    [
      'sources of COPY, a port and an address of a Dockerfile',
      {
        'cerebrium.toml': settings(
          '[cerebrium.runtime.custom]\nport = 8000\ndockerfile_path = "./Dockerfile"\n',
          'exclude = ["requirements.txt"]\n',
        ),
        'requirements.txt': 'flask\n',
        Dockerfile:
          'FROM python:3.11-slim\nWORKDIR /app\nCOPY requirements.txt assets/photo.jpg ./\nCOPY src ./src\nCMD ["uvicorn", "main:app", "--host", "127.0.0.1", "--port", "9000"]\n',
      },
      [
        'the Dockerfile copies requirements.txt, which is not sent',
        'copies assets/photo.jpg, which is not in the app folder',
        'copies src, which is not in the app folder',
        'listens on port 9000, but port is 8000',
        'the server listens on 127.0.0.1 only',
      ],
    ],
    [
      'a module that is not sent, and one that nothing installs',
      {
        'cerebrium.toml': settings(pip('requests'), 'exclude = ["helpers.py"]\n'),
        'main.py': 'import requests\nimport torch\nfrom helpers import text\n',
        'helpers.py': 'text = 1\n',
      },
      [
        'error helpers.py is in the app folder, but is not sent',
        'warning main.py imports torch, and nothing installs torch',
      ],
    ],
    [
      'a module that no package brings along',
      { 'cerebrium.toml': settings(pip('requests')), 'main.py': 'import requests\nimport stripe\n' },
      ['error main.py imports stripe, and nothing installs stripe'],
    ],
    [
      'a relative import in main.py',
      { 'cerebrium.toml': settings(), 'main.py': 'from .other import x\n', 'other.py': 'x = 1\n' },
      ['error '],
    ],
    [
      'lines of requirements that pip cannot follow',
      {
        'cerebrium.toml': settings('[cerebrium.dependencies.paths]\npip = "requirements.txt"\n'),
        'requirements.txt': '-r more.txt\n-e ../shared\nnumpy @ file:///build/numpy\nflask=2\n',
      },
      ['more.txt is not in the app', '../shared', 'build/numpy', 'a requirement is not valid'],
    ],
    [
      'a check that the app does not answer',
      {
        'cerebrium.toml': settings(
          `${custom('["uvicorn", "main:app", "--host", "0.0.0.0"]')}healthcheck_endpoint = "/health"\n${pip('fastapi', 'uvicorn')}`,
        ),
        'main.py':
          'from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get("/healthz")\ndef healthz():\n    return 1\n',
      },
      ['warning the app has no /health, which the platform asks for'],
    ],
    ...['-e ../lib', '-e../lib', '--editable ../lib', '--editable  ../lib', '--editable=../lib'].map(
      (line): [string, Files, string[]] => [
        `what is on this machine only: ${line}`,
        {
          'cerebrium.toml': settings('[cerebrium.dependencies.paths]\npip = "requirements.txt"\n'),
          'requirements.txt': `requests\n${line}\n`,
        },
        [`error requirements.txt:2 installs ../lib, which is not in the app: "${line}" is on this machine only`],
      ],
    ),
    [
      'an index of a private network',
      {
        'cerebrium.toml': settings('[cerebrium.dependencies.paths]\npip = "requirements.txt"\n'),
        'requirements.txt': '--extra-index-url https://pypi.corp/simple\nrequests\n',
      },
      ['pypi.corp is an address of a private network'],
    ],
    ...[
      ['a file', 'COPY main.py /app/'],
      ['an address', 'ADD https://files.example.com/main.py /app/main.py'],
    ].map(([what, line]): [string, Files, string[]] => [
      `a program that the image has in another folder, from ${what}`,
      {
        'cerebrium.toml': settings('[cerebrium.runtime.custom]\nport = 8000\ndockerfile_path = "./Dockerfile"\n'),
        Dockerfile: `FROM python:3.12-slim\nWORKDIR /srv\n${line}\nCMD ["python", "main.py"]\n`,
      },
      ['error /srv/main.py is started, which is not in the image: the image has /app/main.py'],
    ]),
  ])('%s', async (_, files, wanted) => {
    const found = told(await problemsIn(newFolder({ 'main.py': main, ...files })));
    for (const each of wanted)
      expect(
        found.some((line) => line.includes(each)),
        `${each}\n${found.join('\n')}`,
      ).toBe(true);
  });

  test('and what works has no problems', async () => {
    const files = {
      'cerebrium.toml': settings(
        custom('["uvicorn", "app.main:app", "--host", "0.0.0.0", "--port", "8000"]') +
          pip('fastapi', 'uvicorn', 'numpy'),
      ),
      'app/__init__.py': '',
      'app/main.py':
        'import json\nfrom pathlib import Path\n\nimport numpy as np\nfrom fastapi import FastAPI\n\nfrom .other import scale\n\ntry:\n    import torch\nexcept ImportError:\n    torch = None\n\napp = FastAPI()\nDATA = json.loads((Path(__file__).parent / "data.json").read_text())\n\n\n@app.get("/")\ndef root():\n    return scale(np.array(DATA)).tolist()\n',
      'app/other.py': 'def scale(x):\n    return x * 2\n',
      'app/data.json': '[1, 2]\n',
    };
    expect(told(await problemsIn(newFolder(files)))).toEqual([]);
  });
});

/** What the user does who follows a fix; undefined for one that is no change of a file. */
function follow(root: string, problem: Problem): boolean {
  const path = join(root, 'cerebrium.toml');
  const text = readFileSync(path, 'utf8');
  const fix = String(problem.fix ?? '');
  const [, included] = /^add "([^"]+)" to include$/.exec(fix) ?? [];
  const [, excluded] = /^remove "([^"]+)" from exclude/.exec(fix) ?? [];
  const [, name, section] = /^add ([\w-]+) to \[cerebrium\.dependencies\.(\w+)\]/.exec(fix) ?? [];
  let fixed = applyFix(text, {
    ...problem,
    location: problem.location ?? { file: '', line: 1, column: 1, length: 1, text: '' },
  })[0];
  if (included) fixed = text.replace('include = [', `include = ["${included}", `);
  if (excluded)
    fixed = text.replace(new RegExp(`(exclude = \\[[^\\]]*)"${excluded.replace(/[.*]/g, '\\$&')}"(?:, )?`), '$1');
  if (name) fixed = text.replace(`[cerebrium.dependencies.${section}]\n`, (header) => `${header}${name} = "latest"\n`);
  if (/^\[cerebrium/.test(fix)) fixed = `${text}${fix}\n`;
  if (fixed === undefined || fixed === text) return false;
  writeFileSync(path, fixed);
  return true;
}

describe('a fix that is followed mends what it was said for, and breaks nothing', () => {
  const apt = '[cerebrium.dependencies.apt]\ncurl = "latest"\n';
  test.each(
    Object.entries<Files>({
      include: {
        'cerebrium.toml': settings('', 'include = ["main.py"]\n'),
        'main.py': 'import other\n',
        'other.py': '',
      },
      exclude: {
        'cerebrium.toml': settings('', 'exclude = ["*.csv", ".*"]\n'),
        'main.py': 'open("a.csv")\n',
        'a.csv': '1\n',
      },
      'exclude of a list of packages': {
        'cerebrium.toml': settings(
          '',
          'shell_commands = ["pip install -r requirements.txt"]\nexclude = ["*.txt", ".*"]\n',
        ),
        'requirements.txt': 'requests\n',
      },
      pip: { 'cerebrium.toml': settings(pip('requests')), 'main.py': 'import torch\n' },
      apt: { 'cerebrium.toml': settings(pip('pytesseract') + apt), 'main.py': 'import pytesseract\n' },
      port: {
        'cerebrium.toml': settings(
          custom('["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "9000"]') + pip('uvicorn'),
        ),
        'main.py': 'app = 1\n',
      },
      region: { 'cerebrium.toml': settings('[cerebrium.hardware]\ncompute = "ADA_L4"\nregion = "eu-north1"\n') },
      'a retired GPU': { 'cerebrium.toml': settings('[cerebrium.hardware]\ngpu = "AMPERE_A6000"\n') },
      'no GPU': { 'cerebrium.toml': settings('[cerebrium.hardware]\ngpu = "None"\n') },
      'a version that is none': { 'cerebrium.toml': settings('[cerebrium.dependencies.pip]\nrequests = "true"\n') },
      'a version with a letter': { 'cerebrium.toml': settings('[cerebrium.dependencies.pip]\nrequests = "==2.x"\n') },
      'a package of Debian': {
        'cerebrium.toml': settings('[cerebrium.dependencies.apt]\nlibsndfile-devel = "latest"\n'),
      },
      'a path of a check': {
        'cerebrium.toml': settings(
          `${custom('["uvicorn", "main:app", "--host", "0.0.0.0"]')}healthcheck_endpoint = "/health"\n${pip('fastapi', 'uvicorn')}`,
        ),
        'main.py':
          'from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get("/healthz")\ndef healthz():\n    return 1\n',
      },
      'an entrypoint that is one word': {
        'cerebrium.toml': settings(
          custom('["uvicorn main:app --host 0.0.0.0 --port 8000"]') + pip('fastapi', 'uvicorn'),
        ),
        'main.py': 'from fastapi import FastAPI\n\napp = FastAPI()\n',
      },
      'a newer Python': {
        'cerebrium.toml': settings(),
        'main.py': `def first[T](items: list[T]) -> T:\n    return items[0]\n\n\n${main}`,
      },
      'a module of a newer Python': {
        'cerebrium.toml': settings().replace('3.11', '3.10'),
        'main.py': `import tomllib\n\n\n${main}`,
      },
      'an entrypoint': { 'cerebrium.toml': settings('[cerebrium.runtime.custom]\nentrypoint = "main.py"\n') },
      'a runtime': {
        'cerebrium.toml': settings(pip('fastapi', 'uvicorn')),
        'main.py': 'from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get("/")\ndef root():\n    return 1\n',
      },
      'a runtime of Flask': {
        'cerebrium.toml': settings(pip('flask', 'gunicorn')),
        'main.py': 'from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.get("/")\ndef root():\n    return "1"\n',
      },
    }),
  )('%s', async (_, files) => {
    const root = newFolder({ 'main.py': main, ...files });
    const before = await problemsIn(root);
    expect(before).not.toEqual([]);
    expect(follow(root, before[0] as Problem), JSON.stringify(before)).toBe(true);
    expect(told(await problemsIn(root))).toEqual(told(before.slice(1)));
  });
});

test('a host that a variable may replace refuses no app', async () => {
  const settingsOf =
    'from pydantic_settings import BaseSettings\n\n\nclass Settings(BaseSettings):\n    host: str = "127.0.0.1"\n';
  const root = newFolder({
    'cerebrium.toml': settings(custom('["python", "main.py"]') + pip('uvicorn', 'fastapi', 'pydantic-settings')),
    'settings.py': `${settingsOf}\n\nsettings = Settings()\n`,
    'main.py':
      'import uvicorn\nfrom fastapi import FastAPI\nfrom settings import settings\n\napp = FastAPI()\nuvicorn.run(app, host=settings.host, port=8000)\n',
  });
  const found = await problemsIn(root);
  expect(found.map(({ cause, severity }) => [cause, severity])).toEqual([['bound-to-localhost', 'warning']]);
});

describe('variables that the code reads', () => {
  const emulator = emulatorForAll();
  const keys = 'key = os.getenv("SHOP_KEY")\n    other = os.getenv("OTHER_KEY")\n    ';
  const fields = (lines: string, more = '') =>
    `from pydantic_settings import BaseSettings\n    from pydantic import Field\n\n    class Settings(BaseSettings${more}):\n        ${lines}\n\n    return Settings(), Field`;
  const files = { 'cerebrium.toml': settings(), 'main.py': 'import os\n\nKEY = os.environ["SHOP_KEY"]\n' };

  test.each([[['check', '--online']], [['deploy', '--dry-run']], [['deploy']]])(
    'are compared with the secrets by %s',
    async (words) => {
      const cwd = newFolder(files);
      const { code, stderr } = await gantry(words, { emulator, cwd });
      expect(stderr).toMatch(/error: the variable SHOP_KEY is not set\n {2}in {2}main\.py:3:1\n/);
      // Only an app that is there has secrets of its own.
      expect(stderr).toContain('fix gantry secrets set SHOP_KEY\n');
      expect(code).toBe(10);
    },
  );

  test.each([[['check', '--online']], [['deploy']], [['explain']]])(
    'become secrets of the app that is deployed, by %s',
    async (words) => {
      const cwd = newFolder({ ...files, 'main.py': 'def run():\n    return 1\n' });
      await gantry(['deploy', '--name', 'shop'], { emulator, cwd });
      writeFileSync(join(cwd, 'main.py'), files['main.py']);
      writeFileSync(join(cwd, 'cerebrium.toml'), files['cerebrium.toml'].replace(/name = ".*"/, 'name = "shop"'));
      const { stdout, stderr } = await gantry(words, { emulator, cwd });
      expect(`${stdout}${stderr}`).toContain('gantry secrets set SHOP_KEY --app shop');
    },
  );

  test('are not asked for where a service only reports with them', async () => {
    const sentry = 'import os\n\nimport sentry_sdk\n\nsentry_sdk.init(dsn=os.environ.get("SENTRY_DSN"))\n';
    const cwd = newFolder({
      'cerebrium.toml': settings(pip('sentry-sdk')),
      'main.py': `${sentry}\n\ndef run():\n    return 1\n`,
    });
    const { stdout, stderr } = await gantry(['check', '--online'], { emulator, cwd });
    expect(`${stdout}${stderr}`).not.toContain('SENTRY_DSN');
  });

  test.each(
    Object.entries({
      'in a condition': 'if "SHOP_KEY" in os.environ:\n        return os.environ["SHOP_KEY"]',
      'in another one': 'return int(os.getenv("SHOP_KEY")) if os.getenv("SHOP_KEY") else 1',
      'by an exception': 'try:\n        return os.environ["SHOP_KEY"]\n    except KeyError:\n        return None',
      'of a field':
        'self = Shop()\n    self.key = os.environ.get("SHOP_KEY")\n    if self.key:\n        return self.key',
      'by another value': 'return os.environ.get("SHOP_KEY") or "none"',
      'by a default': 'return os.environ.get("SHOP_KEY", "none")',
      'as an answer': 'return {"has_key": bool(os.environ.get("SHOP_KEY"))}',
      'name by name': 'return [os.environ[each] for each in ("SHOP_KEY", "OTHER_KEY") if each in os.environ]',
      'name by name, by an exception':
        'for each in ("SHOP_KEY",):\n        try:\n            return os.environ[each]\n        except KeyError:\n            pass',
      'by its first use': 'return os.environ["SHOP_KEY"] if os.environ.setdefault("SHOP_KEY", "none") else 1',
      'by another variable': `${keys}if not key and not other:\n        raise ValueError()`,
      'by any other variable': `${keys}if not (key or other):\n        raise ValueError()`,
      'by one of all': `${keys}if not any([key, other]):\n        raise ValueError()`,
      'by the value of a setting': fields('shop_key: str = Field("none")'),
      'by the default of a setting': fields('shop_key: str = Field(default="none")'),
      'by the type of a setting': fields('shop_key: str | None'),
      'as it is no setting': fields('_shop_key: str'),
      'as the setting has other names': fields('model_config = {"env_nested_delimiter": "__"}\n        shop_key: str'),
      'as it sets it itself': 'for each in ("SHOP_KEY", "OTHER_KEY"):\n        os.environ[each] = "none"',
    }),
  )('are not asked for where the code handles that there is none: %s', async (_, lines) => {
    const main = `import os\n\n\nclass Shop:\n    pass\n\n\ndef run():\n    ${lines}\n`;
    const cwd = newFolder({ 'cerebrium.toml': settings(pip('pydantic-settings', 'pydantic')), 'main.py': main });
    const { stderr } = await gantry(['check', '--online'], { emulator, cwd });
    expect(stderr.replace(/^whether the packages fit.*\n/, '')).toBe('');
  });

  test.each(
    Object.entries({
      'in the other branch':
        'if "SHOP_KEY" not in os.environ:\n        raise ValueError("no key")\n    else:\n        return os.environ["SHOP_KEY"]',
      'by an exception':
        'try:\n        return os.environ["SHOP_KEY"]\n    except KeyError:\n        raise ValueError("no key")',
      'in another condition': 'if os.environ.get("OTHER"):\n        return os.environ["SHOP_KEY"]',
      'name by name': 'return [os.environ[each] for each in ("SHOP_KEY", "OTHER_KEY")]',
      'all names': 'return [each for each in ("SHOP_KEY", "OTHER_KEY") if each not in os.environ]',
      'all names, of a name of its own':
        'from os import environ\n    return [each for each in ("SHOP_KEY", "OTHER_KEY") if each not in environ]',
      'all values': 'return [each for each in ("SHOP_KEY", "OTHER_KEY") if not os.getenv(each)]',
      'what is empty': `${keys}if not key:\n        raise ValueError()`,
      'what is None': `${keys}if key is None or other is None:\n        raise ValueError()`,
      'what is empty, with others': `${keys}if not (\n        key\n        and other\n    ):\n        raise SystemExit(1)`,
      'what is read there': 'import sys\n    if not os.getenv("SHOP_KEY", ""):\n        sys.exit("no key")',
      'a setting': fields('shop_key: str'),
      'a setting with a description': fields('shop_key: str = Field(description="of the shop")'),
      'a setting with a name': fields('key: str = Field(..., validation_alias="SHOP_KEY")'),
      'a setting with the name of an older pydantic': fields('key: str = Field(..., env="SHOP_KEY")'),
      'a setting with a prefix': fields('key: str', ', env_prefix="SHOP_"'),
      'all values, by a name of its own':
        'from os import getenv\n    return [each for each in ("SHOP_KEY", "OTHER_KEY") if not getenv(each)]',
    }),
  )('are asked for where the code does not go on without: %s', async (_, lines) => {
    const cwd = newFolder({ 'cerebrium.toml': settings(), 'main.py': `import os\n\n\ndef run():\n    ${lines}\n` });
    // Nobody may call it, so it is no reason to refuse the app.
    expect(await gantry(['check', '--online'], { emulator, cwd })).toExit(
      0,
      'warning: the variable SHOP_KEY is not set',
    );
  });

  test.each([
    'KEY = os.getenv("SHOP_KEY")\nif not KEY:\n    raise ValueError("no key")',
    'for each in ("SHOP_KEY", "OTHER_KEY"):\n    if each not in os.environ:\n        raise ValueError(each)',
    'class Settings(BaseSettings):\n    shop_key: str\n\n\nsettings = Settings()',
  ])('refuse the app where they are needed to load it: %j', async (lines) => {
    const main = `import os\n\nfrom pydantic_settings import BaseSettings\n\n${lines}\n\n\ndef run():\n    return os, BaseSettings\n`;
    const cwd = newFolder({ 'cerebrium.toml': settings(pip('pydantic-settings')), 'main.py': main });
    expect(await gantry(['check', '--online'], { emulator, cwd })).toExit(
      10,
      'error: the variable SHOP_KEY is not set',
    );
  });

  test('and there is nothing to say once there is one', async () => {
    const env = { SHOP_KEY: 'x' };
    await gantry(['secrets', 'set', 'SHOP_KEY', '--from-env', '--yes'], { emulator, env });
    expect((await gantry(['check', '--online'], { emulator, cwd: newFolder(files) })).code).toBe(0);
  });
});
