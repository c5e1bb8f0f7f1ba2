import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { speaking } from './support/platform.ts';
import { python } from './support/running.ts';

/** What libraries do in the process of a function. */
const main = `
import argparse
import multiprocessing
import os
import sys

sys.stdout.reconfigure(encoding="utf-8", line_buffering=True)

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="small")
options = parser.parse_args()

def model():
    return options.model

def square(number):
    return number * number

def spawns():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.map(square, [2, 3])

def forks():
    print("before, ", end="")
    child = os.fork()
    if child == 0:
        print("in the child")
        sys.stdout.buffer.write(b"x" * 300_000)
        os._exit(0)
    os.waitpid(child, 0)
    print("after")

def shows_progress():
    for done in range(0, 101, 50):
        print(f"\\r{done}%", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
`;

let emulator: Emulator;

async function resultOf(name: string) {
  const { url, project } = emulator;
  const reply = await fetch(`${url}/v4/${project}/web/${name}`, { method: 'POST' });
  return ((await reply.json()) as { result: unknown }).result;
}

/** What the app has printed since it was loaded. */
async function printed(): Promise<string[]> {
  const { json } = await speaking(emulator).ask(
    'GET',
    `/apps/${emulator.project}-web/logs?pageSize=1000&direction=forward`,
  );
  return (json?.logs ?? []).map((line: { logLine: string }) => line.logLine);
}

describe.skipIf(!python || process.platform === 'win32')('a function (needs python3)', () => {
  beforeAll(async () => {
    emulator = await startEmulator();
    await speaking(emulator).deploy({}, { 'main.py': main });
  });

  afterAll(() => emulator.close());

  test('finds no arguments on the command line', async () => {
    expect(await resultOf('model')).toBe('small');
  });

  test('can use worker processes that load main.py again', async () => {
    expect(await resultOf('spawns')).toEqual([4, 9]);
  });

  test('prints from a forked process as well, each line once', async () => {
    expect(await resultOf('forks')).toBeNull();
    await expect
      .poll(async () => (await printed()).filter((line) => !line.startsWith('x')).sort())
      .toEqual(['before, after', 'in the child']);
    expect((await printed()).join('')).toContain('x'.repeat(1_000));
  });

  test('that shows a progress bar prints a line now and then, and its last state', async () => {
    await resultOf('shows_progress');
    expect((await printed()).filter((line) => line.includes('%'))).toEqual(['0%', '100%']);
  });
});
