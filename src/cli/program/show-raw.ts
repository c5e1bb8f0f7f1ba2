import { UsageError } from '../../kernel/errors.ts';
import type { RawOutput } from '../../kernel/output/raw-output.ts';
import type { JsonChoice, Renderer } from '../../kernel/output/render.ts';
import type { Finish } from './show-result.ts';

/** Writes bytes to stdout as they come, sanitized if they are text that somebody else wrote. */
export async function showRaw(
  { writeTo, options }: RawOutput<unknown>,
  renderer: Renderer,
  json: JsonChoice,
  finish: Finish,
): Promise<void> {
  const {
    jsonValue,
    untrusted,
    isJson = false,
    terminalFix = 'redirect to a file, or pass --raw',
    cancel,
    onWritten,
  } = options;
  const { page } = renderer;
  if (json !== false) {
    if (jsonValue) return renderer.value(await finish(await jsonValue()), () => '');
    throw new UsageError('--json is not supported here', { why: 'the output is raw bytes' });
  }
  if (untrusted === 'bytes' && page.terminal) {
    await cancel?.();
    throw new UsageError('the output is binary and cannot be shown on a terminal', { fix: terminalFix });
  }
  if (untrusted === 'text' && (page.terminal || page.githubActions))
    await showUntrustedText(writeTo, renderer, isJson && page.terminal);
  else await writeTo((bytes) => renderer.bytes(bytes));
  onWritten?.();
}

/** Sanitizes chunk by chunk. On a terminal, ends with a newline, so that the prompt starts on its own line. */
async function showUntrustedText(
  writeTo: RawOutput<unknown>['writeTo'],
  { page, text }: Renderer,
  indents: boolean,
): Promise<void> {
  const { createStreamSanitizer } = await import('../../kernel/output/sanitize-stream.ts');
  const sanitizer = createStreamSanitizer(page);
  let last = '\n';
  const write = async (sanitized: string) => {
    if (sanitized === '') return;
    await text(sanitized);
    last = sanitized.slice(-1);
  };
  const push = (bytes: Uint8Array) => write(sanitizer.push(bytes));
  try {
    await (indents ? writeIndented(writeTo, push) : writeTo(push));
  } finally {
    await write(sanitizer.end());
    if (page.terminal && last !== '\n') await text('\n');
  }
}

/** JSON that is too long to be read is written as it comes. */
async function writeIndented(writeTo: RawOutput<unknown>['writeTo'], write: (bytes: Uint8Array) => Promise<void>) {
  const { indentJson } = await import('../../kernel/output/indent-json.ts');
  let held: Uint8Array | undefined = Buffer.alloc(0);
  try {
    await writeTo(async (bytes) => {
      if (!held) return write(bytes);
      held = Buffer.concat([held, bytes]);
      if (held.length <= maxIndentedBytes) return;
      const start = held;
      held = undefined;
      await write(start);
    });
  } finally {
    if (held) await write(Buffer.from(indentJson(String(held))));
  }
}

const maxIndentedBytes = 100_000;
