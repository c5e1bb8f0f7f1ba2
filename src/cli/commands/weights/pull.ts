import { platformExits, UsageError } from '../../../kernel/errors.ts';
import { pullWeights } from '../../../storage/weights/index.ts';
import { defineCommand } from '../../command.ts';
import { repeatableFlag, sha256Flag, sizeFlag } from '../../flags/values.ts';
import { boolean, document, integer, list, nullable, number, object, text } from '../../result-schema.ts';
import { failedExit } from '../../views/copy.ts';
import { pullView } from '../../views/weights.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[source]', 'hf://ORG/NAME, hf://ORG/NAME@REVISION or a https:// URL (default: all of weights.lock)')
      .argument(
        '[target]',
        'folder on a volume, or name of a file at a URL: volume:/path or :/path (default: that of weights.lock)',
      )
      .option('--revision <name>', 'branch, tag or commit of a model (default: that of weights.lock, else main)')
      .option('--sha256 <hex>', 'checksum that the file at a https:// URL must have', sha256Flag)
      .option('--include <glob>', 'pull only matching files (repeatable)', repeatableFlag)
      .option('--exclude <glob>', 'skip matching files and folders (repeatable)', repeatableFlag)
      .option('--token [-]', 'read the token of the hub from stdin (default: HF_TOKEN)')
      .option('--dry-run', 'show what would be copied')
      .option('--no-resume', 'start over instead of resuming')
      .option('--limit-rate <size>', 'limit bandwidth, for example 20MB per second', sizeFlag(1024)),
  run: (context, source, target, { token, dryRun, include, exclude, revision, sha256, limitRate, resume }) => {
    if (token !== undefined && token !== true && token !== '-') throw tokenInArgumentsError();
    return pullWeights(context, {
      ...{ source, target, revision, sha256, limitRate, resume },
      ...{
        include: include ?? [],
        exclude: exclude ?? [],
        tokenFromStdin: token !== undefined,
        dryRun: dryRun ?? false,
      },
    });
  },
  exit: ({ failed }) => failedExit(failed),
  view: pullView,
  json: document({
    lock: text('file that records the weights'),
    weights: list(
      object({
        source: text('hf://ORG/NAME, or URL without its query'),
        revision: nullable(text('commit of the model; null for a URL')),
        target: text('folder on the volume'),
        mount: text('folder where apps find the weights'),
        files: integer('number of files'),
        bytes: integer('their size'),
        equal: integer('files that were on the volume already'),
        listed: integer('those of them with the size and time that weights.lock has, which were not read'),
        unread: integer('with --dry-run: files of the same size on the volume, which were not read'),
        copied: integer('number of copied files'),
        copiedBytes: integer('total size of the copied files'),
        resumedBytes: integer('bytes resumed from a previous attempt'),
      }),
      'what was pulled: source, revision, target, mount, and the number of files',
    ),
    failed: list(
      object({
        path: text('path, or source of which nothing was copied'),
        reason: text('why it failed'),
        code: text('name of an exit code'),
      }),
      'path, reason and code of each failed file',
    ),
    dryRun: boolean('true for a dry run: nothing was copied'),
    durationMs: number('duration, in ms'),
  }),
  effect: 'destroys',
  exits: [...platformExits],
  details: [
    'Bytes go from the source to the volume through memory; nothing is stored on this machine. A file appears on the volume only with the checksum that the hub, or --sha256, says. Files that are there and equal are not copied. Run the same command again to resume an interrupted one.',
    'weights.lock in this folder records the commit, and the size and SHA-256 of each file: commit it. gantry check uses it. A pull that it directs to a folder asks first where this folder never pulled to that one.',
    'For gated models, set HF_TOKEN or pass the token on stdin. It goes to the hub only (HF_ENDPOINT, default: https://huggingface.co), never to the hosts that it redirects to.',
  ],
  examples: [
    'weights pull hf://Qwen/Qwen3-0.6B :/models/qwen',
    'weights pull hf://Qwen/Qwen3-0.6B :/models/qwen --revision main --include "*.safetensors" --include "*.json"',
    'weights pull https://example.com/model.gguf :/models/ --sha256 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
    'weights pull',
  ],
});

function tokenInArgumentsError(): UsageError {
  return new UsageError('pass the token on stdin, not as an argument', {
    why: 'arguments are visible in the shell history and to other processes',
    fix: 'pass --token without a value and the token on stdin, or set HF_TOKEN; replace the exposed token',
  });
}
