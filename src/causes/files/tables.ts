import { once } from '../../kernel/once.ts';
import { brought } from './brought.ts';

/** What a package brings along, with what that brings; undefined if it is not known. */
export function broughtBy(name: string, extras: readonly string[]): ReadonlySet<string> | undefined {
  const keys = extras.map((extra) => `${name}[${extra}]`).filter((each) => table().has(each));
  if (keys.length === 0 && !table().has(name)) return undefined;
  const all = new Set([name, ...keys].flatMap((key) => table().get(key) ?? []));
  for (const each of all) for (const other of table().get(each) ?? []) all.add(other);
  return all;
}

/** Whether packages bring it more often than once: where it is not listed, it may be there all the same. */
export function isBroughtByOthers(name: string): boolean {
  return [...table().values()].filter((each) => each.includes(name)).length > 1;
}

/** Packages with extras that bring nothing that code needs of its own accord. */
const plainExtras =
  /^(?:sentry-sdk|passlib|sqlalchemy|python-jose|strawberry-graphql|redis|boto3|gunicorn|ray|langgraph)$/;

/** Whether nobody knows what an extra brings. */
export const hasUnknownExtra = (name: string, extras: readonly string[]): boolean =>
  !plainExtras.test(name) && extras.some((extra) => !table().has(`${name}[${extra}]`));

const table = once((): ReadonlyMap<string, readonly string[]> => {
  const rows = brought.trim().replaceAll('\n  ', ' ').split('\n');
  return new Map(
    rows.flatMap((row): [string, string[]][] => {
      const [name = '', rest] = row.split(': ');
      return rest === undefined ? row.split(' ').map((each) => [each, []]) : [[name, rest.split(' ')]];
    }),
  );
});

/** Packages that the runtime itself is made of: it serves the app with them. */
export const ofTheRuntime = new Set(
  'cerebrium fastapi uvicorn starlette pydantic pydantic-core anyio typing-extensions click h11 annotated-types pip setuptools wheel'.split(
    ' ',
  ),
);

/** The program that a package starts, by the package. */
export const programsOf: ReadonlyMap<string, string> = new Map([
  ['pytesseract', 'tesseract'],
  ['ocrmypdf', 'tesseract'],
  ['pdf2image', 'pdftoppm'],
  ['ffmpeg-python', 'ffmpeg'],
  ['pydub', 'ffmpeg'],
  ['openai-whisper', 'ffmpeg'],
  ['graphviz', 'dot'],
  ['pydot', 'dot'],
  ['gitpython', 'git'],
  ['phonemizer', 'espeak-ng'],
  ['whisperx', 'ffmpeg'],
  ['demucs', 'ffmpeg'],
  ['pypandoc', 'pandoc'],
  ['pdfkit', 'wkhtmltopdf'],
  ['speechrecognition', 'flac'],
  ['pyttsx3', 'espeak-ng'],
  ...['pyspark', 'tabula-py', 'konlpy', 'language-tool-python', 'h2o'].map((name): [string, string] => [name, 'java']),
]);

const libGl = ['libgl1', 'libgl1-mesa-glx', 'libglx-mesa0', 'python3-opencv', 'ffmpeg'];

/** Debian packages of which one has the library that a package of PyPI loads and does not bring. */
export const librariesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ...[
    'opencv-python',
    'opencv-contrib-python',
    'ultralytics',
    'mediapipe',
    'paddleocr',
    'basicsr',
    'imgaug',
    'open3d',
  ].map((name): [string, string[]] => [name, libGl]),
  ['lightgbm', ['libgomp1', 'gcc', 'g++', 'build-essential', 'ffmpeg']],
  ['pyvips', ['libvips42', 'libvips42t64', 'libvips', 'libvips-dev', 'pyvips-binary']],
  ['wand', ['libmagickwand-dev', 'libmagickwand-6.q16-6', 'imagemagick']],
  ['pyenchant', ['libenchant-2-2', 'libenchant-2-dev']],
  ['pyzbar', ['libzbar0']],
  ['python-magic', ['libmagic1', 'file']],
  ['weasyprint', ['libpango-1.0-0', 'libpangocairo-1.0-0', 'libpangoft2-1.0-0', 'weasyprint']],
  ['sounddevice', ['libportaudio2', 'portaudio19-dev']],
  ['cairosvg', ['libcairo2', 'libcairo2-dev']],
  ['mysqlclient', ['default-libmysqlclient-dev', 'libmariadb3', 'libmariadb-dev', 'libmysqlclient-dev']],
  ['psycopg2', ['libpq-dev', 'libpq5']],
  ['psycopg', ['libpq5', 'libpq-dev', 'postgresql-client', 'psycopg-binary', 'psycopg-c']],
]);

/** What calls and imports need besides their package, by what the libraries themselves say when it is not there: one of the packages. */
const optional = String.raw`
  fastapi.(?:File|Form|UploadFile|security.OAuth2PasswordRequestForm\w*): python-multipart
  (?:fastapi|starlette).templating.Jinja2Templates: jinja2
  fastapi.responses.ORJSONResponse: orjson
  starlette.middleware.sessions.SessionMiddleware: itsdangerous
  pydantic.(?:EmailStr|NameEmail): email-validator
  pandas.read_excel: openpyxl xlrd calamine python-calamine pyxlsb odfpy
  pandas.read_html: lxml html5lib
  pandas.read_parquet: pyarrow fastparquet
  .to_excel: openpyxl xlsxwriter
  .to_markdown: tabulate
  .to_parquet: pyarrow fastparquet polars dask
  transformers.pipeline: torch tensorflow jax
  transformers.BitsAndBytesConfig: bitsandbytes
  .enable_(?:model|sequential)_cpu_offload: accelerate
  .load_lora_weights: peft`;

/** The packages of which one is needed, and the call or the import that needs it. */
export const optionalPackages = once(() =>
  optional
    .trim()
    .split('\n')
    .map((row) => {
      const [name = '', packages = ''] = row.trim().split(': ');
      return { name: new RegExp(`${name.startsWith('.') ? '' : '^'}(?:${name})$`), packages: packages.split(' ') };
    }),
);

/** Pins that do not go with what pip installs beside them today: the package, from and until which version, and what bounds it. */
export const looseNeeds: readonly { package: string; since?: string; until: string; other: string; bound: string }[] = [
  { package: 'flask', until: '2.2.5', other: 'werkzeug', bound: '<3' },
  { package: 'flask', until: '2.1', other: 'jinja2', bound: '<3.1' },
  { package: 'torch', until: '2.3', other: 'numpy', bound: '<2' },
  { package: 'transformers', until: '4.30', other: 'numpy', bound: '<2' },
  { package: 'openai', since: '1', until: '1.55.3', other: 'httpx', bound: '<0.28' },
  ...['opencv-python', 'opencv-python-headless', 'opencv-contrib-python'].map((name) => ({
    package: name,
    until: '4.10.0.84',
    other: 'numpy',
    bound: '<2',
  })),
  { package: 'diffusers', until: '0.29', other: 'huggingface-hub', bound: '<0.26' },
  { package: 'gradio', until: '4.0', other: 'pydantic', bound: '<2.11' },
  { package: 'pandas', until: '2.2.2', other: 'numpy', bound: '<2' },
  { package: 'scipy', until: '1.13', other: 'numpy', bound: '<2' },
  { package: 'passlib', until: '1.7.5', other: 'bcrypt', bound: '<5' },
];

/** Paths that servers answer by themselves, by the program or the base image. */
export const ownRoutes: readonly [server: RegExp, routes: readonly string[]][] = [
  [/^streamlit$/, ['/_stcore/health', '/healthz', '/_stcore/host-config', '/']],
  [/^bentoml$/, ['/healthz', '/livez', '/readyz', '/metrics', '/docs.json', '/']],
  [/tritonserver/, ['/v2/health/live', '/v2/health/ready', '/v2', '/metrics']],
  [
    /^vllm$|vllm\/vllm-openai/,
    ['/health', '/ping', '/version', '/metrics', '/v1/models', '/load', '/docs', '/openapi.json'],
  ],
  [/text-generation-inference|text-embeddings-inference/, ['/health', '/info', '/metrics', '/docs', '/ping', '/']],
  [/ollama\/ollama/, ['/', '/api/tags', '/api/version', '/api/ps', '/v1/models']],
];
