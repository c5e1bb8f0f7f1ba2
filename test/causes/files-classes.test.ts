import { expect, test } from 'vitest';
import { type Files, problemsOf } from './looked.ts';

/** A mistake, what is said of it, and what mends it. */
type Case = [what: string, files: Files, said: string, mended: Files];

const settings = (rest: string, python = '3.12') =>
  `[cerebrium.deployment]\nname = "web"\npython_version = "${python}"\ndisable_auth = false\n${rest}`;
const pip = (...lines: string[]) =>
  `[cerebrium.dependencies.pip]\n${lines.map((each) => `"${each.replace(' ', '" = "')}"\n`).join('')}`;
const custom = (...words: string[]) =>
  `[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ${JSON.stringify(words)}\n`;
const uvicorn = custom('uvicorn', 'app.main:app', '--host', '0.0.0.0', '--port', '8000');
const docker = settings('[cerebrium.runtime.custom]\nport = 8000\ndockerfile_path = "./Dockerfile"\n');
const run = '\n\ndef run():\n    return 1\n';
const gpu = '[cerebrium.hardware]\ncompute = "AMPERE_A10"\ngpu_count = 2\n';

const functions = (code: string, packages: string[] = [], rest = '', python = '3.12'): Files => ({
  'cerebrium.toml': settings(rest + pip(...packages), python),
  'main.py': code + run,
});
const served = (code: string, files: Files = {}, packages = ['uvicorn 0.30.6']): Files => ({
  'cerebrium.toml': settings(uvicorn + pip('fastapi 0.115.0', ...packages)),
  'app/__init__.py': '',
  'app/main.py': `from fastapi import FastAPI\n\napp = FastAPI()\n${code}`,
  ...files,
});
const image = (dockerfile: string, files: Files = {}): Files => ({
  'cerebrium.toml': docker,
  Dockerfile: dockerfile,
  ...files,
});
const go = (copy: string, code = 'http.Get("https://rates.dev/x")') =>
  image(
    `FROM golang:1.23 AS build\nWORKDIR /src\nCOPY . .\nRUN CGO_ENABLED=0 go build -o /web .\nFROM scratch\n${copy}COPY --from=build /web /web\nENTRYPOINT ["/web"]\n`,
    {
      'go.mod': 'module example.org/web\n\ngo 1.23\n',
      'rates.json': '{}\n',
      'main.go': `package main\n\nimport (\n\t"net/http"\n\t"os"\n)\n\nfunc main() {\n\tos.ReadFile("/rates.json")\n\t${code}\n\thttp.ListenAndServe(":8000", nil)\n}\n`,
    },
  );
const selenium = (call: string, version = '4.25.0') =>
  functions(
    `from selenium import webdriver\n\n\ndef title(driver):\n    return driver.${call}.text\n`,
    [`selenium ${version}`],
    '[cerebrium.dependencies.apt]\nchromium = "latest"\n',
  );
const certificates = 'COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/\n';

const cases: Case[] = [
  [
    'a keyword that the version of a package does not take',
    functions('import httpx\n\nclient = httpx.Client(proxies="http://proxy")\n', ['httpx 0.28.1']),
    'main.py gives proxies to httpx.Client, which httpx 0.28.1 does not allow',
    functions('import httpx\n\nclient = httpx.Client(proxies="http://proxy")\n', ['httpx 0.27.2']),
  ],
  [
    'a method that the version of a package does not have',
    selenium('find_element_by_id("a")'),
    'main.py calls find_element_by_id, which selenium 4.25.0 does not allow',
    selenium('find_element("id", "a")'),
  ],
  [
    'a method with a keyword',
    functions('import pandas as pd\n\n\ndef add(frame):\n    return frame.append({}, ignore_index=True)\n', [
      'pandas 2.2.2',
    ]),
    'main.py calls append with ignore_index, which pandas 2.2.2 does not allow',
    functions('import pandas as pd\n\n\ndef add(rows):\n    return rows.append({})\n', ['pandas 2.2.2']),
  ],
  [
    'a call without what a newer version wants',
    functions('import jwt\n\n\ndef user(token):\n    return jwt.decode(token, "key")\n', ['pyjwt 2.9.0']),
    'main.py calls jwt.decode without algorithms, which pyjwt 2.9.0 does not allow',
    functions('import jwt\n\n\ndef user(token):\n    return jwt.decode(token, "key", ["HS256"])\n', ['pyjwt 2.9.0']),
  ],
  ...['11.1.0', '^11.1', '>=10,<12'].map(
    (version): Case => [
      `a name of what is imported from a package: ${version}`,
      functions('from PIL import Image\n\nkind = Image.ANTIALIAS\n', [`pillow ${version}`]),
      'main.py takes ANTIALIAS from PIL.Image, which pillow',
      functions('from PIL import Image\n\nkind = Image.LANCZOS\n', [`pillow ${version}`]),
    ],
  ),
  [
    'a name that Python has no more',
    functions('import inspect\n\n\ndef names(f):\n    return inspect.getargspec(f)\n'),
    'main.py takes getargspec from inspect, which has it no more since Python 3.11',
    functions('import inspect\n\n\ndef names(f):\n    return inspect.getfullargspec(f)\n'),
  ],
  [
    'a member that Python does not have yet',
    functions('import itertools\n\npairs = itertools.batched("abcd", 2)\n', [], '', '3.11'),
    'main.py takes batched from itertools, which has it since Python 3.12',
    functions('import itertools\n\npairs = itertools.batched("abcd", 2)\n'),
  ],
  [
    'a decorator that Python has no more',
    functions('import asyncio\n\n\n@asyncio.coroutine\ndef tick():\n    yield\n'),
    'main.py takes coroutine from asyncio, which has it no more since Python 3.11',
    functions('import asyncio\n\n\nasync def tick():\n    await asyncio.sleep(1)\n'),
  ],
  [
    'a file beside the code, where the app starts above it',
    served('rules = open("rules.txt").read()\n', { 'app/rules.txt': 'a\n' }),
    'app/main.py opens rules.txt in /cortex, where the app starts, and it is not there',
    served('rules = open("app/rules.txt").read()\n', { 'app/rules.txt': 'a\n' }),
  ],
  [
    'a GPU of an app that has none',
    functions('import torch\n\nmodel = torch.zeros(1).to("cuda")\n', ['torch latest']),
    'main.py uses a GPU, and compute is CPU',
    functions('import torch\n\nmodel = torch.zeros(1).to("cuda")\n', ['torch latest'], gpu),
  ],
  [
    'more GPUs than the app has',
    functions('from vllm import LLM\n\nllm = LLM("a/b", tensor_parallel_size=4)\n', ['vllm latest'], gpu),
    'main.py takes 4 GPUs, and gpu_count is 2',
    functions('from vllm import LLM\n\nllm = LLM("a/b", tensor_parallel_size=2)\n', ['vllm latest'], gpu),
  ],
  [
    'a file that Go reads and no COPY brings',
    go(certificates),
    '/rates.json is not in the app',
    go(`COPY rates.json /rates.json\n${certificates}`),
  ],
];

const seen = async (files: Files) => (await problemsOf(files)).map(({ message }) => message);

test.each(cases)(
  'a mistake of a class is named, and the app without it has none: %s',
  async (_, files, said, mended) => {
    expect((await seen(files)).join('\n')).toContain(said);
    expect(await seen(mended)).toEqual([]);
  },
);
