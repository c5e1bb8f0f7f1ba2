import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { newFolder, smallApp } from '../support/index.ts';
import { bin, cleanEnvironment } from './binary.ts';

/** Python has pseudo-terminals; Node has not. `echoes()` tells whether the terminal shows what is typed. */
const prelude = `
import os, pty, signal, sys, termios, time
child, terminal = pty.fork()
if child == 0: os.execvp(sys.argv[1], sys.argv[1:])
said = b""
def until(text):
    global said
    while text not in said: said += os.read(terminal, 4096)
    said = said[said.index(text) + len(text):]
def press(keys): os.write(terminal, keys)
def echoes(): return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
def ended():
    global said
    try:
        while True: said += os.read(terminal, 4096)
    except OSError: pass
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
`;

const hasPty = spawnSync('python3', ['-c', 'import pty, termios']).status === 0;

/** Runs a program in a pseudo-terminal, as the script says, and returns what the script prints. */
async function atTerminal(script: string, program: string[]) {
  const app = newFolder(smallApp());
  const { stdout } = await execa('python3', ['-c', prelude + script, ...program], {
    cwd: app,
    env: cleanEnvironment(undefined, { TERM: 'xterm', GANTRY_CONFIG_DIR: join(app, '.config') }),
    extendEnv: false,
  });
  return String(stdout).split('\n');
}

const dev = [process.execPath, bin, 'dev', '--port', '0'];

describe.skipIf(!hasPty)('the terminal of gantry dev (needs pseudo-terminals)', () => {
  test('shows no key, is as before while it is suspended and at the end, and Ctrl-C ends it', async () => {
    const script = `
until(b"q quit")
print("running", echoes())
press(b"h")
until(b"deploy again")
press(b"\\x1a")
print("stopped", os.WIFSTOPPED(os.waitpid(child, os.WUNTRACED)[1]), echoes())
os.kill(child, signal.SIGCONT)
while echoes(): time.sleep(0.01)
press(b"l")
until(b"/web/run")
press(b"\\x03")
print("ended", ended(), echoes())
`;
    expect(await atTerminal(script, dev)).toEqual(['running False', 'stopped True True', 'ended 0 True']);
  });

  test('is as before after a signal', async () => {
    const script = `
until(b"q quit")
os.kill(child, signal.SIGHUP)
print(ended(), echoes())
`;
    expect(await atTerminal(script, dev)).toEqual(['0 True']);
  });

  test('is not touched from the background of a shell, which would stop it', async () => {
    const script = `
press(b"exec 2>&1; '${process.execPath}' '${bin}' dev --port 0 &\\n")
until(b"another shell")
press(b"jobs\\n")
until(b"[1]")
until(b"Running")
press(b"kill %1; wait; exit\\n")
ended()
print("ended")
`;
    expect(await atTerminal(script, ['bash', '--norc', '-i'])).toEqual(['ended']);
  });
});
