import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { execa } from 'execa';
import { bin } from '../e2e/binary.ts';
import type { Block } from './blocks.ts';
import { type Machine, newMachine } from './machine.ts';

export interface Followed {
  /** What went otherwise than the document says, one text for each block. */
  surprises: string[];
  /** What was printed. */
  transcript: string;
}

/**
 * Follows a document as a reader would: pastes its blocks one after another into one shell, on a machine on which gantry
 * was never used, once for each of the `walks`. `proof`: commands that succeed at the end of each time.
 */
export async function follow(blocks: readonly Block[], proof: string | undefined, walks: number[]): Promise<Followed> {
  const machine = newMachine();
  const surprises: string[] = [];
  const script = join(machine.notes, 'script');
  writeFileSync(script, scriptOf(blocks, proof));
  const command = `for walk in ${walks.join(' ')}; do mkdir "$NOTES/$walk"; WALK=$walk bash "$NOTES/script"; done`;
  const shell = ['bash', '-c', command];
  const hub = [process.execPath, resolve('test/docs/hub.js')];
  // Its time does not pass faster: as late as usual, it would be late for too long.
  const emulator = [process.execPath, bin, 'emulator', 'exec', '--late', '20', '--'];
  const [program = '', ...args] = [
    ...alone,
    ...(blocks.some(({ withHub }) => withHub) ? hub : []),
    ...(blocks.some(({ onEmulator }) => onEmulator) ? emulator : []),
    ...shell,
  ];
  const env = { ...machine.env, NOTES: machine.notes };
  const ended = await execa(program, args, { cwd: machine.cwd, env, extendEnv: false, stdin: 'ignore', reject: false });
  if (ended.stderr !== '') surprises.push(`the shell says: ${ended.stderr}`);
  for (const walk of walks) {
    for (const [index, block] of blocks.entries()) surprises.push(...surprisesOf(block, index, walk, machine));
    const failed = readFileSync(join(machine.notes, String(walk), 'end'), 'utf8');
    if (failed !== '') surprises.push(`at the end of walk ${walk}: ${failed}`);
  }
  return { surprises, transcript: transcriptOf(blocks, machine, walks) };
}

/**
 * A network of its own (Linux), so that the ports that documents name are free, and nothing comes from elsewhere. What
 * the commands left running ends with the shell, before the folders it writes to are removed.
 */
const ownSpace = ['--map-root-user', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
const network = ['unshare', ...ownSpace, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
const alone = isPossible([...network, 'true']) ? network : [];
/** Whether walks can be taken at the same time: otherwise their ports are the same. */
export const areApart = alone.length > 0;

function isPossible([program = '', ...args]: string[]): boolean {
  return spawnSync(program, args).status === 0;
}

function surprisesOf(block: Block, index: number, walk: number, { notes }: Machine): string[] {
  const read = (name: string) => {
    try {
      return readFileSync(join(notes, String(walk), `${index}.${name}`), 'utf8');
    } catch {
      return undefined;
    }
  };
  const where = `${block.place}${walk === 2 ? ', followed again' : ''}`;
  const reached = read('failed');
  if (reached === undefined) return [`${where} was not reached`];
  const failed = reached.split('\n').filter(Boolean);
  const expected = walk === 1 ? block.exits : block.againExits;
  const codes = [...new Set(failed.map((line) => Number.parseInt(line, 10)))];
  const said = commandsOf(block).map(({ shown }, at) => ({ shown, printed: read(`${at}.out`) ?? '' }));
  const output = said.map(({ printed }) => printed).join('');
  if (String(codes) !== String(expected === 0 ? [] : [expected])) {
    return [`${where} exits with ${failed.join(', ') || 0} instead of ${expected}\n${read('given') ?? ''}${output}`];
  }
  const warnings = block.language === 'console' ? [] : (output.match(/^warning: .*/gm) ?? []);
  if (warnings.length > 0) return warnings.map((warning) => `${where}: ${warning}`);
  return said
    .filter(({ shown, printed }) => shown !== undefined && !isShown(shown, printed))
    .map(({ shown, printed }) => `${where} shows\n${shown}\nbut this is printed\n${printed}`);
}

function transcriptOf(blocks: readonly Block[], { notes }: Machine, walks: readonly number[]): string {
  const names = walks.flatMap((walk) => readdirSync(join(notes, String(walk))).map((name) => join(String(walk), name)));
  return names
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((name) => {
      const place = blocks[Number.parseInt(basename(name), 10)]?.place ?? '';
      return `=== ${name} ${place}\n${readFileSync(join(notes, name), 'utf8')}`;
    })
    .join('');
}

/** What is pasted at once. A session (`console`) shows what each of its commands prints. */
function commandsOf({ language, text, notRun }: Block): { command: string; shown?: string }[] {
  if (notRun !== undefined) return [];
  if (language !== 'console') return [{ command: text }];
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((one) => {
      const [command = '', ...shown] = one.split('\n');
      return { command, shown: shown.join('\n') };
    });
}

/** A line `...` stands for any lines. */
function isShown(shown: string, printed: string): boolean {
  const parts = normalized(shown).split(/^\.\.\.$\n?/m);
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*');
  return new RegExp(`^${pattern}$`).test(normalized(printed));
}

/** Without what is another one each time: ids, durations, ports. */
function normalized(text: string): string {
  return text
    .replace(/\b\d+(\.\d+)? ?(ms|s|m|h)\b/g, 'DURATION')
    .replace(/\b[0-9a-f]{8}(-?[0-9a-f]{4,})*\b/g, 'ID')
    .replace(/\bb-\w+|\bp-\d+/g, 'ID')
    .replace(/127\.0\.0\.1:\d+/g, 'HOST')
    .trim();
}

/** Each command that fails is noted, with its exit code, and the next one runs: as in a shell that somebody types in. */
function scriptOf(blocks: readonly Block[], proof = 'true'): string {
  const parts = blocks.map((block, index) => {
    const note = (name: string) => `"$NOTES/$WALK/${index}.${name}"`;
    const given = block.given === undefined ? '' : `{\n${block.given}\n} > ${note('given')} 2>&1\n`;
    return `exec 3> ${note('failed')}\n${given}${commandsOf(block)
      .map(({ command }, at) => run({ ...block, text: command }, note(`${at}.out`)))
      .join('')}`;
  });
  return `set -o pipefail
trap 'echo "$? $BASH_COMMAND" | tr "\\n" " " >&3; echo >&3' ERR
started=()
${parts.join('\n')}
exec 3> "$NOTES/$WALK/end"
{
${proof}
} > "$NOTES/$WALK/proof" 2>&1
trap - ERR
for one in "\${started[@]}"; do kill -INT -- "-$one"; done 2> /dev/null
kill $(jobs -p) 2> /dev/null
wait
`;
}

function run({ text, file, elsewhere, faster }: Block, output: string): string {
  if (file !== undefined) return `cat > '${file}' <<'END OF THE BLOCK'\n${text}END OF THE BLOCK\n`;
  // A process group of its own, which Ctrl-C ends.
  if (elsewhere) {
    return `set -m\n{\n${text}\n} > ${output} 2>&1 &\nstarted+=($!)\nset +m
for _ in {1..600}; do [ -s ${output} ] && break; sleep 0.05; done\n`;
  }
  const clock = resolve('test/docs/faster.cjs');
  const before = faster === 1 ? '' : `export FASTER=${faster} NODE_OPTIONS='--require ${clock}'\n`;
  const after = faster === 1 ? '' : 'unset FASTER NODE_OPTIONS\n';
  return `${before}{\n${text}\n} > ${output} 2>&1\n${after}`;
}
