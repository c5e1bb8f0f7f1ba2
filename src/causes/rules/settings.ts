import { type FailureRule, rows, rowsWith } from '../rule.ts';

const variable =
  '(?<name>(?!SENTRY_|CUDA_|CMAKE_|CUBLAS_|CUDNN_|CERTIFICATE_|ERR_|HTTP_)[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6})\\b';
/** The start of a line that is more than a note. */
const error = '^(?!.{0,60}\\b(?:DEBUG|INFO|WARN(?:ING)?)\\b)';
const raised = '^\\w[\\w.]{0,80}(?:Error|Exception|ImproperlyConfigured): ';
const words = [' is required', ' is missing', ' is not defined', ' is undefined', ' is empty', ': Required'];

function unset(words: string): RegExp {
  return new RegExp(`${error}.{0,120}?\\b${variable}["'\`]?${words}\\b`);
}

/** What the app answered to a call that it refused. */
const refused: FailureRule['applies'] = (_, { statusCode = 0 }) => [404, 405, 422].includes(statusCode);
const invalid = 'the call does not have the parameters that the app wants';
const correct =
  'send each field that the app declares, in its type: the body of the 422 names the field (gantry invoke shows it)';

/** Environment variables and the settings made from them. Calls that the app or the platform refuses. */
export const settingRules: readonly FailureRule[] = [
  ...rows`
3 run-timeout | Hard time limit (…s) exceeded; Soft time limit (…s) exceeded; TimeLimitExceeded( | a task took longer than its time limit | raise the time limit of the worker, or split the task
3 host-not-allowed | Invalid HTTP_HOST header: '{host}' | Django refuses requests for the host of the app | add the host that the message names to ALLOWED_HOSTS, and its https address to CSRF_TRUSTED_ORIGINS
secret-missing † | after /os\.environ|<frozen os>|[\\/]os\.py", line/: /^KeyError: '(?<name>[A-Z_][A-Z0-9_]{0,80})'$/ | the variable {name} is not set | set it as a secret of the app | secrets set {name}
`,
  {
    cause: 'secret-missing',
    signs: [
      // What goes on without it is a note.
      unset(
        '.{0,30}? ?not set(?![,;:.] (?:only|us(?:e|ing)|fall|continu|skip|[Dd]efault(?:ing)?|running|disabl|some)\\b)',
      ),
      unset('.{0,30} must be set'),
      ...words.map((word) => unset(`(?: (?:env\\w* )?(?:variable|var|setting|key))?${word}`)),
      new RegExp(`${raised}.{0,300}?\\b${variable}.{0,60}environment variable`),
      new RegExp(`${raised}.{0,120}environment variable.{0,20}\\b${variable}`),
      new RegExp(
        `${error}.{0,80}?[Mm]issing .{0,60}?\\b${variable}(?<more>(?:["'\`]?,? ["'\`]?[A-Z_0-9]{3,60}\\b){0,8})`,
      ),
      new RegExp(`[Ee]nvironment variable not found: ${variable}`),
      new RegExp(`required key ${variable} missing value`),
      new RegExp(`The ${variable} setting must not be empty`),
      /UndefinedValueError: (?<name>\w{1,80}) not found/,
      /(?:^|: )(?<name>[A-Za-z_]\w{0,80}): unbound variable$/,
      /(?:^|: )(?<name>[A-Za-z_]\w{0,80}): parameter (?:null or )?not set$/,
      /(?:^|: )(?<name>[A-Za-z_]\w{0,80}): parameter null or not set$/,
      /SettingsError: error parsing value for field "(?<name>\w{1,80})"/,
      /\bNo (?<name>[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6})\b.{0,120} defined in the environment/,
      /add an environment variable `(?<name>[A-Z][A-Z0-9_]{2,80})`/,
      /(?:[Ss]et(?:ting)?|The) (?:the )?(?<name>[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6}) environment variable(?:$| is missing)/,
      /^\w{0,40}Error: .{0,40}API key not set/,
      /^KeyError: '(?<name>[A-Z][A-Z0-9_]{0,60}_(?:KEY|TOKEN|UR[IL]|SECRET|PASSWORD|DSN))'$/,
    ],
    title: 'the variable {name|of an API key}{more} is not set',
    fix: 'set it as a secret of the app',
    next: ['secrets', 'set', '{name|API_KEY}'],
  },
  ...rows`
secret-missing | /^(?:pydantic\S{0,60}\.)?ValidationError: \d{1,3} validation errors? for (?<name>(?!\w{0,40}(?:Model|Vllm|Engine|Cache|Parallel|Scheduler|LoRA)Config)\w{0,60}(?:Settings|Config|Env|Environment|Secrets))$/; /[Ii]nvalid environment variables:? (?:.{0,160}?['"{ ])?(?<name>[A-Z][A-Z0-9_]{2,80})\b/ | variables ({name}) are not set, or have no valid value | set each that the message names as a secret: gantry secrets set NAME; an empty text is not a value
5 package-api-changed | after /validation errors? for (?:\w{0,60}Settings|Config|Env)$/: Extra inputs are not permitted {[|(}type= | the settings of the app refuse a variable that they do not declare | declare it, or let pydantic ignore others: model_config = SettingsConfigDict(extra='ignore')
5 secret-missing | after /validation errors? for (?:\w{0,60}Settings|Config|Env)$/: /^\s{1,4}(?<missing>[Ff]ield required) [[(]type=/ | variables are not set | set each as a secret of the app: gantry secrets set NAME, with the env_prefix of its class, if that has one, before it
secret-missing | /DefaultCredentialsError: (?!File ).{0,200}(?:credentials|GOOGLE_APPLICATION_CREDENTIALS)/ | the app has no credentials of Google Cloud | set the JSON of a service account as a secret, write it to a file when the app starts, and name that file in GOOGLE_APPLICATION_CREDENTIALS | secrets set GOOGLE_CREDENTIALS
secret-missing | NoRegionError: You must specify a region; Missing region in config; Error: Region is missing; Unable to find a region via the region provider chain; MissingRegion: could not find region; an AWS region is required | the app names no region of AWS | set AWS_DEFAULT_REGION (AWS_REGION), or give it in the code: region_name of boto3 | secrets set AWS_DEFAULT_REGION
secret-missing | Unable to locate credentials; PartialCredentialsError: | the app has no credentials of its cloud | set them as secrets, such as AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_DEFAULT_REGION | secrets set AWS_ACCESS_KEY_ID
secret-missing | ArgumentError: Could not parse SQLAlchemy URL from {|given URL }string; ArgumentError: Expected string or URL object, got None; ArgumentError: Could not parse rfc1738 URL from string ' | the address of the database is not set, or is not valid | set the variable that the code reads it from as a secret, such as DATABASE_URL | secrets set DATABASE_URL
3 secret-missing | after /(?:environ\.get|getenv)\(["']\w{1,80}["']\)\./: ^AttributeError: 'NoneType' object has no attribute | the code uses a variable that is not set | set the variable that the line of the traceback names as a secret, or give it a default in the code
3 secret-missing | after /\benviron\b|getenv/: ^TypeError: {int|float}() argument must be …, not 'NoneType'$; ^ValueError: invalid literal for int() with base 10: ''$; ^ValueError: could not convert string to float: ''$; ^TypeError: str expected, not NoneType$ | the code uses a variable that is not set | set the variable that the line of the traceback names as a secret, or give it a default in the code
`,
  ...rowsWith({ applies: (_, { statusCode, source }) => (statusCode ?? source) !== undefined })`
0 run-timeout | ^status code 504$; /"(?:GET|POST|PUT|PATCH|DELETE) \S{1,300} HTTP\/1\.[01]" 504\b/ | the call took longer than allowed | raise response_grace_period, or call it asynchronously: gantry invoke --async | scaling.response_grace_period
`,
  ...rowsWith({ applies: refused })`
2 wrong-arguments | /^body\.(?<field>[\w-]{1,80}): (?<problem>.{1,300})/ | the call does not have the parameters that the app wants: {field}: {problem} | send {field} in the body, in its type: {field}=text, or {field}:=json
2 wrong-arguments | /^body(?<field>[.\w-]{0,160}): (?<problem>.{1,300})/ | the call does not have the body that the app wants: body{field}: {problem} | send the body as JSON that has it, in its type: --data @FILE
2 wrong-arguments | /^query\.(?<field>[\w-]{1,80}): (?<problem>.{1,300})/ | the call does not have the parameters that the app wants: {field}: {problem} | send {field} in the query, in its type: --path '/…?{field}=value'
2 wrong-arguments | /^(?:header|cookie)\.(?<field>[\w-]{1,80}): (?<problem>.{1,300})/ | the call does not have the headers that the app wants: {field}: {problem} | send it: --header '{field}: value', or for a cookie --header 'Cookie: {field}=value'
2 wrong-arguments | /^path\.(?<field>[\w-]{1,80}): (?<problem>.{1,300})/ | the path of the call is not as the app wants it: {field}: {problem} | correct that part of --path
2 wrong-arguments | ^Not Found$ | the server of the app has no route for the path that was called | call a path of its routes in the code with --path; of a FastAPI app, --method GET --path /openapi.json shows them
2 wrong-arguments | ^Method Not Allowed$ | the route that was called does not take the method | call it with the method of its route in the code: --method GET, for instance
`,
  {
    cause: 'wrong-arguments',
    rank: 2,
    signs: [
      /"detail": ?\[\{.{0,200}?"loc": ?\[(?:"\w{1,10}", ?)?"?(?<field>[^\]]{1,160}?)"?\].{0,40}?"msg": ?"(?<problem>[^"]{1,160})"/,
      /'loc': \((?:'\w{1,10}', ?)?'?(?<field>[^)]{1,160}?)'?,?\).{0,60}?'msg': '(?<problem>[^']{1,160})'/,
    ],
    title: `${invalid}: {field}: {problem}`,
    fix: correct,
  },
  {
    cause: 'wrong-arguments',
    rank: 1,
    signs: [/"(?:POST|PUT|PATCH|GET|DELETE) \S{1,300} HTTP\/1\.[01]" 422\b/],
    // Without a call, it is one of many requests; the text of its reply says more.
    applies: (_, { reason, statusCode, source }) => (statusCode ?? source) !== undefined && reason === undefined,
    title: invalid,
    fix: correct,
  },
];
