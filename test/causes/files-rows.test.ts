import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../support/files.ts';
import { docker, type Files, pip, problemsIn, problemsOf, settings } from './looked.ts';

const py = (code: string, rest = '', files: Files = {}): Files => ({
  'cerebrium.toml': settings(rest),
  'main.py': `${code}\n\n\ndef run():\n    return 1\n`,
  ...files,
});
/** An app whose server of Python has these settings. */
const started = (entrypoint: string, rest = '', files: Files = {}): Files => ({
  'cerebrium.toml': settings(`[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ${entrypoint}\n${rest}`),
  'main.py': 'print(1)\n',
  ...files,
});
const image = (lines: string[], files: Files = {}, stage?: string): Files => ({
  'cerebrium.toml': docker,
  Dockerfile: `${stage ? `FROM python:3.12-slim${stage}\n\n` : ''}FROM python:3.12-slim\nWORKDIR /srv\n${lines.join('\n')}\n`,
  'main.py': 'print(1)\n',
  ...files,
});
const serve = 'CMD ["python", "main.py"]';
const lfs = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 123456789\n`;
const merged = '<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> other\n';
const required = (line: string, files: Files = {}): Files =>
  py('', '[cerebrium.dependencies.paths]\npip = "requirements.txt"\n', { 'requirements.txt': `${line}\n`, ...files });

test.each<[row: string, files: Files, said: string]>([
  [
    'command-failed script',
    image(['COPY package.json .', 'RUN npm run build', serve], {
      'package.json': '{"scripts": {"start": "node a.js"}}',
    }),
    'Dockerfile runs npm run build, and package.json has no script build',
  ],
  [
    'copy-source-missing outside',
    image(['COPY ../main.py .', serve]),
    'copies ../main.py, which is outside of the app folder',
  ],
  [
    'copy-source-missing stage',
    image(['COPY --from=builder /a /a', 'COPY main.py .', serve]),
    'warning Dockerfile copies from a stage builder, which it does not have before that line',
  ],
  [
    'data-missing',
    py('import spacy\n\nnlp = spacy.load("en_core_web_sm")', pip('spacy')),
    'nothing installs en_core_web_sm, which main.py loads',
  ],
  [
    'entrypoint-invalid shell',
    started('"cd src && python main.py"'),
    'the entrypoint starts cd, which only a shell knows',
  ],
  ['file-invalid merge', py('', '', { 'a.json': merged }), 'a.json has an unresolved merge conflict'],
  ['file-not-found case', py('TEXT = open("Data.txt").read()', '', { 'data.txt': '' }), ': the app has data.txt'],
  [
    'file-not-found outside',
    py('TEXT = open("../data.txt").read()'),
    'main.py opens ../data.txt, which is outside of the app folder',
  ],
  [
    'git-access-denied',
    required('a @ git+ssh://git@github.com/a/b'),
    'error the Git repository of a requirement needs a login: "git+ssh://git@github.com/a/b" needs an SSH key, and the build has none',
  ],
  ['git-lfs-pointer', py('', '', { 'a.bin': lfs }), 'a.bin is only a pointer of Git LFS, not its content'],
  [
    'line-endings',
    image(['COPY . .', 'CMD ["sh", "run.sh"]'], { 'run.sh': 'python main.py\r\n' }),
    'run.sh has Windows line endings',
  ],
  [
    'module-missing development',
    {
      'cerebrium.toml': docker,
      Dockerfile: 'FROM node:22\nWORKDIR /srv\nCOPY . .\nRUN npm ci --omit=dev\nCMD ["node", "a.js"]\n',
      'package.json': '{"devDependencies": {"express": "5"}}',
      'package-lock.json': '{}',
      'a.js': 'require("express")().listen(8000);\n',
    },
    'warning a.js imports express, and the image installs no devDependencies',
  ],
  [
    'module-missing elsewhere',
    py('import tools', '', { 'src/tools.py': '' }),
    'main.py imports tools, which is not where Python looks for it: the app has src/tools.py, and Python looks in the app folder',
  ],
  [
    'not-listening streamlit',
    started('["python", "main.py"]', pip('streamlit'), { 'main.py': 'import streamlit as st\n\nst.write(1)\n' }),
    'python runs main.py once, and starts no server',
  ],
  ['package-not-found debian', py('', pip('libgl1')), 'libgl1 is a package of Debian, which pip does not install'],
  [
    'package-not-found like',
    py('', pip('fastapii')),
    'warning the package index has no fastapii for this system: it is not known; fastapi is probably meant',
  ],
  ['package-not-found module', py('', pip('cv2')), 'cv2 is the name of a module, and its package is opencv-python'],
  [
    'package-not-found spacy',
    py('', '[cerebrium.dependencies.pip]\nen-core-web-sm = "==3.7.1"\n'),
    'error the package index has no en-core-web-sm for this system: the models of spaCy are not on PyPI',
  ],
  [
    'package-version-not-found local',
    py('', '[cerebrium.dependencies.pip]\ntorch = "==2.4.0+cu121"\n'),
    'error the package index has no torch ==2.4.0+cu121 for this system: builds with +cu121 are on an index of their own',
  ],
  [
    'port-invalid',
    image([
      'COPY . .',
      'RUN pip install uvicorn',
      'CMD ["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "$PORT"]',
    ]),
    'CMD has $PORT, which is not replaced in a list of words',
  ],
  [
    'python-version-unsupported needed',
    {
      'cerebrium.toml': settings('[cerebrium.dependencies.pip]\nnetworkx = "==3.5"\n').replace('3.11', '3.10'),
      'main.py': 'def run():\n    return 1\n',
    },
    'error networkx is not made for the Python version of the app: networkx 3.5 needs Python >=3.11, and the app runs on 3.10',
  ],
  [
    'python-version-unsupported project',
    py('', '', { 'pyproject.toml': '[project]\nname = "a"\nversion = "1"\nrequires-python = ">=3.13"\n' }),
    'pyproject.toml wants Python >=3.13, and the app runs on 3.11',
  ],
  ...['>3.12', '<=3.10', '===3.10', '~=3.12', '==3.12.*', '~3.12', '3.10'].map((wanted): [string, Files, string] => [
    'python-version-unsupported project',
    py('', '', { 'pyproject.toml': `[tool.poetry.dependencies]\npython = "${wanted}"\n` }),
    `pyproject.toml wants Python ${wanted}, and the app runs on 3.11`,
  ]),
  [
    'requirement-invalid',
    {
      'cerebrium.toml': settings('[cerebrium.dependencies.pip]\n"nump y" = "1.0"\n'),
      'main.py': 'def run():\n    return 1\n',
    },
    'a requirement is not valid: nump y==1.0',
  ],
  [
    'requirement-invalid no-project',
    required('-e ./lib', { 'lib/a.py': '' }),
    'requirements.txt:1 installs ./lib, which has no pyproject.toml or setup.py',
  ],
  [
    'shared-library-missing',
    py('import cv2', pip('opencv-python')),
    'opencv-python loads a library of libgl1, and no apt package brings it',
  ],
  [
    'wrong-port exposed',
    image(['EXPOSE 9000', 'COPY . .', 'CMD ["./start"]']),
    'the Dockerfile exposes port 9000, but port is 8000',
  ],
  ['copy-source-missing, nearly', image(['COPY mian.py .', serve]), '-> write main.py instead of mian.py'],
  [
    'copy-source-missing stage, nearly',
    image(['COPY --from=maed /a /a', 'COPY main.py .', serve], {}, ' AS made'),
    '-> --from=made',
  ],
  [
    'copy-source-missing stage, another',
    image(['COPY --from=builder /a /a', 'COPY main.py .', serve], {}, ' AS made'),
    '-> use the name of a stage: made',
  ],
  ['dependency-conflict', py('', '[cerebrium.dependencies.pip]\nnumpy = ">=2,<1"\n'), 'no version of numpy is >=2,<1'],
  [
    'dockerfile-invalid keyword',
    image(['RUN apt-get update', '    && apt-get upgrade', 'COPY . .', serve]),
    '-> end the line before it with a backslash',
  ],
  [
    'entrypoint-attribute-missing',
    started('["uvicorn", "main:ap", "--host", "0.0.0.0"]', pip('fastapi', 'uvicorn'), {
      'main.py': 'from fastapi import FastAPI\n\napp = FastAPI()\n',
    }),
    '-> write main:app',
  ],
  ['import-name-missing', py('from a import on', '', { 'a.py': 'one = 1\n' }), '-> import one, or define on in a.py'],
  [
    'import-name-missing member',
    py('import a\n\nprint(a.on)', '', { 'a.py': 'one = 1\n' }),
    '-> use a.one, or define on in a.py',
  ],
  [
    'package-api-changed unbound',
    py('', '[cerebrium.dependencies.pip]\nopencv-python-headless = "==4.9.0.80"\n'),
    'opencv-python-headless 4.9.0.80 does not work with the numpy that pip installs beside it',
  ],
  [
    'python-version-unsupported module',
    { 'cerebrium.toml': settings().replace('3.11', '3.13'), 'main.py': 'import cgi\n\n\ndef run():\n    return cgi\n' },
    ': cgi is not in the standard library since Python 3.13',
  ],
  [
    'python-version-unsupported project, in an image',
    image(['COPY . .', serve], {
      'pyproject.toml': '[project]\nname = "a"\nversion = "1"\nrequires-python = ">=3.13"\n',
    }),
    '-> use an image with that Python, or change it here',
  ],
  [
    'relative-import',
    started('["python", "-m", "shop.a"]', '', { 'shop/__init__.py': '', 'shop/a.py': 'from ... import b\n' }),
    ': ... stands for a folder that is not inside of a package',
  ],
  [
    'file-not-found image',
    image(['COPY . .', serve], { 'main.py': 'print(open("/data/rows.csv").read())\n', 'rows.csv': '' }),
    '-> open /srv/rows.csv',
  ],
  [
    'module-missing own',
    py('import shop.bilings', '', { 'shop/__init__.py': '', 'shop/billings.py': '' }),
    'the app has shop/billings.py',
  ],
  ['name-undefined', py('print(nothing)'), 'main.py uses nothing, which nothing defines:  -> import it'],
  ['name-undefined, of notebooks', py('display(1)'), ': only notebooks have it'],
  ['name-undefined, of notebooks', py('get_ipython()'), ': only notebooks have it'],
])('what files show: %s', async (_, files, said) => {
  const problems = await problemsOf(files);
  const lines = problems.map(
    ({ severity, message, why = '', fix = '' }) => `${severity} ${message}: ${why} -> ${String(fix)}`,
  );
  expect(lines).toContainEqual(expect.stringContaining(said));
});

test.each([
  ['main.py', 'error', 'NAME = "caf\xe9"\n\n\ndef run():\n    return NAME\n'],
  ['package.json', 'warning', '{"name": "caf\xe9"}\n'],
])('a file that is not UTF-8: %s', async (file, severity, text) => {
  const files = { ...py(''), [file]: Buffer.from(text, 'latin1') };
  expect(await problemsOf(files)).toContainEqual(
    expect.objectContaining({ severity, cause: 'file-encoding', location: expect.objectContaining({ file, line: 1 }) }),
  );
});

test('a module beside the folder of the app', async () => {
  const web = py('import shop');
  const here = newFolder({
    'shop/__init__.py': '',
    'web/main.py': web['main.py'] ?? '',
    'web/cerebrium.toml': settings(),
  });
  expect(await problemsIn(join(here, 'web'))).toMatchObject([
    { cause: 'module-missing', why: 'shop is beside the app folder, and only the app folder is sent' },
  ]);
});

test('of a version that is not there, it is said when the releases were read', async () => {
  const [problem] = await problemsOf(py('', '[cerebrium.dependencies.pip]\nnumpy = "==2.4.9"\n'));
  expect(`${problem?.why}`).toMatch(/\b20\d\d-\d\d-\d\d\b/);
});

test.each([
  ['with one list of packages', {}, 1],
  ['with another list of packages, which may be that of the file', { 'web/package.json': '{}' }, 0],
])('a program of Node %s', async (_, more, count) => {
  const files = {
    'cerebrium.toml': docker,
    Dockerfile: 'FROM node:22\nWORKDIR /srv\nCOPY . .\nRUN npm ci --omit=dev\nCMD ["node", "a.js"]\n',
    'package.json': '{"devDependencies": {"express": "5"}}',
    'package-lock.json': '{}',
    'a.js': 'require("express")().listen(8000);\n',
  };
  const found = await problemsOf({ ...files, ...more });
  expect(found.filter(({ message }) => message.includes('express'))).toHaveLength(count);
});
