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
  return new Map(
    brought
      .trim()
      .split('\n')
      .flatMap((row): [string, string[]][] => {
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

/** The rows of a table: a name, and words that belong to it. */
const wordsBy = (rows: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    rows
      .trim()
      .split('\n')
      .map((row) => {
        const [name = '', words = ''] = row.trim().split(': ');
        return [name, words.split(' ')];
      }),
  );

/** The packages that start a program. */
export const startedBy = wordsBy(`
  tesseract: pytesseract ocrmypdf
  pdftoppm: pdf2image
  ffmpeg: ffmpeg-python pydub openai-whisper whisperx demucs
  dot: graphviz pydot
  git: gitpython
  espeak-ng: phonemizer pyttsx3
  pandoc: pypandoc
  wkhtmltopdf: pdfkit
  flac: speechrecognition
  java: pyspark tabula-py konlpy language-tool-python h2o`);

const libGl = 'libgl1 libgl1-mesa-glx libglx-mesa0 python3-opencv ffmpeg';

/** Debian packages of which one has the library that a package of PyPI loads and does not bring. */
export const librariesOf = wordsBy(`
  opencv-python: ${libGl}
  opencv-contrib-python: ${libGl}
  ultralytics: ${libGl}
  mediapipe: ${libGl}
  paddleocr: ${libGl}
  basicsr: ${libGl}
  imgaug: ${libGl}
  open3d: ${libGl}
  lightgbm: libgomp1 gcc g++ build-essential ffmpeg
  pyvips: libvips42 libvips42t64 libvips libvips-dev pyvips-binary
  wand: libmagickwand-dev libmagickwand-6.q16-6 imagemagick
  pyenchant: libenchant-2-2 libenchant-2-dev
  pyzbar: libzbar0
  python-magic: libmagic1 file
  weasyprint: libpango-1.0-0 libpangocairo-1.0-0 libpangoft2-1.0-0 weasyprint
  sounddevice: libportaudio2 portaudio19-dev
  cairosvg: libcairo2 libcairo2-dev
  mysqlclient: default-libmysqlclient-dev libmariadb3 libmariadb-dev libmysqlclient-dev
  psycopg2: libpq-dev libpq5
  psycopg: libpq5 libpq-dev postgresql-client psycopg-binary psycopg-c`);

/** What calls and imports need besides their package, by what the libraries themselves say when it is not there: one of the packages. */
export const optionalPackages = wordsBy(String.raw`
  ^fastapi.(?:File|Form|UploadFile|security.OAuth2PasswordRequestForm\w*)$: python-multipart
  ^(?:fastapi|starlette).templating.Jinja2Templates$: jinja2
  ^fastapi.responses.ORJSONResponse$: orjson
  ^starlette.middleware.sessions.SessionMiddleware$: itsdangerous
  ^pydantic.(?:EmailStr|NameEmail)$: email-validator
  ^pandas.read_excel$: openpyxl xlrd calamine python-calamine pyxlsb odfpy
  ^pandas.read_html$: lxml html5lib
  ^pandas.read_parquet$: pyarrow fastparquet
  .to_excel$: openpyxl xlsxwriter
  .to_markdown$: tabulate
  .to_parquet$: pyarrow fastparquet polars dask
  from_pretrained.device_map$: accelerate
  from_pretrained.load_in_(?:4|8)bit$: bitsandbytes
  ^transformers.pipeline$: torch tensorflow jax
  ^transformers.BitsAndBytesConfig$: bitsandbytes
  .enable_(?:model|sequential)_cpu_offload$: accelerate
  .load_lora_weights$: peft`);

/** Paths that servers answer by themselves, by the program or the base image. */
export const ownRoutes = wordsBy(`
  ^streamlit$: /_stcore/health /healthz /_stcore/host-config /
  ^bentoml$: /healthz /livez /readyz /metrics /docs.json /
  tritonserver: /v2/health/live /v2/health/ready /v2 /metrics
  ^vllm$|vllm/vllm-openai: /health /ping /version /metrics /v1/models /load /docs /openapi.json
  text-generation-inference|text-embeddings-inference: /health /info /metrics /docs /ping /
  ollama/ollama: / /api/tags /api/version /api/ps /v1/models`);
