import { fits, groupsOf } from '../../kernel/groups.ts';
import { packageOf } from '../import-names.ts';
import { type FailureRule, rowsIf, rowsWith } from '../rule.ts';
import { timedOut } from './processes.ts';

const server = /^ {0,4}(?:\w{2,30}: {1,8})?(?:\[[^\]]{1,60}\] {0,2}){0,3}/.source;
const listening = new RegExp(
  `${server}(?:\\* )?(?:Uvicorn running on|Running on|Listening at:|Serving on|Starting (?:development )?server at|Listening at|=> Rails [\\d.]{1,12} application starting in \\w{1,20} on) https?://(?<host>\\[[\\da-f:]{1,40}\\]|[\\w.-]{1,80}):(?<port>\\d{1,5})`,
);
const isLocal = (host = '') => /^(127\.\d|localhost$|\[::1\]$)/.test(host);

const rows = rowsIf({
  started: ({ path = '' }, { config }, before) =>
    startsModule(config?.custom?.entrypoint ?? [], path) || isImportedByServer(before()),
  'a check': ({ path = '' }, { config }) =>
    path !== '' && [config?.custom?.healthcheck_endpoint, config?.custom?.readycheck_endpoint].includes(path),
  'no package': ({ path = '.' }) => path.includes('.') || packageOf(path) === undefined,
  'no timeout': (_, __, before) => !before().some((line) => timedOut.test(line)),
});

/** Servers of apps: how they are started, where they listen, and what the checks of the platform say. Workers of gunicorn. */
export const serverRules: readonly FailureRule[] = [
  ...rows`
6 worker-class-wrong | after /^Error: class uri '/: ^ModuleNotFoundError: No module named '{module}' | the worker class of gunicorn needs {module}, which is not installed | add {package|the package that has it} to [cerebrium.dependencies.pip] | dependencies.pip
5 module-missing | after /standalone/: Cannot find module 'next/dist/{path}' | the standalone output of Next.js lacks files of its packages | build in a folder such as /app (WORKDIR), not in /, and copy .next/standalone with its node_modules
5 port-invalid | invalid literal for int() with base 10: 'tcp://{address}; parsing "tcp://{address} | Kubernetes sets a variable such as NAME_PORT to the address of a service, and the app reads it as a port | set that variable in the pod, give the service another name, or enableServiceLinks: false
5 module-missing | missing EmbeddedServletContainerFactory bean; missing ServletWebServerFactory bean | the jar has no web server, or starts a class without @SpringBootApplication | add spring-boot-starter-web to the build, and make the jar with the plugin of Spring Boot (repackage, bootJar)
data-missing | at {|java.desktop/}sun.awt.FontConfiguration.; Fontconfig head is null | the image has no fonts, which Java draws with | install fontconfig and fonts-dejavu (apk add fontconfig ttf-dejavu) | dependencies.apt
worker-class-wrong | __call__() missing 1 required positional argument: 'send'; __call__() missing 2 required positional arguments: 'receive' and 'send' | gunicorn serves an ASGI app with a worker for WSGI apps | add -k uvicorn.workers.UvicornWorker to the gunicorn command, and uvicorn to the dependencies | runtime.custom.entrypoint
worker-class-wrong | missing 1 required positional argument: 'start_response'; takes from 2 to 3 positional arguments but 4 were given | an ASGI server, such as uvicorn, serves a WSGI app, such as that of Flask or Django | start it with gunicorn, or wrap it: WsgiToAsgi(app) of asgiref | runtime.custom.entrypoint
entrypoint-invalid | Import string "{target}" must be in format "<module>:<attribute>" | the command of the entrypoint is not valid: {target} | entrypoint = ["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"] | runtime.custom.entrypoint
5 worker-class-wrong | class uri '{name}' invalid or not found | gunicorn does not find the worker class {name} | correct the name after -k, such as uvicorn.workers.UvicornWorker, and list the package that has it | runtime.custom.entrypoint
entrypoint-not-found | Error loading ASGI app. Could not import module "{path}"; python…: can't open file '{path}': [Errno 2]; ^Error: Could not import '{path}'; ^hypercorn.…NoAppError: …No module named {|'}{path}; NoAppError: Cannot load application from '{path}', module not found | the entrypoint starts {path}, which is not in the app | correct the entrypoint, or add the file to the app folder and to include | runtime.custom.entrypoint
entrypoint-not-found | started: ^{ModuleNotFound|Import}Error: No module named {|'}{path}{|'}$ | the entrypoint starts {path}, which is not in the app | correct the entrypoint, or add the file to the app folder and to include | runtime.custom.entrypoint
entrypoint-attribute-missing † | Error loading ASGI app. Attribute "{name}" not found in module "{module}"; Failed to find {attribute|application object} '{name}' in '{module}'; Failed to find Flask application or factory in module '{module}'; File {module} is expected to contain a function named {|'}{name}; Application object must be callable | the entrypoint names an object that {module} does not have: {name} | write the name of the object after the colon, as in main:app | runtime.custom.entrypoint
entrypoint-invalid | /^Error: (?<target>No such option:? '?[^'\s]{1,60})/; /error: (?<target>unrecognized arguments: .{1,120})/; /error: (?<target>the following arguments are required: .{1,120})/; /error: (?<target>argument -{0,2}\w\S{0,60}: (?:invalid|expected|not allowed).{1,120})/; /^Error: (?<target>Got unexpected extra arguments? .{1,100})/; /^Error: (?<target>No such command '?[^']{1,60})/; /^Error: (?<target>Missing (?:argument|option) .{1,80})/; /(?<target>Unable to load celery application)/; /^error: (?<target>invalid value '[^']{0,60}' for '[^']{1,60}')/; /^error: (?<target>unexpected argument '[^']{1,60}') found/; /exec: "(?<target>[^"]{1,120} [^"]{1,120})": executable file not found/ | the program that the entrypoint starts refuses its arguments: {target} | correct the command (each word is a string of its own), or use the version of the program that knows the argument; an image with an entrypoint of its own gets arguments only | runtime.custom.entrypoint
`,
  ...rowsWith({ undoneBy: /Application startup complete|App is ready/ })`
2 worker-timeout | first: Child process [{pid}] died | workers of uvicorn end without a word, or take longer than its check waits (5 seconds) | start one worker to see why (memory, a slow import), and let the check wait longer (--timeout-worker-healthcheck of uvicorn 0.37 and later) | runtime.custom.entrypoint
port-in-use | /\b[Pp]ort \d{1,5} is (?:already )?in use\b(?!,? (?:try|us)ing)/; Address already in use | another process of the container listens on the same port | start one server only, or give the others another port | runtime.custom.port
`,
  {
    cause: 'bound-to-localhost',
    rank: 2,
    undoneBy:
      /Worker failed to boot|Application startup failed|^(?:ERROR|FATAL|CRITICAL|panic)\b(?!.{0,200}(?:[Hh]ealth|[Pp]robe|[Pp]ort|connect))/,
    signs: [
      listening,
      /\b[Ll]istening (?:on|at) (?:port )?(?:https?:\/\/)?(?<host>127\.0\.0\.1|localhost):(?<port>\d{1,5})\b/,
      /^ {0,4}➜ {1,3}Network: {1,2}use --host to expose/,
    ],
    applies: ({ host = 'localhost' }, { config }, before) =>
      isLocal(host) &&
      config?.runtime !== 'cortex' &&
      // The emulator puts the loopback address in its place.
      !fits(/\b0\.0\.0\.0\b/, config?.custom?.entrypoint?.join(' ')) &&
      !before().some((line) => line.includes('on all addresses')),
    title: 'the server listens on {host|localhost} only, so that the platform cannot reach it',
    fix: 'listen on 0.0.0.0: --host 0.0.0.0 in the entrypoint, or --bind 0.0.0.0:{port|8000} for gunicorn',
    at: 'runtime.custom.entrypoint',
  },
  {
    cause: 'wrong-port',
    rank: 1,
    signs: [listening],
    applies: ({ host, port }, { config }) =>
      config?.custom !== undefined && !isLocal(host) && Number(port) !== (config.custom.port ?? 8000),
    title: 'the server listens on port {port}, and the platform sends requests to another one',
    fix: 'port = {port}',
    at: 'runtime.custom.port',
  },
  ...rows`
3 wrong-port | the app listens on port {port} | the server listens on port {port}, and the platform sends requests to another one | port = {port} | runtime.custom.port
1 health-check-failed † | a check: /"GET (?<path>\/[\w./-]{0,120})(?:\?\S{0,100})? HTTP\/1\.[01]" (?<status>[45]\d\d)/; GET {path} on port … did not succeed (HTTP {status}) | the check of {path} gets the status {status} | return HTTP 200 from {path} when the app is ready, or correct the path | runtime.custom.{check|healthcheck}_endpoint
2 health-check-failed | after /Application startup complete|" 200|\bReady in\b|startup complete/: {probe=Readiness|Liveness} probe failed: …{deadline exceeded|Client.Timeout} | the app started, and then gave its check no answer in time: something blocks it, such as a model that is loaded for the first call | load models when the app starts; call what blocks from def instead of async def, or in a thread (run_in_threadpool); give the check more time | runtime.custom.{check|healthcheck}_endpoint
1 health-check-failed | first: GET {path} on port … did not succeed; {probe=Readiness|Liveness|Startup} probe failed: HTTP probe failed with statuscode: {status}; {probe=Readiness|Liveness|Startup} probe failed: …{deadline exceeded|Client.Timeout}; ^{H|h}ealth{| }check failed; replicas never became healthy; ^Deployment failed: unhealthy; failed {|container }health checks | the health check of the app fails | return HTTP 200 from {path|the path of the check} when the app is ready, or correct {check|healthcheck}_endpoint | runtime.custom.{check|healthcheck}_endpoint
3 health-check-failed | /^(?<path>\/\S{0,120}): the server of \S{1,120} returned 404/ | the server has no path {path}, which --smoke calls | correct the path of --smoke, or add it to the server
3 wrong-arguments | /^(?<name>\w{1,80}): \S{1,120} returned 422: body\.(?<field>[\w.-]{1,80}): (?<problem>[^;]{1,200})/; /^(?<name>\w{1,80}): \S{1,120} returned 422: \w{1,80}: (?<problem>missing a required argument): '(?<field>\w{1,80})'/ | the call of --smoke does not have the parameters that {name} wants: {field}: {problem} | give {field} in the body of --smoke, in its type: --smoke '{name}={"{field}": …}'
3 wrong-arguments | /^(?<name>\w{1,80}): \S{1,120} returned 422: (?<field>body): (?<problem>.{1,200})/ | the call of --smoke does not have the body that {name} wants: {problem} | give the body as JSON: --smoke '{name}={…}'
3 wrong-arguments | /^(?<path>\/\S{0,120}): \S{1,120} returned 422: query\.(?<field>[\w-]{1,80}): (?<problem>[^;]{1,200})/ | the call of --smoke does not have the parameters that {path} wants: {field}: {problem} | give {field} in the path of --smoke, in its type: --smoke '{path}?{field}=value'
3 health-check-failed | /^(?<name>\S{1,120}): the response does not have the expected text/ | the response of {name} does not have the text that --smoke expects | correct the app, or the text after the colon of --smoke
1 not-listening | first: was not ready within {seconds} seconds: nothing listens on port {port} | nothing listened on port {port} within {seconds} seconds | listen on 0.0.0.0:{port} before slow work, such as loading a model, or raise deployment_initialization_timeout (up to 830 seconds) | runtime.custom.port
1 not-listening † | first: nothing listens on port; the server on port … does not answer; {probe:|probe failed:|check failed:} …connection refused; {F|f}ailed to start and {|then }listen on the port; {N|n}o open {|HTTP }ports detected; respond to HTTP pings on port{|:}; connect() failed (111: …while connecting to upstream; /^curl: \((?:7|52|56)\) /; Error R10 (Boot timeout); app is not listening on the expected address; instance refused connection. is your app listening on | nothing answers on the port of the app | listen on 0.0.0.0 and on the port of [cerebrium.runtime.custom], or on $PORT where the platform sets it | runtime.custom.port
0 start-timeout | was not ready within its deployment_initialization_timeout; was not ready within {seconds} seconds; ^status init_timeout$ | the app was not ready in time | load models in the background, or raise deployment_initialization_timeout (up to 830 seconds) | deployment.deployment_initialization_timeout
0 app-exited | its {process|container} ended with exit code {code}; ^status code 502$ | the process of the app ended, exit code {code|unknown} | read what it printed before; a server must stay in the foreground of the entrypoint
entrypoint-not-found | no package: python: …No module named {|'}{path}; python3…: …No module named {|'}{path}; ^Error: Invalid value: File does not exist: {path}; ^Error: Could not locate a Flask application; exec: "{path}": …no such file or directory | the entrypoint starts {path|an app}, which is not there | correct the entrypoint, start it in the folder that contains the file or the package, and mount nothing over that | runtime.custom.entrypoint
port-invalid † | '{value}' is not a valid port number | the port of the server is not a number: {value} | write the number in the entrypoint: a variable is only replaced in a shell, as in ["sh", "-c", "uvicorn main:app --port $PORT"] | runtime.custom.entrypoint
address-unavailable | Address family not supported by protocol; {[Errno 99]|bind|listen|Invalid address}…{C|c}annot assign requested address | the server listens on an address that the container does not have | listen on 0.0.0.0 | runtime.custom.entrypoint
`,
  ...rowsWith({ applies: ({ pid = '' }, _, before) => haveStarted(before(), pid) })`
3 worker-timeout | WORKER TIMEOUT (pid:{pid}) | gunicorn stopped an async worker that answered nothing: something blocks its event loop | call what blocks from def instead of async def, or in a thread (run_in_threadpool), and read less at once; --timeout only hides it
`,
  ...rows`
2 worker-timeout | /\bWORKER TIMEOUT \(pid:\d{1,8}\)/ | gunicorn stopped a worker that took too long | raise --timeout of gunicorn (30 seconds by default), or load models before the workers start: --preload | runtime.custom.entrypoint
3 out-of-memory | no timeout: was sent SIGKILL! Perhaps out of memory?; Worker with pid … was terminated due to signal 9$ | the app ran out of memory | raise memory, or start fewer workers: each loads the app | hardware.memory
`,
];

/** Whether a worker, and those that took too long before it, had started the app: where lines name no worker, one is enough. */
function haveStarted(before: readonly string[], last: string): boolean {
  const started = before.filter((line) => line.includes('Application startup complete'));
  const pids = before.flatMap((line) => groupsOf(/WORKER TIMEOUT \(pid:(\d{1,8})\)/, line).slice(1));
  return [...pids, last].every((pid) => started.some((line) => (groupsOf(/^\[(\d{1,8})\] /, line)[1] ?? pid) === pid));
}

/** Whether the server itself imports the module: no frame of the app stands between both. */
function isImportedByServer(before: readonly string[]): boolean {
  const at = before.findLastIndex((line) =>
    /^\s+File "[^"]{1,300}gunicorn\/util\.py", line \d+, in import_app/.test(line),
  );
  return at >= 0 && !before.slice(at + 1).some((line) => /^\s+File "(?!<frozen |[^"]{1,300}\/importlib\/)/.test(line));
}

/** Whether `uvicorn src.app:app` or `gunicorn wsgi:app` starts the module. */
function startsModule(entrypoint: readonly string[], module: string): boolean {
  return entrypoint
    .join(' ')
    .split(/\s+/)
    .some((word) => {
      const [target = '', attribute] = word.split(':');
      return attribute !== undefined && (target === module || target.startsWith(`${module}.`));
    });
}
