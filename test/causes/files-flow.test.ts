import { describe, expect, test } from 'vitest';
import { type Files, problemsOf } from './looked.ts';

/** A mistake, what is said of it, and what mends it. */
type Case = [what: string, code: string, said: string, mended: [from: string, to: string], files?: Files];

const settings = (rest: string, ...names: string[]) =>
  `[cerebrium.deployment]\nname = "web"\npython_version = "3.11"\ndisable_auth = false\n${rest}[cerebrium.dependencies.pip]\n${names.map((name) => `"${name}" = "latest"\n`).join('')}`;
const packages =
  'numpy pillow torch pandas diffusers faster-whisper xgboost redis httpx sqlalchemy transformers aiohttp flask fastapi uvicorn langgraph vllm arq'.split(
    ' ',
  );
const functions = settings('', ...packages);
const served = settings(
  '[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ["uvicorn", "main:app", "--host", "0.0.0.0"]\n',
  ...packages,
);
const flask = settings(
  '[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ["gunicorn", "main:app", "--bind", "0.0.0.0:8000"]\n',
  ...packages,
  'gunicorn',
);
const api = 'from fastapi import FastAPI, Request, UploadFile\n\napp = FastAPI()\n';
const wsgi = 'from flask import Flask, jsonify\n\napp = Flask(__name__)\n';

async function told(code: string, files: Files = {}): Promise<string[]> {
  const config = code.startsWith(api) ? served : code.startsWith(wsgi) ? flask : functions;
  const problems = await problemsOf({ 'cerebrium.toml': config, 'main.py': code, ...files });
  return problems.map(({ cause, location, message }) => `${cause} ${location?.file}:${location?.line} ${message}`);
}

function check(cases: Case[]): void {
  test.each(cases)('%s', async (_, code, wanted, [from, to], files) => {
    const all = { 'main.py': code, ...files };
    const mended = Object.fromEntries(Object.entries(all).map(([name, text]) => [name, text.replaceAll(from, to)]));
    expect(mended).not.toEqual(all);
    expect(await told(code, files)).toEqual([expect.stringContaining(wanted)]);
    expect(await told(mended['main.py'] ?? '', mended)).toEqual([]);
  });
}

describe('coroutines and async generators', () => {
  check([
    [
      'a function of another module',
      `${api}from store import save\n\n\n@app.post("/")\nasync def up(text: str):\n    save(text)\n    return {"ok": True}\n`,
      'await-missing main.py:9 save() gives a coroutine, which nothing awaits',
      ['    save(', '    await save('],
      { 'store.py': 'import asyncio\n\n\nasync def save(text):\n    await asyncio.sleep(len(text))\n' },
    ],
    [
      'a method of an object, in a condition',
      `${api}\n\nclass Users:\n    async def known(self, name):\n        return name == "ada"\n\n\nusers = Users()\n\n\n@app.get("/")\nasync def one(name: str):\n    if users.known(name):\n        return {"ok": True}\n    return {}\n`,
      'await-missing main.py:16 users.known()',
      ['if users', 'if await users'],
    ],
    [
      'what the function of a library gives, where it is read',
      'import asyncio\n\n\nasync def run(n: int):\n    rows = asyncio.to_thread(sorted, range(n))\n    return {"first": rows[0]}\n',
      'await-missing main.py:5 asyncio.to_thread()',
      ['asyncio.to', 'await asyncio.to'],
    ],
    [
      'a session that a handler is given',
      `${api}\n\n@app.post("/")\nasync def up(request: Request):\n    data = request.json()\n    return {"name": data["name"]}\n`,
      'await-missing main.py:7 Request.json()',
      ['= request', '= await request'],
    ],
    [
      'what a plain function hands to what takes no coroutine',
      'import os\n\n\nasync def path(name):\n    return f"/tmp/{name}"\n\n\ndef run(name: str):\n    os.remove(path(name))\n    return {}\n',
      'await-missing main.py:9 path()',
      ['async def path', 'def path'],
    ],
    [
      'a call that the same file awaits elsewhere',
      `${api}\n\nasync def both(socket):\n    await socket.send("a")\n    socket.send("b")\n`,
      'await-missing main.py:8 socket.send()',
      ['    socket', '    await socket'],
    ],
    [
      'a plain loop over an async generator',
      'async def words(text):\n    for word in text.split():\n        yield word\n\n\nasync def run(text: str):\n    found = []\n    for word in words(text):\n        found.append(word)\n    return {"words": found}\n',
      'await-missing main.py:8 words() gives an async generator',
      ['    for word in words', '    async for word in words'],
    ],
    [
      'a plain loop over what the same file goes through with async for',
      `${api}\n\nasync def both(socket):\n    async for part in socket.parts():\n        print(part)\n    for part in socket.parts():\n        print(part)\n`,
      'await-missing main.py:9 socket.parts() gives an async generator',
      ['    for part', '    async for part'],
    ],
    [
      'a pool of arq whose member is called',
      'import arq\n\n\nasync def run(text: str):\n    pool = arq.create_pool()\n    return str(await pool.enqueue_job("read", text))\n',
      'await-missing main.py:5 arq.create_pool() gives a coroutine',
      ['arq.create_pool', 'await arq.create_pool'],
    ],
    [
      'a socket that nothing accepts',
      `${api}from starlette.websockets import WebSocket\n\n\n@app.websocket("/")\nasync def talk(socket: WebSocket):\n    socket.accept()\n    await socket.close()\n`,
      'WebSocket.accept() gives a coroutine',
      ['    socket.accept', '    await socket.accept'],
    ],
    [
      'a list that is awaited',
      'from transformers import pipeline\n\npipe = pipeline("summarization", device="cpu")\n\n\nasync def run(text: str):\n    found = await pipe(text)\n    return {"text": found[0]["summary_text"]}\n',
      'await-missing main.py:7 pipe gives a plain value',
      ['await pipe', 'pipe'],
    ],
  ]);

  test('that are awaited later, run in the background or handed on are left alone', async () => {
    const code = `${api}import asyncio\nimport inspect\n\n\nasync def save(text):\n    await asyncio.sleep(1)\n\n\n@app.post("/")\nasync def up(text: str):\n    first = save(text)\n    await asyncio.gather(first, save(text))\n    tasks = [save(each) for each in text]\n    asyncio.create_task(save(text))\n    asyncio.gather(save(text))\n    await asyncio.wait_for(save(text), 3)\n    await asyncio.gather(*tasks)\n    return {}\n\n\ndef later(text):\n    return save(text)\n\n\nasync def call(function, *given):\n    result = function(*given)\n    function.run()\n    return await result\n`;
    expect(await told(code)).toEqual([]);
  });
});

describe('results that JSON does not have', () => {
  check([
    [
      'an image of PIL',
      'from PIL import Image\n\n\ndef run(path: str):\n    image = Image.open(path)\n    image = image.convert("RGB")\n    return {"image": image}\n',
      'result-not-json main.py:7 main.py returns a PIL image, which JSON does not have',
      ['": image}', '": image.size}'],
    ],
    [
      'an array in a list, of another module, given to json',
      'import json\nfrom model import scores\n\n\ndef run(n: int):\n    result = {"n": n}\n    result["scores"] = [scores(n)]\n    return json.dumps(result)\n',
      'result-not-json model.py:5 model.py returns a numpy array',
      ['np.zeros(n)', 'np.zeros(n).tolist()'],
      { 'model.py': 'import numpy as np\n\n\ndef scores(n):\n    return np.zeros(n)\n' },
    ],
    [
      'a coroutine in a result',
      'async def score():\n    return 1\n\n\ndef run(n: int):\n    return {"score": score()}\n',
      'await-missing main.py:6 score() gives a coroutine, which nothing awaits',
      ['score()}', '[n]}'],
    ],
    [
      'an index of numpy, of a route of FastAPI',
      `${api}import numpy as np\n\n\n@app.get("/")\ndef one(n: int):\n    best = np.argmax([n])\n    return {"best": best}\n`,
      'result-not-json main.py:10 main.py returns a value of numpy',
      ['np.argmax([n])', 'int(np.argmax([n]))'],
    ],
    [
      'a tensor, of a route of FastAPI',
      `${api}import torch\n\n\n@app.get("/")\ndef one(n: int):\n    found = torch.softmax(torch.ones(n), dim=0)\n    return {"found": found[0]}\n`,
      'result-not-json main.py:10 main.py returns a tensor',
      ['found[0]', 'found[0].item()'],
    ],
    [
      'a set, of a route of Flask',
      `${wsgi}\n\n@app.get("/")\ndef one():\n    return {"names": {"a", "b"}}\n`,
      'result-not-json main.py:8 main.py returns a set',
      ['{"a", "b"}', '["a", "b"]'],
    ],
    [
      'bytes that jsonify is given',
      `${wsgi}import base64\n\n\n@app.get("/")\ndef one():\n    return jsonify(data=base64.b64encode(b"1"))\n`,
      'result-not-json main.py:9 main.py returns bytes',
      ['b64encode(b"1")', 'b64encode(b"1").decode()'],
    ],
    [
      'a time, given to json',
      'import json\nfrom datetime import datetime\n\n\ndef run():\n    return json.dumps({"at": datetime.now()})\n',
      'result-not-json main.py:6 main.py returns a datetime',
      ['now()', 'now().isoformat()'],
    ],
    [
      'a generator, beside other results',
      'from faster_whisper import WhisperModel\n\nmodel = WhisperModel("tiny", device="cpu")\n\n\ndef run(path: str):\n    segments, info = model.transcribe(path)\n    return {"segments": segments, "language": info.language}\n',
      'result-not-json main.py:8 main.py returns a generator',
      ['": segments', '": [each.text for each in segments]'],
    ],
    [
      'a column of pandas',
      'import pandas as pd\n\nROWS = pd.read_csv("https://rates.dev/x.csv")\n\n\ndef run(name: str):\n    hits = ROWS[ROWS["name"] == name]\n    return {"rates": hits["rate"]}\n',
      'result-not-json main.py:8 main.py returns a DataFrame or Series of pandas',
      ['["rate"]', '["rate"].tolist()'],
    ],
  ]);

  test.each(
    Object.entries<string>({
      'what the framework converts': `${api}from datetime import datetime\n\n\n@app.get("/")\ndef one():\n    return {"at": datetime.now(), "names": {"a"}}\n`,
      'what a model of the response converts': `${api}import numpy as np\n\n\n@app.get("/", response_model=list[float])\ndef one():\n    return np.zeros(3)\n`,
      'what a converter is given':
        'import json\nfrom datetime import datetime\n\n\ndef run():\n    return json.dumps({"at": datetime.now()}, default=str)\n',
      'a function that another one calls':
        'import numpy as np\n\n\ndef load(n):\n    return np.zeros(n)\n\n\ndef run(n: int):\n    return {"sum": float(load(n).sum())}\n',
      'a stream': 'def run(n: int):\n    for each in range(n):\n        yield each\n',
      'numbers of Python that numpy makes':
        'import numpy as np\n\n\ndef run(values: list):\n    return {"mean": np.mean(values), "same": float(np.argmax(values))}\n',
    }),
  )('%s is left alone', async (_, code) => {
    expect(await told(code)).toEqual([]);
  });
});

describe('names of other scopes', () => {
  check([
    [
      'a parameter that has another name, and a class with a field of it',
      'class Item:\n    file_url: str = ""\n\n\ndef run(url: str):\n    return {"item": Item.__name__, "url": file_url}\n',
      'name-undefined main.py:6 main.py uses file_url, which nothing defines',
      ['": file_url', '": url'],
    ],
    [
      'the variable of another function',
      'def load():\n    size = 1\n    return size\n\n\ndef run():\n    return {"size": size, "load": load()}\n',
      'name-undefined main.py:7 main.py uses size',
      ['": size', '": 1'],
    ],
  ]);

  test('are seen where Python sees them', async () => {
    const code =
      'size = 0\n\n\nclass A:\n    base = 2\n    rows = [base for _ in range(3)]\n\n    def f(self, n=base, *, m: "int" = base):\n        def g():\n            nonlocal n\n            n = n + m + z\n            return n\n\n        z = 1\n        return g()\n\n\ndef run():\n    global made, size\n    made = size = 1\n    found = [y for x in [[1]] if (last := x) for y in x]\n    return {"made": made, "last": last, "f": A().f(), "found": found}\n\n\ndef more():\n    return {"made": made}\n';
    expect(await told(code)).toEqual([]);
  });
});
