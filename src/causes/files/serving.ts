import { readPython } from '../../app/python/read-python.ts';
import { flagOf } from '../../app/shell.ts';
import { groupsOf } from '../groups.ts';
import { configOf, startsServer, startsStdio } from './listening.ts';
import type { LookedApp, Module } from './modules.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment, StartedServer } from './shipment.ts';

export const isAsgi = /^(?:fastapi\.(?:\w+\.)*FastAPI|starlette\.(?:\w+\.)*Starlette|quart\.Quart|litestar\.Litestar)$/;
const isWsgi = /^(?:flask\.Flask|bottle\.Bottle|falcon\.App)$/;
export const isFramework = new RegExp(`${isAsgi.source}|${isWsgi.source}|^sanic\\.Sanic$`);

/** An ASGI app behind a WSGI worker, and the reverse; the package of a worker class. */
export function* worker(server: StartedServer, { graph, packages, shipment }: LookedApp): Generator<SeenCause> {
  const { module = '', attribute = 'app', words, at } = server;
  const kind = flagOf(words, '-k', '--worker-class') ?? workerIn(configOf(shipment, server), shipment);
  if (kind === undefined || server.environment.has('GUNICORN_CMD_ARGS')) return;
  const made = graph.moduleNamed(module)?.facts.names.get(attribute)?.made ?? '';
  const said = { cause: 'worker-class-wrong', severity: 'error' as const, captured: { name: kind }, at };
  const wrong = wrongWorker(server, made, kind);
  if (wrong) yield { ...said, ...wrong };
  const [needed = ''] = groupsOf(/^(?:uvicorn|gevent|eventlet)/, kind);
  if (needed !== '' && packages.all().isWhole && !packages.has(needed))
    yield { ...said, why: `nothing installs ${needed}`, fix: packages.fixOf(needed) };
}

/** The class that a file of settings names: empty without one, undefined if it cannot be told. */
function workerIn(file: string | undefined, shipment: Shipment): string | undefined {
  const text = file === undefined ? '' : shipment.text(file);
  return text?.includes('worker_class') ? readPython(text, file ?? '').values.get('worker_class') : text && '';
}

function wrongWorker({ program, words, module, attribute }: StartedServer, made: string, kind: string) {
  if (program === 'gunicorn' && isAsgi.test(made) && !/uvicorn|asgi|hypercorn/i.test(kind))
    return {
      title: 'gunicorn serves an ASGI app with a worker for WSGI apps',
      fix: 'add -k uvicorn.workers.UvicornWorker to the gunicorn command, and uvicorn to the dependencies',
    };
  if (program === 'uvicorn' && isWsgi.test(made) && !words.includes('--interface'))
    return {
      title: 'uvicorn serves a WSGI app as if it was ASGI',
      fix: 'start it with gunicorn, or add --interface wsgi',
    };
  const [, served] = wrappers.find(([wrapper]) => wrapper.test(made)) ?? [];
  return (
    served && {
      cause: 'entrypoint-attribute-missing',
      title: `${module}:${attribute} is not the app that ${program} serves, but has it`,
      fix: `write ${module}:${attribute}.${served}`,
    }
  );
}

/** Objects that are not the app, and the member of each that is. */
const wrappers: readonly (readonly [made: RegExp, served: string])[] = [
  [/^dash\.(?:\w+\.)*Dash$/, 'server'],
  [/^fastmcp\.FastMCP$/, 'http_app()'],
  [/^litserve\.LitServer$/, 'app'],
];

/** A Python file that makes an app and serves nothing, and one that another program has to start. */
export function* servesNothing({ shipment, graph }: LookedApp): Generator<SeenCause> {
  const [server, ...others] = shipment.servers();
  const entry = [...graph.modules.values()].find(({ isEntry }) => isEntry === 'script');
  if (!server || !entry || others.length > 0 || !/^python/.test(server.program)) return;
  for (const { file, facts } of graph.modules.values())
    for (const { line } of facts.calls.filter(startsStdio))
      yield {
        cause: 'not-listening',
        at: { file, line },
        title: `${file} starts a server of MCP that talks over its input and output, not over a port`,
        fix: `run(transport="http", host="0.0.0.0", port=${shipment.config.custom?.port ?? 8000})`,
      };
  const said = { cause: 'not-listening', at: server.at };
  const port = shipment.config.custom?.port ?? 8000;
  if (entry.facts.imports.some(({ module }) => module === 'streamlit'))
    yield {
      ...said,
      title: `python runs ${entry.file} once, and starts no server`,
      fix: `entrypoint = ["streamlit", "run", "${server.script}", "--server.port", "${port}", "--server.address", "0.0.0.0"]`,
    };
  else if ((makesApp(entry) || makesDemo(entry)) && ![...graph.modules.values()].some(mayServe))
    yield {
      ...said,
      title: `${entry.file} makes an app, and nothing in it starts a server`,
      fix: `start it with a server, or call it at the end of ${entry.file}`,
    };
}

const makesDemo = ({ facts }: Module) =>
  facts.calls.some(({ name }) => /^gradio\.(?:Blocks|Interface|ChatInterface)$/.test(name));
const makesApp = ({ facts }: Module) => [...facts.names.values()].some(({ made }) => isFramework.test(made));
const mayServe = ({ facts }: Module) =>
  facts.calls.some(
    (call) =>
      startsServer(call) ||
      /(?:^|\.)(?:run|serve|start|main|launch|serve_forever)$|^os\.exec|^subprocess\./.test(call.name),
  );
