import type { FunctionFlow, Use, Value } from '../../app/python/facts.ts';
import { once } from '../../kernel/once.ts';
import { rowsOf } from '../rule.ts';
import type { Flows, FoundValue } from './flows.ts';
import type { LookedApp, ModuleCall } from './looked-app.ts';
import type { Module } from './modules.ts';
import { say } from './said.ts';
import type { SeenCause } from './seen-cause.ts';

/** What arrays, tensors and frames are made to be without becoming another thing. */
const parts: Readonly<Record<string, string>> = {
  numbers: '(?:float(?:16|32)|u?int(?:8|16|32|64)?|bool_?)',
  kept: String.raw`(?:\.(?:astype|reshape|copy|flatten|ravel|transpose|squeeze|unsqueeze|detach|cpu|cuda|to|float|half|clone|contiguous|eval|softmax|sigmoid|argmax|max|min|mean|sum)\(\w*\)|\.T|\[[^\]]*\])*$`,
  whole: String.raw`(?:\.(?:astype|reshape|copy|flatten|ravel|transpose|squeeze)\(\w*\)|\.T|\[:\])*$`,
  frames: String.raw`(?:\.(?:head|tail|copy|dropna|fillna|rename|reset_index|set_index|sort_values|query|to_crs|drop|sample|describe|value_counts)\(\)|\.(?:loc|iloc)(?:\[:?\])?|\[[:\]]\]?|\[\])*$`,
};

/** Values that JSON does not have: what they are called, what turns them into one that it has, and what makes them. */
const kinds = once(() =>
  rowsOf`
a PIL image | save it to a BytesIO, and return base64.b64encode(buffer.getvalue()).decode() | ^PIL\.Image\.(?:open|new|fromarray|frombytes|merge|blend)\(\)(?:\.(?:convert|resize|crop|rotate|copy|transpose|filter|quantize)\(\))*$
a PIL image | save it to a BytesIO, and return base64.b64encode(buffer.getvalue()).decode() | ^diffusers\.\w+\.from_(?:pretrained|single_file|pipe)\(\)(?:\.to\(\))?\(\)\.images(?:\[\d*\])?$
a numpy array | return its .tolist() | ^numpy\.(?:(?:as|ascontiguous)?array|zeros|ones|full|empty|arange|linspace|[vh]?stack|concatenate|argsort|frombuffer|where|unique|random\.\w+)\(\w*\)<whole>|^(?:numpy|cv2)\.(?:imread|imdecode|cvtColor|GaussianBlur|load|fromfile)\(\w*\)<whole>|\.numpy\(\)<whole>
a value of numpy | convert it with float(), int() or .tolist() | ^numpy\.(?:<numbers>\(\)|arg(?:max|min)\(\)|\w+\(<numbers>\))$|^numpy\.\w+\(\w*\)\.(?:argmax|argmin)\(\)$|^xgboost\.XGB\w+\(\)\.predict(?:_proba)?\(\)(?:\[[^\]]*\])*$
a numpy array | return its .tolist() | ^sklearn\.[\w.]+\(\)\.(?:predict|predict_proba|transform|fit_transform|decision_function)\(\)(?:\[:\])?$|^sentence_transformers\.SentenceTransformer\(\)\.encode\(\)(?:\[\d*\])?$
a tensor | convert it with .tolist() or .item() | ^torch\.(?:tensor|from_numpy|zeros|ones|rand|randn|softmax|sigmoid|argmax|cat|stack|mean|round|nn\.functional\.\w+)\(\w*\)<kept>|^ultralytics\.YOLO\(\)(?:\.predict\(\)|\(\))\[\d*\]\.boxes(?:\[\d*\])?\.(?:conf|cls|xyxyn?|xywhn?)<kept>|^transformers\..*\(\)\.(?:logits|last_hidden_state|pooler_output)<kept>
a DataFrame or Series of pandas | convert it with .to_dict() or .tolist() | ^(?:geo)?pandas\.(?:(?:Geo)?DataFrame|(?:Geo)?Series|read_\w+|concat|merge|to_datetime)\(\)<frames>
a set | convert it with list() or sorted() | ^(?:set|frozenset)\(\)$
bytes | return base64.b64encode(data).decode() | ^bytes\(\)$|^base64\.\w+encode\(\)$|^io\.BytesIO\(\)\.(?:getvalue|read)\(\)$|^(?:requests|httpx)\.\w+\(\)\.content$
a generator | make a list of it | ^(?:generator|map|filter|zip)\(\)$|^faster_whisper\.WhisperModel\(\)\.transcribe\(\)\[0\]$
a view of a dictionary | make a list of it | ^\{\}\.(?:keys|values|items)\(\)$
an object of spaCy | return its .text | ^spacy\.load\(\)\(\)(?:\.ents|\.sents|\.noun_chunks)?(?:\[[^\]]*\])?$
a datetime | return its .isoformat() | ^datetime\.(?:datetime|date)(?:\.(?:now|utcnow|today|fromtimestamp|fromisoformat|strptime))?\(\)$
a Decimal | convert it with float() or str() | ^decimal\.Decimal\(\)$
a UUID | convert it with str() | ^uuid\.uuid[1-5]\(\)$
`.map((row) => {
    const [what = '', cure = '', made = ''] = row.split(' | ');
    return { what, cure, made: new RegExp(made.replace(/<(\w+)>/g, (_, part: string) => parts[part] ?? '')) };
  }),
);

/** Where values become JSON, what says it, and what that can carry besides. */
interface JsonSink {
  by: string;
  carries: RegExp;
  /** What it can carry as the whole answer. */
  asWhole?: RegExp;
}

const nothing = /^$/;
/** `json` of the standard library, and what is made of it without a converter. */
const plain = /^(?:json\.dumps?|(?:fastapi|starlette)\.responses\.JSONResponse|aiohttp\.web\.json_response)$/;
const sinks = {
  plain: { by: 'json', carries: nothing },
  flask: { by: 'Flask', carries: /^a (?:datetime|Decimal|UUID)$/, asWhole: /^(?:bytes|a generator)$/ },
  // It tries dict() and vars(): a tensor becomes {}.
  fastapi: { by: 'FastAPI', carries: /^(?!a PIL image|a value of numpy|a numpy array|a tensor)/ },
  // No document says whether the platform converts arrays and tensors; the emulator does.
  functions: {
    by: 'the default runtime',
    carries: /^(?:a value of numpy|a numpy array|a tensor)$/,
    asWhole: /^a generator$/,
  },
} satisfies Readonly<Record<string, JsonSink>>;

/** Results that cannot be sent as JSON. */
export function* lookAtResults(app: LookedApp): Generator<SeenCause> {
  const { modules, flows } = app;
  for (const module of modules)
    for (const { value, sink } of [...answersOf(module, app), ...givenIn(module, flows)])
      for (const found of flows.of(value, module)) yield* unsendable(found, sink, flows, 0);
}

function* unsendable(found: FoundValue, sink: JsonSink, flows: Flows, depth: number): Generator<SeenCause> {
  const { trail, items, module, line } = found;
  for (const each of /^(?:\{\}|\[\]|,)$/.test(trail) && depth < 4 ? items() : [])
    for (const inner of flows.of(each, module)) yield* lookAtPart(inner, sink, flows, depth + 1);
  const { what = '', cure } = kinds().find(({ made }) => made.test(trail)) ?? {};
  if (cure === undefined || sink.carries.test(what) || (depth === 0 && sink.asWhole?.test(what))) return;
  yield say('result-not-json', { path: module.file, what, by: sink.by, cure }, { at: { file: module.file, line } });
}

/** A part of an answer. A coroutine as the whole answer may be awaited by the caller. */
function* lookAtPart(found: FoundValue, sink: JsonSink, flows: Flows, depth: number): Generator<SeenCause> {
  const { trail, module, line } = found;
  const called = flows.called(trail);
  if (!called?.isAsync || called.isGenerator) return yield* unsendable(found, sink, flows, depth);
  const name = trail.replace(/^.*:|@\d+|\(\w*\)|!/g, '');
  yield say('await-missing', { name }, { at: { file: module.file, line } });
}

interface ReturnedValue {
  value: Value;
  sink: JsonSink;
}

const routes = /^@\w+\.(?:get|post|put|patch|delete|route|api_route)\(/;
/** Another class makes the answer. */
const converted = /response_(?:model|class)\s*=/;

/** What the functions of the default runtime and the handlers of routes return. */
function answersOf({ file, facts }: Module, app: LookedApp): ReturnedValue[] {
  const [framework, ...others] = (['fastapi', 'flask'] as const).filter((name) =>
    facts.imports.some((each) => each.module.split('.')[0] === name),
  );
  const answers = (sink: JsonSink, isOne: (each: FunctionFlow, name: string) => boolean) =>
    [...facts.flow().functions].flatMap(([name, each]) =>
      isOne(each, name) ? each.returns.map((value) => ({ value, sink })) : [],
    );
  if (framework && others.length === 0) return answers(sinks[framework], isHandler);
  const isMain = app.shipment.config.runtime === 'cortex' && file === 'main.py';
  return isMain ? answers(sinks.functions, (each, name) => isEndpoint(name, each, app)) : [];
}

const isHandler = ({ decorators, type }: FunctionFlow) =>
  decorators.some((each) => routes.test(each) && !converted.test(each)) &&
  /^(?:(?:dict|list|Dict|List)\b.*|Any)?$/.test(type);

/** Whether the default runtime serves it: what the app calls itself may only be for that. */
const isEndpoint = (name: string, { decorators }: FunctionFlow, app: LookedApp) =>
  /^[^_.][^.]*$/.test(name) && decorators.length === 0 && !app.calls().some((call) => isOf(call, name));

const isOf = ({ written, references }: ModuleCall, name: string) =>
  [written, ...Object.values(references)].some((each) => each === name || each.endsWith(`.${name}`));

/** What is given to those that make JSON. */
function givenIn(module: Module, flows: Flows): ReturnedValue[] {
  const { uses } = module.facts.flow();
  return uses
    .filter(
      ({ how, to, keywords }) =>
        how === 'given' &&
        /(?:^|\.)(?:dumps?|JSONResponse|json_response|jsonify)$/.test(to) &&
        !keywords.some((each) => /^(?:default|cls|dumps|encoder)$/.test(each)),
    )
    .flatMap((use) => sinkOf(use, module, flows));
}

function sinkOf({ to, value }: Use, module: Module, flows: Flows): ReturnedValue[] {
  const [found] = flows.of({ trail: to, items: () => [], line: 1, since: 1 }, module);
  const name = found?.trail ?? '';
  const sink = name === 'flask.jsonify' ? sinks.flask : plain.test(name) ? sinks.plain : undefined;
  // Given to jsonify, it is a part of the answer.
  return sink
    ? [{ value: sink === sinks.flask ? { ...value(), trail: '[]', items: () => [value()] } : value(), sink }]
    : [];
}
