import { type CommandReference, reference } from '../../src/cli/reference.ts';

/** Commands that never ask the platform. */
export const local = [
  ...['init', 'check', 'history', 'dev', 'webhooks listen'],
  ...['logout', 'config list', 'config get', 'config set', 'config unset', 'config profiles'],
  ...['emulator start', 'emulator exec', 'emulator env', 'emulator list', 'emulator stop'],
  ...['completion', 'help', 'mcp serve'],
];

/** What an argument is in most lines, by its name. */
const values: Readonly<Record<string, string>> = { app: 'web', build: 'b-1', run: 'r-1' };

/** Lines of commands that need other arguments, or flags. */
const own: Record<string, string[]> = {
  deploy: ['--yes'],
  invoke: ['web', 'a=1'],
  map: ['web', 'inputs.jsonl', '-o', 'results.jsonl'],
  run: ['main.py::hello'],
  cp: ['main.py', ':/x'],
  sync: ['.', ':/x'],
  ls: ['/x'],
  cat: ['/x'],
  rm: ['/x', '--yes'],
  'volumes usage': ['/x'],
  'volumes resize': ['1TB', '--yes'],
  'projects use': ['p-other'],
  'apps scale': ['web', '--min-replicas', '1'],
  'apps delete': ['web', '--confirm', 'web'],
  'apps restart': ['web', '--yes'],
  'builds cancel': ['web', 'b-1', '--yes'],
  'runs cancel': ['web', 'r-1', '--yes'],
  'runs export': ['web', '-o', 'runs.jsonl'],
  rollback: ['web', 'b-1', '--yes'],
  promote: ['web', 'web-2', '--yes'],
  'secrets set': ['A', '--from-env', '--yes'],
  'secrets unset': ['A', '--yes'],
  'apps prune': ['--confirm', 'app'],
  'runs list': ['web', '--limit', '1'],
  'metrics serve': ['web', '--port', '0', '--for', '1s'],
  'users invite': ['a@b.test', '--role', 'member', '--yes'],
  'service-accounts grant': ['ci', 'p-2', '--yes'],
  'service-accounts revoke': ['ci', 'p-2', '--yes'],
  'service-accounts set-grants': ['ci', 'p-2', '--yes'],
  'plan set': ['hobby', '--yes'],
  'apps bench': ['web', '--yes', '--rate', '1', '--for', '10ms', '--budget', '1'],
  status: [],
  login: ['--device'],
  whoami: ['--verify'],
  api: ['GET', '/v2/projects'],
  open: ['build'],
};

const usual = ({ arguments: given }: CommandReference): string[] => given.flatMap(({ name }) => values[name] ?? []);

const { commands } = await reference();

/** Arguments for every command that asks the platform, by its words. */
export const lines: Record<string, string[]> = Object.fromEntries(
  commands
    .filter(({ command }) => !local.includes(command))
    .map((each) => [each.command, own[each.command] ?? usual(each)]),
);

/** Commands whose line here only reads: some of them do more with other words. */
export const reading: ReadonlySet<string> = new Set([
  ...commands.filter(({ effect }) => effect === 'reads').map(({ command }) => command),
  ...['api', 'apps tune', 'config profiles'],
]);
