import { once } from './once.ts';

/** What installing a package brings along, of packages that apps list. Names as PyPI compares them. */
const brought = `
fastapi: starlette pydantic typing-extensions anyio
fastapi[standard]: starlette pydantic typing-extensions anyio uvicorn httptools uvloop websockets watchfiles python-dotenv pyyaml httpx jinja2 python-multipart email-validator fastapi-cli
fastapi[all]: starlette pydantic typing-extensions anyio uvicorn httptools uvloop websockets watchfiles python-dotenv pyyaml httpx jinja2 python-multipart email-validator itsdangerous orjson ujson pydantic-settings pydantic-extra-types
starlette: anyio
uvicorn: click h11
uvicorn[standard]: click h11 httptools uvloop websockets watchfiles python-dotenv pyyaml
gunicorn: packaging
hypercorn: h11 h2 wsproto priority
granian: click
daphne: twisted asgiref autobahn
flask: werkzeug jinja2 itsdangerous click blinker markupsafe
quart: flask werkzeug jinja2 itsdangerous click blinker markupsafe hypercorn h11 h2 wsproto aiofiles
sanic: aiofiles multidict httptools uvloop websockets sanic-routing
aiohttp: multidict yarl attrs aiosignal frozenlist propcache
django: asgiref sqlparse
djangorestframework: django asgiref sqlparse
litestar: httpx msgspec anyio click rich pyyaml multidict
pydantic: annotated-types pydantic-core typing-extensions
pydantic-settings: pydantic python-dotenv
requests: urllib3 certifi idna charset-normalizer
httpx: httpcore certifi idna anyio h11
scipy: numpy
pandas: numpy python-dateutil pytz tzdata six
scikit-learn: numpy scipy joblib threadpoolctl
xgboost: numpy scipy
lightgbm: numpy scipy
catboost: numpy scipy pandas matplotlib plotly graphviz six
matplotlib: numpy pillow contourpy cycler fonttools kiwisolver packaging pyparsing python-dateutil six
seaborn: numpy pandas matplotlib pillow
plotly: packaging narwhals
statsmodels: numpy scipy pandas patsy packaging
opencv-python: numpy
opencv-python-headless: numpy
scikit-image: numpy scipy networkx pillow imageio tifffile packaging lazy-loader
imageio: numpy pillow
torch: filelock typing-extensions sympy mpmath networkx jinja2 markupsafe fsspec triton numpy
torchvision: torch numpy pillow
torchaudio: torch
transformers: filelock huggingface-hub numpy packaging pyyaml regex requests tokenizers safetensors tqdm fsspec typing-extensions
diffusers: filelock huggingface-hub numpy regex requests safetensors pillow importlib-metadata tqdm pyyaml packaging
accelerate: torch numpy packaging psutil pyyaml huggingface-hub safetensors
peft: torch transformers accelerate numpy packaging psutil pyyaml tqdm safetensors huggingface-hub
sentence-transformers: torch transformers huggingface-hub tqdm scikit-learn scipy numpy pillow typing-extensions
tokenizers: huggingface-hub
huggingface-hub: filelock fsspec packaging pyyaml tqdm typing-extensions requests
datasets: numpy pandas pyarrow dill requests tqdm xxhash multiprocess fsspec aiohttp huggingface-hub packaging pyyaml filelock
vllm: torch transformers numpy fastapi pydantic uvicorn openai requests tqdm pillow ray sentencepiece tokenizers prometheus-client
faster-whisper: ctranslate2 huggingface-hub tokenizers onnxruntime av tqdm numpy
openai-whisper: torch numpy tqdm more-itertools tiktoken numba
onnxruntime: numpy protobuf flatbuffers packaging sympy coloredlogs
onnxruntime-gpu: numpy protobuf flatbuffers packaging sympy coloredlogs
bitsandbytes: torch numpy packaging
timm: torch torchvision pyyaml huggingface-hub safetensors numpy pillow
ultralytics: torch torchvision numpy matplotlib opencv-python pillow pyyaml requests scipy tqdm psutil pandas seaborn
spacy: numpy thinc pydantic requests tqdm jinja2 typer packaging srsly cymem preshed murmurhash wasabi catalogue weasel langcodes
nltk: click joblib regex tqdm
gensim: numpy scipy smart-open
openai: httpx pydantic anyio distro sniffio tqdm typing-extensions jiter
anthropic: httpx pydantic anyio distro sniffio typing-extensions jiter
tiktoken: regex requests
litserve: fastapi uvicorn starlette pydantic httptools uvloop websockets watchfiles python-dotenv pyyaml httpx jinja2 python-multipart email-validator pyzmq
omegaconf: pyyaml antlr4-python3-runtime
sqlalchemy: typing-extensions greenlet
sqlmodel: sqlalchemy pydantic
alembic: sqlalchemy mako typing-extensions
psycopg[binary]: psycopg-binary typing-extensions
pymongo: dnspython
boto3: botocore s3transfer jmespath python-dateutil urllib3 six
google-cloud-storage: google-auth google-api-core google-cloud-core google-resumable-media requests
supabase: httpx gotrue postgrest realtime storage3 supafunc pydantic websockets
beautifulsoup4: soupsieve typing-extensions
bs4: beautifulsoup4 soupsieve
openpyxl: et-xmlfile
python-dateutil: six
jinja2: markupsafe
rich: markdown-it-py pygments
typer: click rich shellingham typing-extensions
pynacl: cffi pycparser
cryptography: cffi pycparser
soundfile: numpy cffi pycparser
librosa: numpy scipy scikit-learn joblib decorator numba soundfile audioread pooch soxr lazy-loader msgpack
pytesseract: pillow packaging
pdf2image: pillow
playwright: greenlet pyee
selenium: urllib3 trio trio-websocket certifi websocket-client typing-extensions
gradio: fastapi starlette uvicorn httpx pydantic pandas numpy pillow jinja2 python-multipart orjson pyyaml aiofiles huggingface-hub websockets
celery: kombu billiard vine click python-dateutil
streamlit: pandas numpy altair pillow protobuf pyarrow requests rich tenacity toml tornado click packaging gitpython pydeck blinker cachetools
bentoml: aiohttp attrs cattrs click httpx jinja2 numpy packaging psutil pydantic pyyaml rich starlette uvicorn watchfiles cloudpickle simple-di prometheus-client opentelemetry-api
xarray: numpy pandas packaging
netcdf4: numpy cftime certifi
zarr: numpy numcodecs fasteners asciitree
rdkit: numpy pillow
wandb: click gitpython requests pyyaml protobuf psutil pydantic sentry-sdk platformdirs
stripe: requests typing-extensions
twilio: requests pyjwt aiohttp
sentry-sdk: certifi urllib3
slowapi: limits
qdrant-client: grpcio httpx numpy pydantic urllib3 portalocker
ctranslate2: numpy pyyaml
llama-cpp-python: numpy diskcache jinja2 typing-extensions
tensorflow: numpy protobuf h5py keras grpcio tensorboard requests six packaging absl-py
keras: numpy h5py absl-py rich
jax: numpy scipy jaxlib ml-dtypes opt-einsum
geopandas: pandas shapely pyproj pyogrio numpy packaging
shapely: numpy
pyproj: certifi
sympy: mpmath
arrow: python-dateutil
weasyprint: pydyf cffi tinycss2 cssselect2 pyphen pillow fonttools
reportlab: pillow chardet
docxtpl: python-docx jinja2 lxml docxcompose
python-docx: lxml typing-extensions
python-pptx: lxml pillow xlsxwriter typing-extensions
feedparser: sgmllib3k
aiokafka: async-timeout packaging
elasticsearch: elastic-transport python-dateutil typing-extensions
gspread: google-auth google-auth-oauthlib
flask-cors: flask werkzeug
flask-sqlalchemy: flask sqlalchemy
flask-sock: flask simple-websocket
sse-starlette: starlette anyio
strawberry-graphql: graphql-core typing-extensions python-dateutil packaging
graphene: graphql-core graphql-relay
mlflow: flask numpy pandas pyarrow scikit-learn scipy matplotlib sqlalchemy docker alembic requests pyyaml click cloudpickle packaging protobuf
numba: numpy llvmlite
umap-learn: numpy scipy scikit-learn numba pynndescent tqdm
hdbscan: numpy scipy scikit-learn joblib
faiss-cpu: numpy packaging
chromadb: numpy pydantic httpx requests onnxruntime tokenizers tqdm typer pyyaml
langchain-core: pydantic pyyaml tenacity jsonpatch packaging typing-extensions langsmith
langchain: langchain-core pydantic pyyaml requests sqlalchemy numpy langsmith
langchain-openai: langchain-core openai tiktoken
jsonschema: attrs referencing rpds-py jsonschema-specifications
marshmallow: packaging
h5py: numpy
insightface: numpy onnx tqdm requests matplotlib pillow scipy scikit-learn scikit-image easydict cython albumentations prettytable
onnx: numpy protobuf
albumentations: numpy scipy pyyaml pydantic opencv-python-headless
controlnet-aux: torch torchvision numpy pillow opencv-python-headless einops timm scikit-image huggingface-hub filelock importlib-metadata
xformers: torch numpy
optimum: torch transformers numpy packaging huggingface-hub
auto-gptq: torch transformers accelerate peft datasets numpy sentencepiece
tts: torch torchaudio numpy scipy librosa soundfile transformers pandas
moviepy: numpy imageio imageio-ffmpeg decorator proglog python-dotenv pillow
imageio-ffmpeg: setuptools
deepgram-sdk: httpx websockets pydantic
pipecat-ai: aiohttp loguru numpy pillow pydantic protobuf
livekit: protobuf numpy aiofiles
python-jose: ecdsa rsa pyasn1
authlib: cryptography
apscheduler: tzlocal
rq: redis click
dramatiq: prometheus-client
pyspark: py4j
dask: click cloudpickle fsspec packaging partd pyyaml toolz
gevent: greenlet
aiogram: aiohttp aiofiles magic-filter pydantic certifi typing-extensions
aiohttp-cors: aiohttp
botocore: jmespath python-dateutil urllib3
dash: flask werkzeug plotly importlib-metadata typing-extensions requests retrying nest-asyncio setuptools
dash-bootstrap-components: dash
django-cors-headers: django
django-filter: django
django-redis: django redis
email-validator: dnspython idna
fastmcp: mcp httpx authlib rich pydantic python-dotenv exceptiongroup openapi-pydantic cyclopts websockets
groq: httpx pydantic anyio distro sniffio typing-extensions
mcp: anyio httpx httpx-sse pydantic pydantic-settings starlette python-multipart sse-starlette uvicorn jsonschema
motor: pymongo dnspython
ollama: httpx pydantic
ortools: absl-py numpy pandas protobuf immutabledict typing-extensions
pdfminer-six: charset-normalizer cryptography
pdfplumber: pdfminer-six pillow pypdfium2
prometheus-fastapi-instrumentator: starlette prometheus-client
psycopg: typing-extensions
psycopg[pool]: psycopg-pool typing-extensions
python-slugify: text-unidecode
python-telegram-bot: httpx
slack-bolt: slack-sdk
eventlet: greenlet dnspython
`;

/** Packages that bring nothing. */
const alone = `
bottle waitress tornado falcon numpy polars pyarrow pillow safetensors einops psycopg2-binary asyncpg aiosqlite redis
pyyaml orjson ujson regex lxml xlsxwriter python-dotenv python-multipart markdown loguru structlog click tqdm tenacity
psutil pyjwt bcrypt itsdangerous websockets pydub pypdf pymupdf wheel setuptools prometheus-client aiofiles msgpack
protobuf grpcio sentencepiece networkx duckdb pytz humanize phonenumbers pyzbar python-magic nats-py pika
confluent-kafka sniffio certifi idna six h11 packaging markupsafe rapidfuzz pypdfium2 slack-sdk mutagen whitenoise
django-environ pymysql hiredis python-json-logger colorama tabulate toml tomli cachetools diskcache filelock fsspec
schedule xmltodict defusedxml yt-dlp av xlrd h3 simplejson joblib threadpoolctl attrs msgspec segment-anything
httptools passlib watchdog huey uvloop
`;

/** What a package brings along, with what that brings; undefined if it is not known. */
export function broughtBy(name: string, extras: readonly string[]): ReadonlySet<string> | undefined {
  const key = extras.map((extra) => `${name}[${extra}]`).find((each) => table().has(each)) ?? name;
  const first = table().get(key);
  if (!first) return undefined;
  const all = new Set(first);
  for (const each of all) for (const other of table().get(each) ?? []) all.add(other);
  return all;
}

/** Whether some package brings it: where it is not listed, it may be there all the same. */
export function isBroughtByOthers(name: string): boolean {
  return [...table().values()].some((each) => each.includes(name));
}

const table = once((): ReadonlyMap<string, readonly string[]> => {
  const rows = brought.trim().split('\n');
  return new Map([
    ...alone
      .trim()
      .split(/\s+/)
      .map((name): [string, string[]] => [name, []]),
    ...rows.map((row): [string, string[]] => {
      const [name = '', rest = ''] = row.split(/:\s*/);
      return [name, rest.split(' ')];
    }),
  ]);
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
]);

const libGl = ['libgl1', 'libgl1-mesa-glx', 'libglx-mesa0', 'python3-opencv', 'ffmpeg'];

/** Debian packages of which one has the library that a package of PyPI loads and does not bring. */
export const librariesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['opencv-python', libGl],
  ['opencv-contrib-python', libGl],
  ['ultralytics', libGl],
  ['pyzbar', ['libzbar0']],
  ['python-magic', ['libmagic1', 'file']],
  ['weasyprint', ['libpango-1.0-0', 'libpangocairo-1.0-0', 'libpangoft2-1.0-0', 'weasyprint']],
  ['sounddevice', ['libportaudio2', 'portaudio19-dev']],
  ['cairosvg', ['libcairo2', 'libcairo2-dev']],
  ['mysqlclient', ['default-libmysqlclient-dev', 'libmariadb3', 'libmariadb-dev', 'libmysqlclient-dev']],
  ['psycopg2', ['libpq-dev', 'libpq5']],
]);

/**
 * What calls and imports need besides their package, of the pages "Optional dependencies" of pandas and FastAPI, and of the
 * documentation of Beautiful Soup and transformers: one of the packages. After a `=`, a text or a keyword that the call has.
 */
const optional = `
  fastapi.File: python-multipart
  fastapi.Form: python-multipart
  fastapi.UploadFile: python-multipart
  fastapi.templating.Jinja2Templates: jinja2
  starlette.templating.Jinja2Templates: jinja2
  fastapi.testclient.TestClient: httpx
  starlette.testclient.TestClient: httpx
  fastapi.responses.ORJSONResponse: orjson
  fastapi.responses.UJSONResponse: ujson
  starlette.middleware.sessions.SessionMiddleware: itsdangerous
  pydantic.EmailStr: email-validator
  pandas.read_excel: openpyxl xlrd calamine python-calamine pyxlsb odfpy
  pandas.read_feather: pyarrow
  pandas.read_hdf: tables
  pandas.read_html: lxml html5lib
  pandas.read_orc: pyarrow
  pandas.read_parquet: pyarrow fastparquet
  pandas.read_xml: lxml
  .to_excel: openpyxl xlsxwriter
  .to_feather: pyarrow polars
  .to_hdf: tables
  .to_markdown: tabulate
  .to_orc: pyarrow
  .to_parquet: pyarrow fastparquet polars dask
  bs4.BeautifulSoup=lxml: lxml
  bs4.BeautifulSoup=lxml-xml: lxml
  bs4.BeautifulSoup=xml: lxml
  bs4.BeautifulSoup=html5lib: html5lib
  transformers.pipeline: torch tensorflow jax
  .from_pretrained=device_map: accelerate
  transformers.pipeline=device_map: accelerate
  transformers.BitsAndBytesConfig: bitsandbytes
  plotly.express.scatter=ols: statsmodels
  .from_pretrained=load_in_4bit: bitsandbytes
  .from_pretrained=load_in_8bit: bitsandbytes`;

/** The packages of which one is needed, and what they are needed for. */
export const optionalPackages = once(() =>
  optional
    .trim()
    .split('\n')
    .map((row) => {
      const [, name = '', given, packages = ''] = /^\s*([\w.]+)(?:=([\w-]+))?: (.+)$/.exec(row) ?? [];
      return { name, given, packages: packages.split(' ') };
    }),
);

/** Pins that do not go with what pip installs beside them today: the package, until which version, and what bounds it. */
export const looseNeeds: readonly { package: string; until: string; other: string; bound: string }[] = [
  { package: 'flask', until: '2.2.5', other: 'werkzeug', bound: '<3' },
  { package: 'flask', until: '2.1', other: 'jinja2', bound: '<3.1' },
  { package: 'torch', until: '2.3', other: 'numpy', bound: '<2' },
  { package: 'transformers', until: '4.30', other: 'numpy', bound: '<2' },
  { package: 'openai', until: '1.55.3', other: 'httpx', bound: '<0.28' },
  { package: 'diffusers', until: '0.29', other: 'huggingface-hub', bound: '<0.26' },
  { package: 'gradio', until: '4.0', other: 'pydantic', bound: '<2.11' },
  { package: 'pandas', until: '2.2.2', other: 'numpy', bound: '<2' },
  { package: 'scipy', until: '1.13', other: 'numpy', bound: '<2' },
  { package: 'passlib', until: '1.7.5', other: 'bcrypt', bound: '<4.1' },
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
