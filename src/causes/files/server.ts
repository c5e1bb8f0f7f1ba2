import { posix } from 'node:path';
import { sections } from '../../app/schema.ts';
import { listensBy, type Server } from '../../app/shell.ts';
import { closestName } from '../../app/toml/closest-name.ts';
import { packageOf } from '../import-names.ts';
import { debianPackageOfProgram, pythonPackageOfProgram } from '../program-packages.ts';
import type { Packages } from './packages.ts';
import type { Module, PythonCode } from './python.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment, StartedCommand } from './shipment.ts';
import { librariesOf, ownRoutes, programsOf } from './tables.ts';

const isLocal = (host = '') => /^(?:127\.\d+\.\d+\.\d+|localhost|\[?::1\]?)$/.test(host);

/** Whether what is started exists, listens where the platform asks, and answers its checks. */
export function* lookAtServer(shipment: Shipment, packages: Packages, code: PythonCode): Generator<SeenCause> {
  if (shipment.config.runtime === 'custom') {
    for (const server of shipment.servers()) {
      yield* target(shipment, code, server);
      yield* worker(code, server, packages);
    }
    yield* startedPrograms(shipment, packages);
    yield* listening(shipment, code);
    yield* checkPaths(shipment, code);
    yield* startsNothing(shipment, code);
  } else if (shipment.config.runtime === 'cortex') {
    if (!shipment.sent.has('main.py') && shipment.exists('main.py'))
      yield* missingScript(shipment, 'main.py', undefined);
    yield* withoutRuntime(code);
  }
  for (const { words, at } of shipment.buildCommands())
    if (
      /^(?:ba|da|z)?sh$/.test(words[0] ?? '') &&
      /\.sh$/.test(words[1] ?? '') &&
      !shipment.isDocker &&
      !shipment.fileAt(words[1] ?? '')
    )
      yield { ...missingOf(shipment, posix.normalize(words[1] ?? '')), at };
  yield* programs(shipment, packages, code);
}

const frameworks = /^(?:fastapi|flask|starlette|quart|bottle|aiohttp|sanic|litestar|tornado|falcon)$/;

/** A Python file that makes an app and serves nothing, and one that another program has to start. */
function* startsNothing(shipment: Shipment, code: PythonCode): Generator<SeenCause> {
  const servers = shipment.servers();
  const [server] = servers;
  if (servers.length !== 1 || !server || server.script === undefined || !/^python/.test(server.program)) return;
  const modules = [...code.modules.values()];
  const entry = modules.find(({ isEntry }) => isEntry);
  const uses = (module: RegExp) =>
    modules.some(({ facts }) => facts.imports.some((each) => module.test(each.module.split('.')[0] ?? '')));
  if (!entry || entry.facts.brokenLine !== undefined) return;
  if (entry.facts.imports.some(({ module }) => module === 'streamlit'))
    yield {
      cause: 'not-listening',
      severity: 'warning',
      captured: {},
      at: server.at,
      title: `python runs ${entry.file} once, and starts no server`,
      fix: `entrypoint = ["streamlit", "run", "${server.script}", "--server.port", "${shipment.config.custom?.port ?? 8000}", "--server.address", "0.0.0.0"]`,
    };
  else if (
    uses(frameworks) &&
    !modules.some(({ facts }) =>
      facts.calls.some(
        ({ name }) =>
          serves.test(name) ||
          /(?:^|\.)(?:serve_forever|main|execute_from_command_line|subprocess\.\w+|os\.exec\w+|asyncio\.run)$/.test(
            name,
          ),
      ),
    )
  )
    yield {
      cause: 'not-listening',
      severity: 'warning',
      captured: {},
      at: server.at,
      title: `${entry.file} makes an app, and nothing in it starts a server`,
      fix: `start it with a server, or call it at the end of ${entry.file}`,
    };
}

function* target(
  shipment: Shipment,
  code: PythonCode,
  { module, attribute, script, program, at, cwd, words }: Server & StartedCommand,
): Generator<SeenCause> {
  const named = words.find((word) => /^[\w./-]+\.py:\w+$/.test(word));
  if (named !== undefined && /^(?:uvicorn|gunicorn|hypercorn|daphne|granian)$/.test(program)) {
    yield {
      cause: 'entrypoint-invalid',
      severity: 'error',
      captured: { target: named },
      at,
      why: `${program} takes the name of a module, not a path`,
      fix: `write ${named.replace(/\.py:/, ':').replaceAll('/', '.')}`,
    };
    return;
  }
  if (script !== undefined && shipment.isDocker && script.endsWith('.py')) {
    const path = posix.resolve(cwd, script);
    const { stage } = shipment.dockerfile() ?? {};
    const isKnown =
      stage &&
      (stage.files.has(path) ||
        stage.others.some((each) => path.startsWith(`${each}/`) || each === path) ||
        stage.commands.some((each) => each.words.join(' ').includes(posix.basename(path))));
    if (stage && !isKnown && stage.files.size > 0)
      yield {
        cause: 'entrypoint-not-found',
        severity: shipment.isDocker ? 'warning' : 'error',
        captured: { path: script },
        at,
        title: `the image has no ${path}, which is started`,
        why: [...stage.files].find(([each]) => posix.basename(each) === posix.basename(path))?.[0],
      };
  }
  if (
    script !== undefined &&
    !shipment.isDocker &&
    !/^python/.test(program) &&
    shipment.fileAt(script, cwd) === undefined
  ) {
    const near = shipment.paths.find((path) => posix.basename(path) === posix.basename(script));
    if (near === undefined) yield* missingScript(shipment, posix.normalize(script), at);
    else
      yield {
        cause: 'entrypoint-not-found',
        severity: shipment.isDocker ? 'warning' : 'error',
        captured: { path: script },
        at,
        why: `the app has ${near}`,
        fix: `start ${near}`,
      };
  }
  if (module === undefined) return;
  const found = code.moduleNamed(module);
  if (!found) {
    const file = `${module.replaceAll('.', '/')}.py`;
    const isChecked = at && 'setting' in at;
    const there = [file, file.replace(/\.py$/, '/__init__.py')].find(
      (each) => shipment.exists(each) && !shipment.sent.has(each),
    );
    if (there && !shipment.isDocker)
      yield {
        cause: 'module-excluded',
        severity: 'error',
        captured: { module },
        at,
        title: `${there} is in the app folder, but is not sent: ${shipment.reasonOf(there).why}`,
        fix: shipment.reasonOf(there).fix,
      };
    else if (
      !isChecked &&
      shipment.paths.some((path) => path.endsWith('.py')) &&
      !shipment.isFolder(module.split('.')[0] ?? '')
    )
      yield {
        cause: 'entrypoint-not-found',
        severity: shipment.isDocker ? 'warning' : 'error',
        captured: { path: module },
        at,
        title: `${program} loads ${module}, and there is no such module in ${cwd}`,
        fix: suggestion(code),
      };
    else if (
      !isChecked &&
      shipment.inImage().size > 0 &&
      [...shipment.inImage().values()].some((path) => path.endsWith('.py'))
    )
      yield {
        cause: 'entrypoint-not-found',
        severity: shipment.isDocker ? 'warning' : 'error',
        captured: { path: module },
        at,
        title: `${program} loads ${module}, and there is no such module in ${cwd}`,
        fix: modulesNear(shipment, module),
      };
    return;
  }
  const { facts, file } = found;
  // A file without a word is a stand-in for one that is made later.
  if (
    attribute === undefined ||
    facts.names.has(attribute) ||
    facts.hasMore ||
    facts.names.size + facts.calls.length === 0
  )
    return;
  const objects = [...facts.made]
    .filter(([, made]) =>
      /^(?:\w+\.)*(?:FastAPI|Flask|Starlette|Quart|Sanic|Litestar|Bottle|Falcon|App|Dash|create_app|get_asgi_application|get_wsgi_application|make_app|socketio\.ASGIApp)$/.test(
        made,
      ),
    )
    .map(([name]) => name);
  const meant =
    closestName(attribute, facts.names) ??
    objects[0] ??
    (program === 'bentoml' ? [...facts.made].find(([, made]) => made === 'class')?.[0] : undefined);
  const functions = [...facts.made].filter(([, made]) => made === 'def').map(([name]) => name);
  const only =
    objects.length === 0 && functions.length > 0 && meant === undefined
      ? `it has only the ${functions.length > 1 ? 'functions' : 'function'} ${functions.slice(0, 3).join(', ')}`
      : undefined;
  yield {
    cause: 'entrypoint-attribute-missing',
    severity: 'error',
    captured: { module: file, name: attribute },
    at,
    title: `the entrypoint names an object that ${file} does not have: ${attribute}`,
    why: only,
    fix: meant
      ? `write ${module}:${meant}`
      : only && module === 'main'
        ? 'remove [cerebrium.runtime.custom], so that the default runtime serves the functions, or add the object'
        : `add ${attribute} to ${file}`,
  };
}

const suggestion = (code: PythonCode) => {
  const [entry] = [...code.modules.values()];
  return entry && `the app has ${entry.file}`;
};

function modulesNear(shipment: Shipment, module: string): string | undefined {
  const last = module.split('.').slice(0, -1).join('/');
  const near = [...shipment.inImage().values()].filter(
    (path) => path.endsWith('.py') && !path.endsWith('__init__.py') && posix.dirname(path) === (last || '.'),
  );
  return near.length > 0
    ? `${last || 'the folder'} has ${near
        .map((path) => posix.basename(path))
        .slice(0, 3)
        .join(', ')}`
    : undefined;
}

const asgi = /(?:^|\.)(?:FastAPI|Starlette|Quart|Litestar)$/;

/** An ASGI app behind a WSGI worker, and the reverse; what a worker class needs. */
function* worker(
  code: PythonCode,
  { program, module, attribute = 'app', words, at }: Server & StartedCommand,
  packages: Packages,
): Generator<SeenCause> {
  const made = (module === undefined ? undefined : code.moduleNamed(module)?.facts.made.get(attribute)) ?? '';
  const kind =
    words.find((_word, index) => /^(?:-k|--worker-class)$/.test(words[index - 1] ?? '')) ??
    words.flatMap((word) => /^--worker-class=(.+)/.exec(word)?.[1] ?? [])[0];
  if (program === 'gunicorn' && asgi.test(made) && !/uvicorn|asgi|hypercorn/i.test(kind ?? ''))
    yield {
      cause: 'worker-class-wrong',
      severity: 'error',
      captured: {},
      at,
      title: 'gunicorn serves an ASGI app with a worker for WSGI apps',
      fix: 'add -k uvicorn.workers.UvicornWorker to the gunicorn command, and uvicorn to the dependencies',
    };
  if (
    /^(?:uvicorn|hypercorn|daphne)$/.test(program) &&
    /(?:^|\.)(?:Flask|Bottle)$/.test(made) &&
    !words.includes('--interface') &&
    program === 'uvicorn'
  )
    yield {
      cause: 'worker-class-wrong',
      severity: 'error',
      captured: {},
      at,
      title: `${program} serves a WSGI app as if it was ASGI`,
      fix: 'start it with gunicorn, or add --interface wsgi',
    };
  const needed = kind && (/^uvicorn/.test(kind) ? 'uvicorn' : /^(?:gevent|eventlet)$/.test(kind) ? kind : undefined);
  if (needed && packages.all().isWhole && !packages.has(needed))
    yield {
      cause: 'worker-class-wrong',
      severity: 'error',
      captured: { name: kind },
      at,
      why: `nothing installs ${needed}`,
      fix: `add ${needed} to the dependencies`,
    };
  if (program !== 'uvicorn' || !packages.all().isWhole || packages.has('websockets') || packages.has('wsproto')) return;
  for (const { file, facts } of code.modules.values()) {
    const found = facts.calls.find(({ name, isDecorator }) => isDecorator && /\.websocket(?:_route)?$/.test(name));
    if (found)
      yield {
        cause: 'module-missing',
        severity: 'warning',
        captured: { module: 'websockets', package: 'websockets' },
        at: { file, line: found.line },
        title: 'uvicorn serves WebSockets only with websockets or wsproto, and nothing installs one',
        fix: 'list "uvicorn[standard]" instead of uvicorn',
      };
  }
}

const builtinsOfShells = /^(?:cd|export|source|\.|set|alias|ulimit|umask)$/;

/** Programs that nothing installs. */
function* startedPrograms(shipment: Shipment, packages: Packages): Generator<SeenCause> {
  const { entrypoint } = shipment.config.custom ?? {};
  const [first = ''] = entrypoint ?? [];
  const at = { setting: 'runtime.custom.entrypoint' };
  if (!shipment.isDocker && builtinsOfShells.test(first))
    yield {
      cause: 'entrypoint-invalid',
      severity: 'error',
      captured: { target: first },
      at,
      title: `the entrypoint starts ${first}, which only a shell knows`,
      fix: `entrypoint = ["sh", "-c", "…"]`,
    };
  if (!shipment.isDocker && entrypoint?.length === 1 && /^[\w./-]+\.py$/.test(first))
    yield {
      cause: 'entrypoint-invalid',
      severity: 'error',
      captured: { target: first },
      at,
      title: `the entrypoint is a file, not a command: ${first}`,
      why: 'a Python file needs an interpreter',
      fix: `entrypoint = ["python", "${first}"]`,
    };
  for (const { words, at: place } of shipment.started()) {
    const program = posix.basename(words[0] ?? '');
    const [, version] = /^python(3\.\d+)$/.exec(program) ?? [];
    const python = shipment.python();
    if (version !== undefined && python !== undefined && version !== python && !shipment.isDocker)
      yield {
        cause: 'command-not-found',
        severity: 'error',
        captured: { command: program },
        at: place,
        why: `the image has Python ${python}`,
        fix: `start python${python}, or set python_version`,
      };
    const script = words[0]?.includes('/') ? shipment.fileAt(words[0]) : undefined;
    const isMade = shipment.isDocker && /chmod/.test(shipment.text(shipment.dockerfile()?.path ?? '') ?? '');
    if (
      script !== undefined &&
      /\.(?:sh|py)$/.test(script) &&
      shipment.sent.get(script)?.executable === false &&
      !isMade
    )
      yield {
        cause: 'permission-denied',
        severity: 'warning',
        captured: { path: script },
        at: place,
        title: `${script} is started, and is not executable`,
        fix: `chmod +x ${script}, or start it with its interpreter`,
      };
    const isFile = words[0]?.includes('/') && (words[0].startsWith('./') || !words[0].startsWith('/'));
    if (isFile && !shipment.isDocker) {
      const path = posix.normalize(words[0] ?? '');
      if (!shipment.fileAt(words[0] ?? '') && !/^\.?venv|node_modules/.test(path))
        yield* missingScript(shipment, path, place);
    } else if (
      /^(?:ba|da|z)?sh$/.test(program) &&
      words[1] &&
      !words[1].startsWith('-') &&
      !shipment.fileAt(words[1], shipment.workdir)
    ) {
      if (!shipment.isDocker) yield* missingScript(shipment, posix.normalize(words[1]), place);
    }
    const needed = Object.hasOwn(pythonServers, program) ? pythonServers[program] : undefined;
    const inDocker =
      shipment.isDocker &&
      shipment
        .dockerfile()
        ?.image.stages.some(({ commands }) => commands.some((each) => each.words.join(' ').includes(program)));
    const isServed = !shipment.isDocker && program === 'uvicorn';
    if (needed && !isServed && !inDocker && !packages.hasOthers && !packages.has(needed.replace(/\[.*/, '')))
      yield {
        cause: 'command-not-found',
        severity: packages.listed.length > 0 ? 'error' : 'warning',
        captured: { command: program, package: needed },
        at: place,
        why: `nothing installs ${needed}`,
        fix: shipment.isDocker
          ? `install ${needed}`
          : `add ${needed} to [cerebrium.dependencies.pip]: ${needed} = "latest"`,
      };
  }
}

const pythonServers: Readonly<Record<string, string | undefined>> = Object.fromEntries(
  'uvicorn gunicorn hypercorn daphne granian streamlit celery mlflow torchrun flask vllm bentoml chainlit litserve gradio jupyter waitress-serve'
    .split(' ')
    .map((name) => [name, pythonPackageOfProgram(name) ?? (name === 'waitress-serve' ? 'waitress' : name)]),
);

function* missingScript(shipment: Shipment, path: string, at: SeenCause['at']): Generator<SeenCause> {
  if (!path.startsWith('/') && !path.includes('$')) yield { ...missingOf(shipment, path), at };
}

function missingOf(shipment: Shipment, path: string): SeenCause {
  if (!shipment.exists(path))
    return {
      cause: 'entrypoint-not-found',
      severity: 'error',
      captured: { path },
      title: `${path} is started, and is not in the app`,
    };
  const { why, fix } = shipment.reasonOf(path);
  return {
    cause: 'file-excluded',
    severity: 'error',
    captured: { path },
    title: `${path} is in the app folder, but is not sent: ${why}`,
    fix,
  };
}

/** Calls in the code that start a server, and those of other languages. */
const serves =
  /(?:^|\.)(?:run|serve|run_app|launch|start|run_server|make_server|HTTPServer|ThreadingHTTPServer|add_insecure_port|create_server|TCPServer|start_server|listen|bind|run_simple|WSGIServer|Config|run_sync|queue)$/;

interface Listening {
  port?: string | undefined;
  host?: string | undefined;
  at: SeenCause['at'];
  what: string;
  /** Whether it is only what the server does if nothing is said: an image may say it. */
  isUsual?: boolean;
}

function* listening(shipment: Shipment, code: PythonCode): Generator<SeenCause> {
  const custom = shipment.config.custom;
  const port = String(custom?.port ?? sections['runtime.custom'].keys.port.default);
  const found = [...commandsListen(shipment), ...codeListens(shipment, code), ...sourcesListen(shipment)];
  const docker = shipment.dockerfile();
  for (const [name, value] of docker?.stage.environment ?? []) {
    const isBind =
      /^(?:\w+_)?(?:HOST|BIND|ADDR|ADDRESS|LISTEN|HOSTNAME)$/.test(name) &&
      !/^(?:DB|REDIS|PG|MYSQL|POSTGRES|MONGO|KAFKA|RABBIT|DATABASE)/.test(name);
    if (isBind && isLocal(value.replace(/:\d+$/, '')))
      found.push({
        host: value.replace(/:\d+$/, ''),
        at: {
          file: docker?.path ?? '',
          line: docker?.image.instructions.find(({ keyword, rest }) => keyword === 'ENV' && rest.includes(name))?.line,
        },
        what: name,
      });
  }
  const known = found.filter(({ port: one }) => one !== undefined && /^\d+$/.test(one));
  const isChecked = ({ at }: Listening) => at !== undefined && 'setting' in at;
  if (known.length > 0 && known.every(({ port: one }) => one !== port)) {
    const [first] = known.filter((each) => !isChecked(each));
    if (first)
      yield {
        cause: 'wrong-port',
        severity: 'warning',
        captured: { port: first.port ?? '' },
        at: first.at,
        title: `${first.what} listens on port ${first.port}, but port is ${port}`,
        why: custom?.port === undefined ? 'port is not set and defaults to 8000' : undefined,
        fix: `port = ${first.port}`,
      };
  }
  const exposed = shipment.dockerfile()?.stage.ports ?? [];
  const [odd] = exposed;
  if (odd && /^\d+$/.test(odd.port) && known.length === 0 && exposed.every((each) => each.port !== port))
    yield {
      cause: 'wrong-port',
      severity: 'warning',
      captured: { port: odd.port },
      at: { file: shipment.dockerfile()?.path ?? '', line: odd.line },
      title: `the Dockerfile exposes port ${odd.port}, but port is ${port}`,
      fix: `port = ${odd.port}`,
    };
  const reachable = found.some(({ host }) => host !== undefined && !isLocal(host));
  const image = shipment.config.deployment.docker_base_image_url;
  for (const { host, at, what, port: one, isUsual } of found)
    if (isLocal(host) && (!reachable || one === port) && !(isUsual && image !== undefined))
      yield {
        cause: 'bound-to-localhost',
        severity: isUsual ? 'warning' : 'error',
        captured: { host: host ?? '' },
        at,
        why: isUsual ? `${what} does not say where it listens` : `${what} listens on ${host}`,
      };
}

function commandsListen(shipment: Shipment): Listening[] {
  const servers = shipment.servers();
  const found = servers.flatMap(({ program, host, port, words, at, environment }): Listening[] => {
    const usual = listensBy(program);
    if (!usual) return host || port ? [{ host, port, at, what: 'the command' }] : [];
    const config = words.find((_word, index) => /^(?:-c|--config)$/.test(words[index - 1] ?? ''));
    const settings = config === undefined ? undefined : shipment.fileAt(config);
    const own = settings ?? (program === 'gunicorn' ? shipment.fileAt('gunicorn.conf.py') : undefined);
    const [line, bind = ''] =
      own === undefined ? [] : (/^\s*bind\s*=\s*\[?\s*["']([^"']+)["']/m.exec(shipment.text(own) ?? '') ?? []);
    if (line !== undefined && own !== undefined) {
      const [, boundHost, boundPort] = /^(.*):(\d+)$/.exec(bind) ?? [];
      return [
        {
          host: boundHost,
          port: boundPort,
          at: { file: own, line: lineOf(shipment.text(own) ?? '', line) },
          what: own,
        },
      ];
    }
    if (own !== undefined || words.some((word) => /^(?:--fd|--uds|unix:)/.test(word))) return [];
    const from = (name: string) =>
      environment.get(`${program.toUpperCase()}_${name}`) ?? environment.get(`${program.toUpperCase()}_RUN_${name}`);
    const [setHost, setPort] = [
      host ?? from('HOST'),
      port ?? from('PORT') ?? (program === 'gunicorn' && environment.has('PORT') ? environment.get('PORT') : undefined),
    ];
    const isGunicornWithPort =
      program === 'gunicorn' && environment.has('PORT') && host === undefined && port === undefined;
    return [
      {
        host: setHost ?? (isGunicornWithPort ? '0.0.0.0' : usual.host),
        port: setPort ?? usual.port,
        at,
        what: 'the command',
        isUsual: setHost === undefined,
      },
    ];
  });
  if (servers.length > 0) return found;
  // Of another program, only what it surely says.
  return shipment.started().flatMap(({ words, at }) => {
    const text = words.join(' ');
    const [, host, port] =
      /(?:--(?:bind|listen|address|addr|host)[= ]|-S\s+)(?:\w+:\/\/)?(\[[^\]]+\]|[\w.]*):(\d{2,5})\b/.exec(text) ?? [];
    const plain = /--(?:http-)?port[= ](\d{2,5})\b/.exec(text)?.[1];
    const named = /--(?:host|bind|address)[= ](127\.0\.0\.1|localhost|0\.0\.0\.0)\b/.exec(text)?.[1];
    return host !== undefined || port || plain || named
      ? [{ host: host || named, port: port ?? plain, at, what: 'the command' }]
      : [];
  });
}

function codeListens(shipment: Shipment, code: PythonCode): Listening[] {
  // A server that loads the module by its name does not run what starts another one.
  if (
    !shipment.servers().some(({ script, isRun, program }) => (script !== undefined || isRun) && program !== 'streamlit')
  )
    return [];
  return [...code.modules.values()].flatMap(({ file, facts }) =>
    facts.calls.flatMap(({ name, keywords, arguments: given, line }): Listening[] => {
      if (!serves.test(name)) return [];
      const listen =
        keywords.listen ?? keywords.bind ?? given.find((each) => /^(?:[\w.]+|\[.*\]|):\d{2,5}$/.test(each ?? ''));
      const [, host, port] = /^(?:\w+:\/\/)?(.*):(\d+)$/.exec(listen ?? '') ?? [];
      const one =
        keywords.port ??
        keywords.server_port ??
        keywords.http_port ??
        port ??
        given.find((each) => /^\d{4,5}$/.test(each ?? ''));
      const named =
        keywords.host ??
        keywords.server_name ??
        keywords.hostname ??
        keywords.address ??
        host ??
        given.find((each) => isLocal(each) || each === '0.0.0.0');
      const isGradio =
        /^\w+\.(?:queue\.)?launch$/.test(name) && facts.imports.some(({ module }) => module === 'gradio');
      const isFlask =
        facts.imports.some(({ module }) => module === 'flask') &&
        /^\w+\.run$/.test(name) &&
        !/^uvicorn|^asyncio|^subprocess/.test(name);
      const by = /^uvicorn\./.test(name) || isGradio || isFlask ? '127.0.0.1' : undefined;
      const isOwn = one !== undefined || named !== undefined || by !== undefined;
      return isOwn
        ? [{ host: named ?? by, isUsual: named === undefined, port: one, at: { file, line }, what: file }]
        : [];
    }),
  );
}

/** Servers in other languages, whose files are only read as text. */
function sourcesListen(shipment: Shipment): Listening[] {
  if (shipment.servers().length > 0) return [];
  const found: Listening[] = [];
  for (const file of shipment.paths) {
    if (
      !/\.(?:go|rs|[cm]?[jt]s|rb|php|java|kt|ex|exs|cs|R|jl|conf)$/.test(file) ||
      /(?:^|\/)(?:tests?|node_modules|dist)\/|\.(?:test|spec|d)\./.test(file)
    )
      continue;
    for (const [at, line] of (shipment.text(file) ?? '').split('\n').entries()) {
      if (!/listen|bind|serve|hostname|\bport\b|Addr/i.test(line) || /^\s*(?:\/\/|#|\*)/.test(line)) continue;
      const [, host, one] =
        /^\s*(?:listen|bind)\s+([\w.]*):(\d{2,5})\s*;?/.exec(line) ??
        /["'`](?:tcp:\/\/|http:\/\/)?(\[?[\w.:]*\]?):(\d{2,5})["'`]/.exec(line) ??
        [];
      const named =
        /\b(?:host(?:name)?|bind)\s*[:=,]\s*["'`]([\w.:]+)["'`]/i.exec(line)?.[1] ??
        /\.listen\([^)]*["'`](127\.0\.0\.1|localhost|0\.0\.0\.0)["'`]/.exec(line)?.[1] ??
        /Ipv4Addr::(LOCALHOST)\b|\(\[?127,\s*0,\s*0,\s*1\]?/.exec(line)?.[0]?.replace(/.*/, '127.0.0.1');
      const plain =
        one ??
        /\bport\s*[:=]\s*(\d{2,5})\b/i.exec(line)?.[1] ??
        /\.listen\(\s*(\d{2,5})/.exec(line)?.[1] ??
        /^\s*listen\s+(\d{2,5})\s*;/.exec(line)?.[1] ??
        /\bPORT\s*(?:\|\||\?\?)\s*["']?(\d{2,5})/.exec(line)?.[1];
      if ((host !== undefined && host !== '') || named || plain)
        found.push({ host: host || named, port: plain, at: { file, line: at + 1 }, what: file });
    }
  }
  return found;
}

const lineOf = (text: string, part: string) =>
  text.slice(0, text.indexOf(part)).split('\n').length + (part.startsWith('\n') ? 1 : 0);

const routed =
  /\.(?:get|post|put|patch|delete|head|options|route|api_route|add_api_route|add_route|add_url_rule|websocket|add_get|add_post|view)$|^(?:Route|route|path|re_path|url|get|post)$/;
/** What brings routes that are not in the code. */
const bringsRoutes =
  /(?:^|\.)(?:mount|Mount|include_object|wrap_app|setup_health|LitServer|ASGIApp|create_app_from|mount_gradio_app|Instrumentator|health_check|HealthCheck|add_health\w*|include|make_asgi_app)$/;

function* checkPaths(shipment: Shipment, code: PythonCode): Generator<SeenCause> {
  const { healthcheck_endpoint: health, readycheck_endpoint: ready } = shipment.config.custom ?? {};
  const wanted = [['healthcheck', health] as const, ['readycheck', ready] as const].filter(
    ([, path]) => path !== undefined && path !== '' && path !== '/',
  );
  if (wanted.length === 0) return;
  const routes = routesOf(shipment, code);
  if (!routes) return;
  for (const [check, path = ''] of wanted) {
    const plain = `/${path.replace(/^\/+|\?.*$/g, '').replace(/\/$/, '')}`;
    if (routes.some((route) => matches(route, plain))) continue;
    const meant =
      routes.find((route) => /health|live|ready|ping|status|up|ok$/i.test(route)) ?? closestName(plain, routes);
    yield {
      cause: 'health-check-failed',
      severity: 'warning',
      captured: { path: plain, check },
      at: { setting: `runtime.custom.${check}_endpoint` },
      title: `the app has no ${plain}, which the platform asks for`,
      why: `its routes are ${routes.slice(0, 6).join(', ')}`,
      fix: meant && `${check}_endpoint = "${meant}"`,
    };
  }
}

function matches(route: string, path: string): boolean {
  const plain = route.replace(/\/$/, '');
  if (plain === path || route === path) return true;
  const pattern = plain
    .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{[^}]*:path\}|<path:[^>]*>/g, '.*')
    .replace(/\{[^}]*\}|<[^>]*>|:\w+/g, '[^/]+');
  return /[{<:]/.test(plain) && new RegExp(`^${pattern}$`).test(path);
}

/** The routes of the app; undefined if there may be more. */
function routesOf(shipment: Shipment, code: PythonCode): string[] | undefined {
  const servers = shipment.servers();
  const base = shipment.dockerfile()?.stage.base ?? '';
  const texts = [base, ...shipment.started().map(({ words }) => posix.basename(words[0] ?? ''))];
  for (const [server, routes] of ownRoutes) if (texts.some((each) => server.test(each))) return [...routes];
  if (servers.some(({ module, script }) => module ?? script)) return pythonRoutes(code);
  return shipment.isDocker ? textRoutes(shipment) : undefined;
}

function pythonRoutes(code: PythonCode): string[] | undefined {
  const modules = [...code.modules.values()];
  const frameworks = /^(?:fastapi|flask|starlette|quart|bottle|aiohttp|sanic|litestar|tornado|falcon)$/;
  if (!modules.some(({ facts }) => facts.imports.some(({ module }) => frameworks.test(module.split('.')[0] ?? ''))))
    return undefined;
  const routes: string[] = [];
  const prefixes = new Set<string>(['']);
  for (const { facts } of modules) {
    for (const { name, arguments: given, keywords } of facts.calls) {
      if (bringsRoutes.test(name) && given[0] !== '/' && given[0] !== undefined) prefixes.add(given[0]);
      else if (bringsRoutes.test(name) && given[0] === undefined) return undefined;
      const prefix = keywords.prefix ?? keywords.url_prefix ?? keywords.root_path;
      if (prefix !== undefined) prefixes.add(prefix.replace(/\/$/, ''));
      else if (
        /(?:^|\.)(?:include_router|register_blueprint)$/.test(name) &&
        ('prefix' in keywords || 'url_prefix' in keywords)
      )
        return undefined;
      const path =
        given.find((each) => each !== undefined && (each.startsWith('/') || each === '')) ??
        keywords.path ??
        keywords.rule;
      if (routed.test(name) && path !== undefined) routes.push(path);
      else if (routed.test(name) && /add_|^Route$|^path$/.test(name) && path === undefined) return undefined;
    }
    if (
      facts.imports.some(({ module }) =>
        /django|gradio|litserve|bentoml|fastapi_health|healthcheck|connexion|mcp/.test(module),
      )
    )
      return undefined;
  }
  if (routes.length === 0) return undefined;
  const isFastApi = modules.some(({ facts }) => facts.imports.some(({ module }) => module === 'fastapi'));
  const all = [...prefixes].flatMap((prefix) => routes.map((route) => prefix + route));
  return [...new Set([...all, ...(isFastApi ? ['/docs', '/openapi.json', '/redoc'] : [])])];
}

/** Of another language: texts that are paths. */
function textRoutes(shipment: Shipment): string[] | undefined {
  const sources = shipment.paths.filter((file) => /\.(?:go|rs|[cm]?[jt]s|rb|php|java|kt)$/.test(file));
  const found = sources.flatMap((file) =>
    [...(shipment.text(file) ?? '').matchAll(/["'`](\/[\w./{}:<>*-]*)["'`]/g)].map(([, path = '']) => path),
  );
  const routes = [...new Set(found)].filter((path) => !/\.\w+$|^\/\.\.|^\/+$/.test(path));
  return routes.length > 0 && !found.some((path) => path === '/*' || path === '*') ? routes : undefined;
}

/** FastAPI or Flask behind the default runtime, which serves functions. */
function* withoutRuntime(code: PythonCode): Generator<SeenCause> {
  const entry = [...code.modules.values()].find(({ file }) => file === 'main.py');
  if (!entry) return;
  for (const [name, made] of entry.facts.made) {
    if (!/^(?:\w+\.)?(?:FastAPI|Flask|Starlette|Quart|Bottle|Sanic|Litestar)$/.test(made)) continue;
    const isAsgi = asgi.test(made);
    const command = isAsgi
      ? `["uvicorn", "main:${name}", "--host", "0.0.0.0", "--port", "8000"]`
      : `["gunicorn", "main:${name}", "--bind", "0.0.0.0:8000"]`;
    const line = entry.facts.definedAt(name);
    yield {
      cause: 'runtime-missing',
      severity: 'warning',
      captured: { name, framework: made },
      at: { file: 'main.py', line },
      fix: `[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ${command}`,
    };
    return;
  }
}

/** Programs and libraries that packages or the code start. */
function* programs(shipment: Shipment, packages: Packages, code: PythonCode): Generator<SeenCause> {
  const base = shipment.dockerfile()?.stage.base ?? 'debian:bookworm-slim';
  const image = shipment.config.deployment.docker_base_image_url;
  if (packages.isOtherImage || (image !== undefined && !/slim$/.test(image)) || !/slim|^ubuntu/.test(base)) return;
  const fixOf = (name: string) =>
    shipment.isDocker
      ? `RUN apt-get update && apt-get install -y ${name}`
      : `add ${name} to [cerebrium.dependencies.apt]: ${name} = "latest"`;
  const imports = new Set(
    [...code.modules.values()].flatMap(({ facts }) => facts.imports.map(({ module }) => module.split('.')[0] ?? '')),
  );
  for (const { name, at } of packages.listed) {
    const program = Object.hasOwn(programsOf, name) ? programsOf[name] : undefined;
    const debian = program ? debianPackageOfProgram(program) : undefined;
    if (
      debian !== undefined &&
      [...imports].some(
        (each) => packageOf(each) === name || each === name.replaceAll('-', '_').replace(/^openai_/, ''),
      ) &&
      !packages.apt.has(debian) &&
      !hasApt(packages, program)
    )
      yield {
        cause: 'command-not-found',
        severity: 'error',
        captured: { command: program ?? '' },
        at,
        why: `${name} starts ${program}, and no apt package brings it`,
        fix: fixOf(debian),
      };
    const libraries = Object.hasOwn(librariesOf, name) ? (librariesOf[name] ?? []) : [];
    if (
      libraries.length > 0 &&
      !libraries.some((each) => packages.apt.has(each)) &&
      [...imports].some((each) => packageOf(each) === name || each === importOf[name])
    )
      yield {
        cause: 'shared-library-missing',
        title: `${name} loads a library of ${libraries[0]}, and no apt package brings it`,
        severity: 'warning',
        captured: { library: libraries[0]?.replace(/[\d.-]+$/, '') ?? '', package: libraries[0] ?? '' },
        at,
        fix: fixOf(libraries[0] ?? ''),
      };
  }
  for (const { file, facts } of code.modules.values()) {
    for (const { name, arguments: given, line } of facts.calls) {
      if (
        !/^(?:subprocess\.(?:run|Popen|call|check_call|check_output)|os\.system|run|Popen|check_output|check_call|asyncio\.create_subprocess_(?:exec|shell)|shutil\.which)$/.test(
          name,
        )
      )
        continue;
      const program = posix.basename(given[0]?.split(/\s+/)[0] ?? '');
      const debian = debianPackageOfProgram(program);
      if (debian !== undefined && !packages.apt.has(debian) && !hasApt(packages, program) && name !== 'shutil.which')
        yield {
          cause: 'command-not-found',
          severity: 'warning',
          captured: { command: program },
          at: { file, line },
          why: `${file} starts it, and no apt package brings it`,
          fix: fixOf(debian),
        };
    }
    if (facts.imports.some(({ module }) => module.startsWith('playwright')) && !shipment.isDocker)
      yield* browser(shipment, file, facts.imports.find(({ module }) => module.startsWith('playwright'))?.line);
    yield* models(shipment, packages, { file, facts } as Module);
  }
}

/** Modules whose usual package is another one. */
const importOf: Readonly<Record<string, string>> = { 'opencv-python': 'cv2', 'opencv-contrib-python': 'cv2' };

const hasApt = ({ apt }: Packages, program = '') =>
  [...apt].some((each) => each === program || each.startsWith(`${program}-`));

function* browser(shipment: Shipment, file: string, line: number | undefined): Generator<SeenCause> {
  const commands = shipment.buildCommands();
  const install = commands.find(({ words }) => words[0] === 'playwright' && words[1] === 'install');
  if (!install)
    yield {
      cause: 'browser-missing',
      severity: 'warning',
      captured: {},
      at: { file, line },
      why: 'no command of the build installs it',
    };
  else if ('setting' in install.at && install.at.setting === 'deployment.pre_build_commands')
    yield {
      cause: 'command-not-found',
      severity: 'error',
      captured: { command: 'playwright' },
      at: install.at,
      why: 'pre_build_commands run before the packages are installed',
      fix: 'move it to shell_commands',
    };
}

/** Models of spaCy are packages. */
function* models(shipment: Shipment, packages: Packages, { file, facts }: Module): Generator<SeenCause> {
  for (const { name, arguments: given, line } of facts.calls) {
    const [model = ''] = given;
    if (
      name !== 'spacy.load' ||
      !/^[a-z]{2}_\w+_(?:sm|md|lg|trf)$/.test(model) ||
      packages.has(model.replaceAll('_', '-'))
    )
      continue;
    if (shipment.buildCommands().some(({ words }) => words.join(' ').includes(model))) continue;
    yield {
      cause: 'data-missing',
      severity: 'error',
      captured: { name: model },
      at: { file, line },
      title: `nothing installs ${model}, which ${file} loads`,
      fix: `run python -m spacy download ${model} in shell_commands`,
    };
  }
}
