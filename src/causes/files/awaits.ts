import type { Use } from '../../app/python/facts.ts';
import type { Flows } from './flows.ts';
import type { LookedApp } from './looked-app.ts';
import type { Module } from './modules.ts';
import { say } from './said.ts';
import type { SeenCause } from './seen-cause.ts';

/** Calls of libraries that give what has to be awaited. */
const asynchronous: readonly RegExp[] = [
  /^redis\.asyncio\.(?:Redis|StrictRedis|RedisCluster|from_url)(?:\.from_url)?\(\)\.(?:get|set|setex|setnx|delete|exists|expire|incr|decr|hget|hset|hgetall|hdel|[lr]push|[lr]pop|lrange|sadd|smembers|z\w+|ping|publish|aclose)\(\)$/,
  /^httpx\.AsyncClient\(\)\.(?:get|post|put|patch|delete|head|options|request|send|aclose)\(\)$/,
  /^(?:sqlalchemy\.ext\.asyncio|sqlmodel\.ext\.asyncio\.session)\.(?:AsyncSession\(\)|async_sessionmaker\(\)\(\))\.(?:execute|exec|scalar|scalars|get|commit|rollback|flush|refresh|delete|merge|close)\(\)$/,
  /^aiohttp\.ClientSession\(\)\.\w+\(\)!?\.(?:json|text|read)\(\)$/,
  /^aiohttp\.web\.(?:Request\(\)\.(?:json|text|read|post)|(?:WebSocket|Stream)Response\(\)\.(?:prepare|send_\w+|receive\w*|write|write_eof|close))\(\)$/,
  /^(?:fastapi|starlette\.requests)\.Request\(\)\.(?:json|body|form)\(\)$/,
  /^fastapi\.UploadFile\(\)\.(?:read|write|seek|close)\(\)$/,
  /^(?:fastapi|starlette\.websockets)\.WebSocket\(\)\.(?:accept|close|send_\w+|receive_\w+|receive|send)\(\)$/,
  /^asyncio\.(?:sleep|wait_for|to_thread|open_connection|create_subprocess_\w+)\(\)$/,
  /^asyncio\.(?:Queue\(\)\.(?:get|put|join)|Event\(\)\.wait|Lock\(\)\.acquire)\(\)$/,
  /^(?:openai\.AsyncOpenAI|openai\.AsyncAzureOpenAI|anthropic\.AsyncAnthropic)\(\)\.(?:chat\.completions|completions|embeddings|responses|messages|images|audio\.\w+)\.create\(\)$/,
  /^asyncpg\.(?:connect|create_pool)\(\)!?\.(?:fetch\w*|execute\w*)\(\)$/,
  /^quart\.(?:render_template|request\.(?:get_json|get_data))\(\)$/,
  /^(?:arq\.create_pool|aio_pika\.connect(?:_robust)?)\(\)$/,
  /\.(?:ainvoke|abatch|enqueue_job)\(\)$/,
];
/** Calls of libraries that give what only `async for` goes through. */
const streaming = /\.(?:astream|astream_events|astream_log)\(\)$/;
/** Calls that surely give no awaitable. */
const immediate = /^transformers\.pipeline\(\)\(\)$|^(?:\[\]|\{\}|set\(\)|bytes\(\)|0|,)$/;

/** Members that a coroutine itself has, and calls that take none. */
const ofCoroutine = /^\.(?:close|send|throw|cr_\w+|__\w+__|add_done_callback|cancel|result|done)$/;
const takesNone =
  /^(?:os\.(?!wait)[\w.]+|json\.\w+|shutil\.\w+|open|len|int|float|str|list|dict|set|tuple|sorted|sum|max|min|range|enumerate|zip|next)$/;
/** The module asks whether it has to await. */
const asks = /\b(?:isawaitable|iscoroutine|iscoroutinefunction|ensure_future)$/;

/** Coroutines that nobody awaits, and values that cannot be awaited. */
export function* lookAtAwaits({ modules, flows }: LookedApp): Generator<SeenCause> {
  for (const module of modules) {
    const { calls, flow } = module.facts;
    if (calls.some(({ name }) => asks.test(name))) continue;
    for (const use of flow().uses) yield* wrongUse(use, module, flows);
    yield* unlikeOthers(module);
  }
}

type AwaitedKind = 'coroutine' | 'stream' | 'value' | undefined;

/** What a value is, if it is that in each case. */
function madeIn(use: Use, module: Module, flows: Flows): AwaitedKind {
  const found = flows.of(use.value(), module).map(({ trail }): AwaitedKind => {
    const known = flows.called(trail);
    if (known) return known.isAsync ? (known.isGenerator ? 'stream' : 'coroutine') : undefined;
    if (asynchronous.some((each) => each.test(trail))) return 'coroutine';
    if (streaming.test(trail)) return 'stream';
    return immediate.test(trail) ? 'value' : undefined;
  });
  return found.every((each) => each === found[0]) ? found[0] : undefined;
}

/** How each is used wrongly. */
const wrong: Readonly<Record<string, (use: Use) => boolean>> = {
  coroutine: ({ how, to }) =>
    /^(?:alone|looped|tested|looped later)$/.test(how) ||
    (how === 'member' && !ofCoroutine.test(to)) ||
    (how === 'given' && takesNone.test(to)),
  stream: ({ how }) => /^(?:looped|awaited)$/.test(how),
  value: ({ how }) => how === 'awaited',
};

function* wrongUse(use: Use, module: Module, flows: Flows): Generator<SeenCause> {
  const value = use.value();
  if (value.trail === '') return;
  const made = madeIn(use, module, flows);
  if (made === undefined || wrong[made]?.(use) !== true) return;
  yield notAwaited(made, use, module, made === 'coroutine' ? value.since : use.line);
}

const cases = { coroutine: 'await-missing', stream: 'await-missing stream', value: 'await-missing value' };

/** The name is `db.get` of a call. */
function notAwaited(
  made: keyof typeof cases,
  { isInAsync, how, value }: Use,
  { file }: Module,
  line: number,
): SeenCause {
  const name = value().trail.replace(/@\d+|\(\w*\)|!/g, '');
  const ofCoroutine = isInAsync ? 'await-missing async' : how === 'alone' ? 'await-missing alone' : cases.coroutine;
  return say(made === 'coroutine' ? ofCoroutine : cases[made], { name }, { at: { file, line } });
}

/** How others of a file use what a use of it gets wrong, and what it is then. */
const others: readonly { how: Use['how']; other: Use['how']; trail: RegExp; made: 'coroutine' | 'stream' }[] = [
  // It runs without await.
  { how: 'alone', other: 'awaited', trail: /^(?!asyncio\.gather\().*\./, made: 'coroutine' },
  { how: 'looped', other: 'looped later', trail: /\)$/, made: 'stream' },
];

/** A call that is a statement of its own, and that the same file awaits elsewhere; a loop likewise. */
function* unlikeOthers(module: Module): Generator<SeenCause> {
  const uses = module.facts
    .flow()
    .uses.filter(({ how }) => others.some((each) => each.how === how || each.other === how));
  for (const { how, other, trail, made } of others) {
    const known = new Set(uses.filter((use) => use.how === other).map((use) => use.value().trail));
    const wrongly = uses.filter((use) => use.how === how && use.isInAsync && known.has(use.value().trail));
    for (const use of wrongly.filter((each) => trail.test(each.value().trail)))
      yield notAwaited(made, use, module, use.line);
  }
}
