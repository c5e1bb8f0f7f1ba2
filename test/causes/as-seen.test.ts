import { expect, test } from 'vitest';
import { emulatorForAll, gantry, newFolder, smallApp } from '../support/index.ts';
import { custom, type Files, pip, settings } from './looked.ts';

const emulator = emulatorForAll({ real: false });
const run = '\n\ndef run(x: str = "a"):\n    return x\n';
const raised = (line: number, code: string, error: string) =>
  `Traceback (most recent call last):\n  File "/cortex/main.py", line ${line}, in <module>\n    ${code}\n${error}\n`;
const absent = (path: string) => `FileNotFoundError: [Errno 2] No such file or directory: '${path}'`;
const read = 'M = open("/persistent-storage/mdl/m.json").read()';
const labels = 'L = open("Data/labels.txt").read()';

/** What is said of a log in the folder of the app. */
async function explained(files: Files, log: string): Promise<string> {
  const cwd = newFolder({ 'cerebrium.toml': settings(), ...files, 'x.log': log });
  const { json } = await gantry(['explain', '--file', 'x.log', '--json'], { cwd });
  const { cause, title, fix, location } = json() as {
    cause: string;
    title: string;
    fix: string;
    location: { file: string; line: number } | null;
  };
  return [cause, title, fix, location ? `${location.file}:${location.line}` : '-'].join(' | ');
}

test.each<[what: string, files: Files, log: string, said: string]>([
  [
    'a file that is on no volume',
    { 'main.py': `${read}${run}`, 'm.json': '{}' },
    raised(1, read, absent('/persistent-storage/mdl/m.json')),
    'file-not-found | /persistent-storage/mdl/m.json is not on the volume | gantry cp m.json :/mdl/m.json | -',
  ],
  [
    'one that is not in the folder, either',
    { 'main.py': `${read}${run}` },
    raised(1, read, absent('/persistent-storage/mdl/m.json')),
    'file-not-found | /persistent-storage/mdl/m.json is not on the volume | copy it there: gantry cp FILE :/mdl/m.json | -',
  ],
  [
    'a file that is written to a folder that is not there',
    { 'main.py': run },
    raised(1, 'with open("/persistent-storage/out/a.txt", "w") as f:', absent('/persistent-storage/out/a.txt')),
    'file-not-found | the folder /persistent-storage/out does not exist, and the app writes there | make it before: os.makedirs("/persistent-storage/out", exist_ok=True) | -',
  ],
  [
    'a name with other capitals',
    { 'main.py': `${labels}${run}`, 'data/labels.txt': 'a' },
    raised(1, labels, absent('Data/labels.txt')),
    'file-not-found | Data/labels.txt is not in the app | open data/labels.txt, or rename it | main.py:1',
  ],
  [
    'a module that hides one of Python, at the line that fails',
    {
      'main.py': 'import random\n\n\ndef run():\n    return random.randint(1, 2)\n',
      'random.py': 'def roll():\n    return 4\n',
    },
    raised(5, 'return random.randint(1, 2)', "AttributeError: module 'random' has no attribute 'randint'"),
    'import-name-missing | random.py has no randint | rename random.py, which hides the module random of Python | main.py:5',
  ],
  [
    'one that a module of Python finds instead',
    { 'main.py': run, 'string.py': '' },
    `Traceback (most recent call last):\n  File "/usr/lib/python3.12/logging/__init__.py", line 26, in <module>\n    from string import Template\nImportError: cannot import name 'Template' from 'string' (/cortex/string.py)\n`,
    'circular-import | string.py of the app hides the module string of Python | rename string.py | -',
  ],
  [
    'a package without wheels, by what its build says',
    {
      'main.py': `import numpy\n\nprint(numpy)${run}`,
      'cerebrium.toml': settings('[cerebrium.dependencies.pip]\nnumpy = "1.21.0"\n').replace('3.11', '3.12'),
    },
    "Collecting numpy==1.21.0\n  ModuleNotFoundError: No module named 'distutils'\nERROR: Failed to build 'numpy' when getting requirements to build wheel\n",
    'python-version-unsupported | numpy 1.21.0 has no wheels for Python 3.12 | use numpy 1.26.0 to 2.5.5 | cerebrium.toml:6',
  ],
  [
    'a module that is started by another name',
    {
      'cerebrium.toml': custom('["uvicorn", "app.main:app", "--host", "0.0.0.0", "--port", "8000"]') + pip('fastapi'),
      'main.py': 'from fastapi import FastAPI\n\napp = FastAPI()\n',
    },
    'ERROR:    Error loading ASGI app. Could not import module "app.main".\n',
    'entrypoint-not-found | uvicorn loads app.main, which is not in /cortex | write main:app | cerebrium.toml:7',
  ],
  [
    'a relative import',
    { 'main.py': `from .util import f\n\nprint(f)${run}`, 'util.py': 'def f():\n    return 1\n' },
    raised(1, 'from .util import f', 'ImportError: attempted relative import with no known parent package'),
    'relative-import | a relative import in a file that is not part of a package | import it by its name: from util import f | main.py:1',
  ],
  [
    'a script that starts no server',
    { 'main.py': 'print("done")\n', 'cerebrium.toml': custom('["python", "main.py"]') },
    'Starting: python main.py\ndone\nERROR: its process ended with exit code 0\n',
    'app-exited | main.py ends by itself, without an error: it starts no server | start one at its end that listens on 0.0.0.0, port 8000; functions of main.py need no [cerebrium.runtime.custom] | cerebrium.toml:7',
  ],
  [
    'another port, by its number',
    {
      'server.py':
        'from http.server import HTTPServer, SimpleHTTPRequestHandler\n\nHTTPServer(("0.0.0.0", 8001), SimpleHTTPRequestHandler).serve_forever()\n',
      'cerebrium.toml': custom('["python", "server.py"]'),
    },
    'nothing listens on port 8000 yet; the app listens on port 8001\n',
    'wrong-port | server.py listens on port 8001, but port is 8000 | port = 8001 | server.py:3',
  ],
  [
    'a crash of native code, beside an empty section of packages',
    { 'main.py': run, 'cerebrium.toml': settings('[cerebrium.dependencies.pip]\n') },
    'Segmentation fault (core dumped)\n',
    'segfault | the program crashed in native code | the cause is probably a package with compiled code: pin it to another version | -',
  ],
])('the files show more of the log: %s', async (_, files, log, said) => {
  expect(await explained(files, log)).toBe(said);
});

test('another name of the same cause is not what the log shows', async () => {
  const log = raised(9, 'open("other.txt")', absent('other.txt'));
  expect(await explained({ 'main.py': `${labels}${run}`, 'data/labels.txt': 'a' }, log)).toMatch(
    /^file-not-found \| other\.txt does not exist \|/,
  );
});

test('another module that nothing installs is not the one that the log shows', async () => {
  const main = `import pydantic\nimport numpy\n\nprint(numpy, pydantic)${run}`;
  const log = raised(1, 'import pydantic', "ModuleNotFoundError: No module named 'pydantic'");
  for (const before of ['', 'Successfully installed numpy\n'])
    expect(await explained({ 'main.py': main }, `${before}${log}`)).toMatch(/\| the Python module pydantic is not/);
});

test('nor is it in a deploy that fails', async () => {
  emulator.fail('build', 'init_failure');
  const main = `def use():\n    import numpy\n\n    return numpy\n${run}`;
  const cwd = newFolder({ ...smallApp(), 'main.py': main });
  const { json } = await gantry(['deploy', '--json'], { emulator, cwd });
  const explanation = { title: 'the Python module torchh is not installed' };
  expect(json()).toMatchObject({ error: { details: { explanation } } });
});

test('a deploy that fails says what the files show', async () => {
  emulator.fail('build', 'init_failure');
  const main = `def use():\n    import torchh\n\n    return torchh\n${run}`;
  const cwd = newFolder({ ...smallApp(), 'main.py': main });
  const { json } = await gantry(['deploy', '--json'], { emulator, cwd });
  const explanation = { cause: 'module-missing', location: { file: 'main.py', line: 2 } };
  expect(json()).toMatchObject({ error: { details: { explanation } } });
});
