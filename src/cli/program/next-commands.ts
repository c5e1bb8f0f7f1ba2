import type { Command as Commander } from 'commander';
import { arrangeCommand } from '../../kernel/command-line.ts';
import { withFlags } from './next-after-error.ts';
import { inSamePlace } from './same-place.ts';

/** A command that usually follows, as in `builds get <app> <build>`: names in brackets stand for values. */
interface Usual {
  line: string;
  /** What it is for. */
  when: string;
  /** Whether it follows these results; always if absent. */
  if?: (facts: Facts) => boolean;
}

/** The fields of a result, and the arguments of the command by their names. */
type Facts = Readonly<Record<string, unknown>>;

interface NextArguments {
  argv: readonly string[];
  when: string;
}

/**
 * The commands that usually follow the command that was called with these inputs, as `line`, with the values of its
 * result. What needs a value that is not known is omitted.
 */
export function usualNextOf(
  called: Commander,
  inputs: readonly unknown[],
  document: { id?: unknown; dryRun?: unknown; changed?: unknown },
  line: readonly string[],
  unasked: readonly string[],
): NextArguments[] {
  if (document.dryRun === true) return document.changed === false ? [] : [afterDryRun(line, unasked)];
  const group = called.parent?.parent ? called.parent.name() : '';
  const command = [group, called.name()].filter(Boolean).join(' ');
  const named = called.registeredArguments.map((argument, at) => [argument.name(), inputs[at]]);
  // `id` of `builds get` is that of a build.
  const facts: Facts = {
    [group.replace(/s$/, '')]: document.id,
    ...withoutAbsent(Object.fromEntries(named)),
    ...document,
  };
  return (usualCommands[command] ?? []).flatMap((usual) => {
    const argv = usual.if?.(facts) === false ? undefined : fill(usual.line, facts);
    return argv ? [{ argv: inSamePlace(argv, line), when: usual.when }] : [];
  });
}

function withoutAbsent(values: Facts): Facts {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** The command line of a dry run without `--dry-run`, with the answers to what it would ask. */
function afterDryRun(line: readonly string[], unasked: readonly string[]): NextArguments {
  return {
    argv: withFlags(
      line.filter((word) => word !== '--dry-run'),
      unasked,
    ),
    when: 'to do it',
  };
}

function fill(line: string, facts: Facts): readonly string[] | undefined {
  const words = line.split(' ').map((text) => {
    const [, name] = /^<(.+)>$/.exec(text) ?? [];
    if (name === undefined) return { text };
    const value = facts[name];
    return typeof value === 'string' && value !== '' ? { text: value, isValue: true } : undefined;
  });
  return words.every((word) => word !== undefined) ? arrangeCommand(words).argv : undefined;
}

// The last line of a stream has no fields: by then it has stopped.
const isRunning = ({ url }: Facts) => url !== undefined;
const toPlatform = ({ to }: Facts) => /^[\w-]*:/.test(String(to));
const ofProject = ({ app }: Facts) => typeof app !== 'string';

const secretsAfter: Usual[] = [
  { line: 'secrets list --app <app>', when: 'to list the secrets of the app' },
  { line: 'secrets list', when: 'to list the secrets', if: ofProject },
];
const copiesAfter: Usual[] = [{ line: 'ls <to>', when: 'to list what is there', if: toPlatform }];
const accountsAfter: Usual[] = [{ line: 'service-accounts list', when: 'to see all grants' }];

/** By command. Commands whose result decides declare it themselves (`next` in src/cli/command.ts). */
export const usualCommands: Readonly<Record<string, readonly Usual[]>> = {
  init: [
    { line: 'dev <dir>', when: 'to run it on this machine' },
    { line: 'deploy -C <dir>', when: 'to deploy it' },
  ],
  dev: [
    { line: 'emulator env', when: 'to call it from another shell', if: isRunning },
    { line: 'deploy', when: 'to deploy it' },
  ],
  invoke: [{ line: 'logs <app>', when: 'to see what it printed' }],
  logs: [{ line: 'runs list <app>', when: 'to see its runs' }],
  run: [{ line: 'logs <app> --run <run>', when: 'to see its output again' }],
  check: [
    {
      line: 'deploy --dry-run',
      when: 'to see what a deploy would change',
      if: ({ path, valid }) => path === 'cerebrium.toml' && valid === true,
    },
  ],
  package: [{ line: 'deploy', when: 'to deploy it' }],
  cp: copiesAfter,
  sync: copiesAfter,
  'weights pull': [{ line: 'weights verify', when: 'to read it back and compare it' }],
  ls: [{ line: 'cp <path> .', when: 'to download one' }],
  cat: [{ line: 'cp <path> .', when: 'to download it' }],
  rm: [{ line: 'ls', when: 'to list what is left' }],
  'volumes usage': [{ line: 'ls -R <path>', when: 'to list the files' }],
  'volumes list': [{ line: 'volumes usage', when: 'to see what takes the space' }],
  'volumes resize': [{ line: 'volumes list', when: 'to see the sizes of all volumes' }],
  history: [{ line: 'builds list <app>', when: 'to see the builds of the platform' }],
  'previews list': [{ line: 'previews prune --merged', when: 'to delete those whose branch is merged' }],
  'previews prune': [{ line: 'previews list', when: 'to list what is left' }],
  'apps list': [{ line: 'apps get <app>', when: 'to see one of them' }],
  'apps get': [
    { line: 'logs <app>', when: 'to see its log' },
    { line: 'builds list <app>', when: 'to see its builds' },
    { line: 'runs list <app>', when: 'to see its runs' },
  ],
  'apps delete': [{ line: 'apps list', when: 'to see which apps are left' }],
  'builds list': [{ line: 'builds get <app> <build>', when: 'to see one of them' }],
  'builds get': [{ line: 'logs <app> --build <build>', when: 'to see its log' }],
  'builds follow': [{ line: 'logs <app>', when: 'to see the log of the app' }],
  'runs list': [{ line: 'runs get <app> <run>', when: 'to see one of them' }],
  'runs chart': [{ line: 'runs list <app>', when: 'to see the runs themselves' }],
  'runs export': [{ line: 'runs chart <app>', when: 'to see them as a chart' }],
  'runs get': [{ line: 'logs <app> --run <run>', when: 'to see its log' }],
  'runs follow': [{ line: 'logs <app> --run <run>', when: 'to see its log' }],
  metrics: [{ line: 'apps containers <app>', when: 'to see its containers' }],
  'apps containers': [{ line: 'logs <app> --container <container>', when: 'to see the log of one of them' }],
  'secrets list': [{ line: 'secrets set <name>', when: 'to replace one' }],
  'secrets set': secretsAfter,
  'secrets unset': secretsAfter,
  'webhooks listen': [{ line: 'webhooks replay latest', when: 'to send the last delivery again' }],
  'webhooks replay': [{ line: 'webhooks replay <id>', when: 'to send it once more' }],
  'projects list': [{ line: 'projects use <project>', when: 'to select one' }],
  'projects use': [{ line: 'apps list', when: 'to see its apps' }],
  'users list': [{ line: 'users invite <email>', when: 'to invite somebody' }],
  'users invite': [{ line: 'users list --status invited', when: 'to see pending invitations' }],
  'service-accounts list': [{ line: 'service-accounts grant <id> <project>', when: 'to add a grant' }],
  'service-accounts grant': accountsAfter,
  'service-accounts revoke': accountsAfter,
  'service-accounts set-grants': accountsAfter,
  'api-keys list': [{ line: 'service-accounts list', when: 'to see the accounts that they belong to' }],
  'plan set': [{ line: 'cost', when: 'to see what is spent' }],
  'plan payment-methods': [{ line: 'plan invoices', when: 'to see what was paid' }],
  cost: [
    { line: 'tune <app>', when: 'to see what other settings would have cost' },
    { line: 'plan invoices', when: 'to see what was paid' },
  ],
  'plan invoices': [{ line: 'cost', when: 'to see the current cost' }],
  login: [{ line: 'apps list', when: 'to see the apps of the project' }],
  logout: [{ line: 'login', when: 'to log in again' }],
  whoami: [{ line: 'apps list', when: 'to see the apps of the project' }],
  'profiles list': [{ line: 'profiles use <profile>', when: 'to select one' }],
  'profiles use': [{ line: 'whoami', when: 'to see its project and login' }],
  'profiles remove': [{ line: 'profiles list', when: 'to see which profiles are left' }],
  'config list': [{ line: 'config set <setting> <value>', when: 'to change one' }],
  'config get': [{ line: 'config list --show-origin', when: 'to see where each setting comes from' }],
  'config set': [{ line: 'config get <setting>', when: 'to see which value is in use' }],
  'config unset': [{ line: 'config get <setting>', when: 'to see which value is in use' }],
  'cache list': [{ line: 'cache clear <kind>', when: 'to remove it' }],
  'cache clear': [{ line: 'cache list', when: 'to see what is left' }],
  doctor: [{ line: 'status', when: 'to see the incidents of the platform' }],
  open: [{ line: 'apps list', when: 'to see the apps of the project' }],
  status: [
    { line: 'explain <app>', when: 'to see why it failed', if: ({ failure }) => failure != null },
    { line: 'doctor', when: 'to check this machine as well' },
  ],
  'emulator start': [{ line: 'emulator env', when: 'to use it from another shell', if: isRunning }],
  'emulator env': [{ line: 'emulator stop', when: 'to stop it' }],
  'emulator list': [{ line: 'emulator stop', when: 'to stop one' }],
  'emulator snapshot': [
    { line: 'emulator start --from <name>', when: 'to start with it', if: ({ action }) => action === 'save' },
    { line: 'emulator snapshot list', when: 'to see which there are', if: ({ action }) => action === 'rm' },
  ],
  'emulator stop': [{ line: 'emulator list', when: 'to see which emulators are left' }],
  'mcp install': [{ line: 'help agents', when: 'to print instructions for the agent' }],
};
