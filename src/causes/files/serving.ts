import { startsServer, startsStdio } from './listening.ts';
import type { LookedApp, ModuleCall } from './looked-app.ts';
import type { Module } from './modules.ts';
import type { SeenCause } from './seen-cause.ts';

export const isAsgi = /^(?:fastapi\.(?:\w+\.)*FastAPI|starlette\.(?:\w+\.)*Starlette|quart\.Quart|litestar\.Litestar)$/;
const isWsgi = /^(?:flask\.Flask|bottle\.Bottle|falcon\.App)$/;
export const isFramework = new RegExp(`${isAsgi.source}|${isWsgi.source}|^sanic\\.Sanic$`);

/** A Python file that makes an app and serves nothing, and one that another program has to start. */
export function* servesNothing({ shipment, modules, calls }: LookedApp): Generator<SeenCause> {
  const [server, ...others] = shipment.servers();
  const entry = modules.find(({ isEntry }) => isEntry === 'script');
  if (!server || !entry || others.length > 0 || !/^python/.test(server.program)) return;
  const port = shipment.config.custom?.port ?? 8000;
  for (const { file, line } of calls().filter(startsStdio))
    yield {
      cause: 'not-listening',
      at: { file, line },
      title: `${file} starts a server of MCP that talks over its input and output, not over a port`,
      fix: `run(transport="http", host="0.0.0.0", port=${port})`,
    };
  const said = { cause: 'not-listening', at: server.at };
  if (entry.facts.imports.some(({ module }) => module === 'streamlit'))
    yield {
      ...said,
      title: `python runs ${entry.file} once, and starts no server`,
      fix: `entrypoint = ["streamlit", "run", "${server.script}", "--server.port", "${port}", "--server.address", "0.0.0.0"]`,
    };
  else if ((makesApp(entry) || makesDemo(entry)) && !calls().some(mayServe))
    yield {
      ...said,
      title: `${entry.file} makes an app, and nothing in it starts a server`,
      fix: `start it with a server, or call it at the end of ${entry.file}`,
    };
}

const makesDemo = ({ facts }: Module) =>
  facts.calls.some(({ name }) => /^gradio\.(?:Blocks|Interface|ChatInterface)$/.test(name));
const makesApp = ({ facts }: Module) => [...facts.names.values()].some(({ made }) => isFramework.test(made));
const mayServe = (call: ModuleCall) =>
  startsServer(call) ||
  /(?:^|\.)(?:run|serve|start|main|launch|serve_forever)$|^os\.exec|^subprocess\./.test(call.name);
