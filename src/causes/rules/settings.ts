import type { FailureRule } from '../rule.ts';

/** Environment variables and the settings made from them. */
export const settingRules: readonly FailureRule[] = [
  {
    cause: 'secret-missing',
    rank: 4,
    signs: {
      'KeyError: ': /^KeyError: '(?<name>[A-Z][A-Z0-9_]{2,80})'$/,
    },
    after: /os\.environ|<frozen os>|[\\/]os\.py", line/,
    title: 'the variable {name} is not set',
    fix: 'set it as a secret of the app',
    next: ['secrets', 'set', '{name}'],
  },
  {
    cause: 'secret-missing',
    rank: 4,
    signs: {
      'environment variable':
        /^\w[\w.]{0,80}(?:Error|Exception): .{0,300}?\b(?<name>[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6})\b.{0,60}environment variable/,
    },
    title: 'the variable {name} is not set',
    fix: 'set it as a secret of the app',
    next: ['secrets', 'set', '{name}'],
  },
  {
    cause: 'secret-missing',
    rank: 4,
    signs: {
      'not set':
        /^(?:\w[\w.]{0,80}(?:Error|Exception|Exit|ImproperlyConfigured): |(?:error|fatal|ERROR|FATAL|Error|Fatal)[: ]{1,3})?.{0,80}?\b(?<name>(?!CUDA_|CMAKE_|CUBLAS_|CUDNN_|CERTIFICATE_|ERR_)[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6})\b["'`]?.{0,30} (?:is|are|was)? ?not set\b/,
      'must be set':
        /^(?:\w[\w.]{0,80}(?:Error|Exception): )?.{0,80}?\b(?<name>(?!CUDA_|CMAKE_|CUBLAS_|CUDNN_|CERTIFICATE_|ERR_)[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6})\b["'`]?.{0,30} must be set\b/,
      'is required':
        /^(?:\w[\w.]{0,80}(?:Error|Exception): |[A-Za-z]{5}: )?.{0,60}?\b(?<name>(?!CUDA_|CMAKE_|CUBLAS_|CUDNN_|CERTIFICATE_|ERR_)[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6})\b["'`]? (?:environment variable )?is required\b/,
      'is missing':
        /^(?:\w[\w.]{0,80}(?:Error|Exception): |[A-Za-z]{5}: )?.{0,60}?\b(?<name>(?!CUDA_|CMAKE_|CUBLAS_|CUDNN_|CERTIFICATE_|ERR_)[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6})\b["'`]? (?:environment variable )?is missing\b/,
      issing:
        /^(?:\w[\w.]{0,80}(?:Error|Exception): |[A-Za-z]{5}: )[Mm]issing .{0,60}?\b(?<name>(?!CUDA_|CMAKE_|CUBLAS_|CUDNN_|CERTIFICATE_|ERR_)[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6})\b/,
      'environment variable':
        /^\w[\w.]{0,80}(?:Error|Exception|ImproperlyConfigured): .{0,120}environment variable.{0,20}\b(?<name>(?!CUDA_|CMAKE_|CUBLAS_|CUDNN_|CERTIFICATE_|ERR_)[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6})\b/,
      'Declare it as envvar': /UndefinedValueError: (?<name>\w{1,80}) not found/,
      'unbound variable': /(?:^|: )(?<name>[A-Za-z_]\w{0,80}): unbound variable$/,
      'parameter not set': /(?:^|: )(?<name>[A-Za-z_]\w{0,80}): parameter (?:null or )?not set$/,
      'parameter null or not set': /(?:^|: )(?<name>[A-Za-z_]\w{0,80}): parameter null or not set$/,
    },
    title: 'the variable {name} is not set',
    fix: 'set it as a secret of the app',
    next: ['secrets', 'set', '{name}'],
  },
  {
    cause: 'secret-missing',
    rank: 4,
    signs: {
      'error parsing value for field': /SettingsError: error parsing value for field "(?<name>\w{1,80})"/,
      'in the environment':
        /\bNo (?<name>[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6})\b.{0,120} defined in the environment/,
      'add an environment variable': /add an environment variable `(?<name>[A-Z][A-Z0-9_]{2,80})`/,
      'environment variable':
        /(?:setting|The) (?:the )?(?<name>[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6}) environment variable(?:$| is missing)/,
      'API key not set': /^\w{0,40}Error: .{0,40}API key not set/,
    },
    title: 'the variable {name|of an API key} is not set',
    fix: 'set it as a secret of the app',
    next: ['secrets', 'set', '{name|API_KEY}'],
  },
  {
    cause: 'secret-missing',
    rank: 4,
    signs: {
      'for ':
        /^(?:pydantic\S{0,60}\.)?ValidationError: \d{1,3} validation errors? for (?<name>\w{0,60}(?:Settings|Config|Env|Environment|Secrets))$/,
    },
    title: 'variables of {name} are not set, or have no valid value',
    fix: 'set each field that the lines after it name as a secret: gantry secrets set NAME',
  },
  {
    cause: 'secret-missing',
    rank: 4,
    signs: {
      DefaultCredentialsError:
        /DefaultCredentialsError: (?!File ).{0,200}(?:credentials|GOOGLE_APPLICATION_CREDENTIALS)/,
    },
    title: 'the app has no credentials of Google Cloud',
    fix: 'set the JSON of a service account as a secret, write it to a file when the app starts, and name that file in GOOGLE_APPLICATION_CREDENTIALS',
    next: ['secrets', 'set', 'GOOGLE_CREDENTIALS'],
  },
  {
    cause: 'secret-missing',
    rank: 4,
    signs: {
      'Unable to locate credentials': /Unable to locate credentials/,
      'You must specify a region': /NoRegionError: You must specify a region/,
      'Partial credentials found': /PartialCredentialsError: /,
    },
    title: 'the app has no credentials of its cloud',
    fix: 'set them as secrets, such as AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_DEFAULT_REGION',
    next: ['secrets', 'set', 'AWS_ACCESS_KEY_ID'],
  },
  {
    cause: 'secret-missing',
    rank: 4,
    signs: {
      'Expected string or URL object, got None': /ArgumentError: Expected string or URL object, got None/,
      'SQLAlchemy URL from': /ArgumentError: Could not parse SQLAlchemy URL from (?:given URL )?string\b/,
      'rfc1738 URL from': /ArgumentError: Could not parse rfc1738 URL from string '/,
    },
    title: 'the address of the database is not set, or is not valid',
    fix: 'set the variable that the code reads it from as a secret, such as DATABASE_URL',
    next: ['secrets', 'set', 'DATABASE_URL'],
  },
  {
    cause: 'secret-missing',
    rank: 3,
    signs: {
      NoneType: /^TypeError: (?:int|float)\(\) argument must be .{1,100}, not 'NoneType'$/,
      'invalid literal for int': /^ValueError: invalid literal for int\(\) with base 10: ''$/,
      'convert string to float': /^ValueError: could not convert string to float: ''$/,
      'str expected, not NoneType': /^TypeError: str expected, not NoneType$/,
    },
    after: /\benviron\b|getenv/,
    title: 'the code uses a variable that is not set',
    fix: 'set the variable that the line of the traceback names as a secret, or give it a default in the code',
  },
];
