import { expect, test } from 'vitest';
import { half } from '../support/extent.ts';
import { python, running } from './support/running.ts';

const app = `
import builtins, importlib, json, os, sys, time, traceback

set_attribute, get_attribute, lookup = setattr, getattr, importlib.import_module
replaced = []

def replace(name):
    module, _, attribute = name.partition(":")
    *path, last = attribute.split(".")
    owner = lookup(module)
    for each in path:
        owner = get_attribute(owner, each)
    replaced.append((owner, last, get_attribute(owner, last)))
    set_attribute(owner, last, None)
    return "replaced"

def restore():
    set_attribute(*replaced.pop())

def returns():
    return {"a": [1]}

def fails():
    raise ValueError("wrong")

def long():
    return "x" * 1_100_000

def streams():
    yield "x" * 1_100_000
    yield {"b": 1}

def empty_modules():
    sys.modules.clear()

def own_json():
    sys.modules["json"] = sys.modules["json.encoder"] = object()
`;

const names = [
  'json:dumps json:loads json:JSONEncoder json:JSONEncoder.encode json:JSONDecoder.decode json:encoder.c_make_encoder',
  'sys:stdout sys:stderr sys:stdout.write sys:stderr.write sys:exc_info sys:path',
  'os:write os:open os:close os:fdopen os:_exit os:getcwd os:path.dirname os:urandom',
  'threading:Thread threading:Thread.start threading:Lock threading:RLock threading:Condition threading:get_ident',
  '_thread:start_new_thread _thread:allocate_lock time:perf_counter time:time time:sleep',
  'builtins:open builtins:print io:open io:TextIOBase re:split re:compile',
  'inspect:signature inspect:isawaitable inspect:isgenerator traceback:print_exception traceback:TracebackException',
  'socket:socket tempfile:NamedTemporaryFile queue:SimpleQueue ctypes:pythonapi contextvars:ContextVar',
].flatMap((line) => line.split(' '));

test.skipIf(!python)('an app that replaces parts of Python gets its answers out (needs python3)', async () => {
  const { call } = await running('functions', { replicaConcurrency: 10 }, { files: { 'main.py': app } });
  for (const name of half(names)) {
    expect([name, (await call('replace', { name })).json.result]).toEqual([name, 'replaced']);
    const functions = ['returns', 'fails', 'long', 'streams'];
    const [returns, fails, long, streams] = await Promise.all(functions.map((each) => call(each)));
    expect({
      name,
      returns: returns?.json.result,
      fails: fails?.json.message,
      long: long?.json.result?.length,
      streams: streams?.text.includes('{"b": 1}'),
    }).toEqual({ name, returns: { a: [1] }, fails: 'ValueError: wrong', long: 1_100_000, streams: true });
    expect((await call('restore')).status).toBe(200);
  }
  for (const name of ['own_json', 'empty_modules']) {
    expect((await call(name)).status).toBe(200);
    expect((await call('returns')).json.result).toEqual({ a: [1] });
    expect((await call('fails')).status).toBe(500);
  }
});

test.skipIf(!python)('an app that replaces what Python itself needs gets an error and a new replica', async () => {
  const code = 'import builtins\n\ndef f():\n    builtins.isinstance = None\n\ndef fine():\n    return 1\n';
  const { call } = await running('functions', {}, { files: { 'main.py': code } });
  expect((await call('f')).status).toBe(502);
  await expect.poll(async () => (await call('fine')).status).toBe(200);
});
