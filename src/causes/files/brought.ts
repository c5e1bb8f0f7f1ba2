// Widened by packaging/brought-packages.py, which names the source.

/**
 * What installing a package brings along, of packages that apps list, and of those that they bring. Names as PyPI compares
 * them; at the end, packages that bring nothing. A row leaves out what the rows of its packages have.
 */
export const brought = `
accelerate: huggingface-hub psutil safetensors torch
aiogram: aiofiles aiohttp certifi magic-filter pydantic
aiohttp: aiohappyeyeballs aiosignal attrs frozenlist idna multidict propcache typing-extensions yarl
aiohttp-cors: aiohttp
aiokafka: async-timeout packaging
albumentations: opencv-python-headless pydantic pyyaml scipy
alembic: mako sqlalchemy
altair: jinja2 jsonschema narwhals packaging
anthropic: distro docstring-parser httpcore2 httpx httpx2 jiter opentelemetry-api pydantic sniffio truststore
anyio: idna typing-extensions
apscheduler: tzlocal
arq: click hiredis redis
arrow: python-dateutil
authlib: cryptography
auto-gptq: datasets peft sentencepiece
beautifulsoup4: soupsieve typing-extensions
bentoml: a2wsgi aiohttp aiohttp-asgi-connector aiosqlite asgiref cattrs click-option-group cloudpickle fsspec httpx httpx-ws jinja2 kantoku numpy opentelemetry-instrumentation opentelemetry-instrumentation-aiohttp-client opentelemetry-instrumentation-asgi opentelemetry-sdk opentelemetry-util-http packaging pathspec pip-requirements-parser prometheus-client psutil pydantic pyparsing python-dateutil python-json-logger python-multipart pyyaml pyzmq rich rich-toolkit schema simple-di starlette tomli-w tornado uvicorn watchfiles wrapt wsproto
bitsandbytes: packaging torch
boto3: s3transfer
botocore: jmespath python-dateutil urllib3
bs4: beautifulsoup4
catboost: graphviz matplotlib pandas plotly scipy
celery: amqp billiard click click-didyoumean click-plugins click-repl kombu prompt-toolkit python-dateutil typing-extensions tzlocal vine wcwidth
cffi: pycparser
chromadb: aiohttp aiohttp-retry bcrypt build durationpy googleapis-common-protos grpcio httptools importlib-resources jsonschema kubernetes mmh3 oauthlib onnxruntime opentelemetry-exporter-otlp-common opentelemetry-exporter-otlp-proto-common opentelemetry-exporter-otlp-proto-grpc opentelemetry-proto opentelemetry-sdk orjson overrides pybase64 pydantic-settings pypika pyproject-hooks python-dateutil requests-oauthlib tenacity tokenizers typer uvicorn uvloop watchfiles websocket-client websockets
coloredlogs: humanfriendly
controlnet-aux: einops importlib-metadata opencv-python-headless scikit-image timm
cryptography: cffi
ctranslate2: numpy pyyaml
daphne: asgiref attrs autobahn automat cbor2 constantly cryptography hyperlink idna incremental msgpack packaging pyopenssl service-identity twisted txaio typing-extensions ujson zope-interface
dash: comm flask importlib-metadata janus nest-asyncio plotly pydantic requests retrying setuptools
dash-bootstrap-components: dash
dask: click cloudpickle fsspec importlib-metadata locket packaging partd pyyaml toolz
datasets: aiohttp dill huggingface-hub multiprocess pandas pyarrow xxhash
deepgram-sdk: httpx pydantic websockets
diffusers: huggingface-hub importlib-metadata numpy pillow regex safetensors
django: asgiref sqlparse
django-cors-headers: django
django-filter: django
django-redis: django redis
djangorestframework: django
docxtpl: docxcompose jinja2 python-docx
dramatiq: prometheus-client
elasticsearch: elastic-transport python-dateutil typing-extensions
email-validator: dnspython idna
eventlet: dnspython greenlet
exceptiongroup: typing-extensions
faiss-cpu: numpy packaging
fastapi: annotated-doc opentelemetry-api pydantic starlette
fastapi[all]: agent-detector detect-installer email-validator fastapi-cli fastapi-cloud-cli fastar googleapis-common-protos httpcore2 httptools httpx httpx2 itsdangerous jinja2 opentelemetry-exporter-http-transport opentelemetry-exporter-otlp-common opentelemetry-exporter-otlp-proto-common opentelemetry-exporter-otlp-proto-http opentelemetry-proto opentelemetry-sdk orjson pydantic-extra-types pydantic-settings python-multipart pyyaml requests rich-toolkit rignore sentry-sdk starlette truststore typer ujson uvicorn uvloop watchfiles websockets
fastapi[standard]: agent-detector detect-installer email-validator fastapi-cli fastapi-cloud-cli fastar googleapis-common-protos httpcore2 httptools httpx httpx2 jinja2 opentelemetry-exporter-http-transport opentelemetry-exporter-otlp-common opentelemetry-exporter-otlp-proto-common opentelemetry-exporter-otlp-proto-http opentelemetry-proto opentelemetry-sdk pydantic-extra-types pydantic-settings python-multipart pyyaml requests rich-toolkit rignore sentry-sdk starlette truststore typer uvicorn uvloop watchfiles websockets
faster-whisper: av ctranslate2 onnxruntime tokenizers
fastmcp: authlib cyclopts exceptiongroup mcp openapi-pydantic rich websockets
feedparser: sgmllib3k
flask: blinker click itsdangerous jinja2 werkzeug
flask-cors: flask
flask-login: flask
flask-sock: flask simple-websocket
flask-sqlalchemy: flask sqlalchemy
gensim: scipy smart-open wrapt
geopandas: packaging pandas pyogrio pyproj shapely
gevent: greenlet
gitdb: smmap
gitpython: gitdb
google-api-core: google-auth googleapis-common-protos opentelemetry-api proto-plus requests
google-auth: cryptography pyasn1-modules
google-cloud-storage: google-api-core google-cloud-core google-crc32c google-resumable-media
googleapis-common-protos: protobuf
gradio: aiofiles brotli fastapi gradio-client groovy hf-gradio huggingface-hub jinja2 orjson pandas pillow pydub python-multipart safehttpx semantic-version tomlkit typer uvicorn websockets
granian: click
graphene: graphql-core graphql-relay
groq: distro httpx pydantic sniffio
grpcio-tools: grpcio protobuf setuptools
gspread: google-auth google-auth-oauthlib
gunicorn: packaging
h2: hpack hyperframe
h5py: numpy
hdbscan: scikit-learn
httpcore: certifi h11
httpx: anyio httpcore
huggingface-hub: click filelock fsspec hf-xet httpcore2 httpx httpx2 packaging pyyaml requests tqdm truststore
hypercorn: h2 priority wsproto
imageio: numpy pillow
imageio-ffmpeg: setuptools
importlib-metadata: lazy-importer zipp
insightface: albumentations cython easydict matplotlib onnx prettytable requests scikit-image scikit-learn tqdm
jax: jaxlib ml-dtypes opt-einsum scipy
jinja2: markupsafe
joblib: cloudpickle
jsonschema: jsonschema-specifications
jsonschema-specifications: referencing
keras: absl-py h5py ml-dtypes namex optree packaging rich typing-extensions
langchain: langgraph numpy sqlalchemy
langchain-anthropic: anthropic jsonpointer langchain-core langchain-protocol orjson requests requests-toolbelt uuid-utils websockets xxhash zstandard
langchain-community: aiohttp distro httpcore2 httpx httpx-sse httpx2 jsonpointer langchain-classic langchain-core langchain-protocol langchain-text-splitters numpy orjson pydantic-settings requests requests-toolbelt sniffio sqlalchemy truststore uuid-utils websockets xxhash zstandard
langchain-core: jsonpatch langsmith packaging pydantic pyyaml tenacity
langchain-openai: langchain-core openai tiktoken
langgraph: distro httpcore2 httpx httpx2 jsonpointer langchain-core langchain-protocol langgraph-checkpoint langgraph-prebuilt langgraph-sdk orjson ormsgpack requests requests-toolbelt sniffio truststore uuid-utils websockets xxhash zstandard
lazy-loader: packaging
librosa: audioread decorator lazy-loader msgpack numba pooch scikit-learn soundfile soxr
lightgbm: narwhals scipy
litestar: click faker httpx litestar-htmx msgspec multidict multipart polyfactory pyyaml rich rich-click sniffio
litserve: email-validator fastapi httptools httpx jinja2 python-dotenv python-multipart pyyaml pyzmq uvicorn uvloop watchfiles websockets
livekit: aiofiles numpy protobuf
llama-cpp-python: diskcache jinja2 numpy typing-extensions
mako: markupsafe
markdown-it-py: mdurl
marshmallow: packaging
matplotlib: contourpy cycler fonttools kiwisolver numpy packaging pillow pyparsing python-dateutil
mcp: cryptography httpcore2 httpx httpx-sse httpx2 jsonschema mcp-types opentelemetry-api pydantic-settings pyjwt python-multipart sse-starlette truststore uvicorn
mediapipe: absl-py certifi cffi flatbuffers matplotlib opencv-contrib-python sounddevice
mlflow: aiohttp alembic cachetools databricks-sdk docker fastapi flask-cors gitpython google-auth graphene gunicorn huey importlib-metadata matplotlib mlflow-skinny mlflow-tracing opentelemetry-proto opentelemetry-sdk pandas prettytable pyarrow python-dotenv pyyaml requests scikit-learn skops sqlparse uvicorn wcwidth
motor: pymongo
moviepy: decorator imageio imageio-ffmpeg proglog python-dotenv
netcdf4: certifi cftime numpy packaging
nltk: click defusedxml joblib regex tqdm
numba: llvmlite numpy
ollama: httpx pydantic
omegaconf: antlr4-python3-runtime pyyaml
onnx: numpy protobuf
onnxruntime: coloredlogs flatbuffers numpy packaging protobuf sympy
onnxruntime-gpu: coloredlogs flatbuffers numpy packaging protobuf sympy
openai: distro httpcore2 httpx httpx2 jiter pydantic sniffio tqdm truststore
openai-whisper: more-itertools numba tiktoken torch tqdm
opencensus: google-api-core opencensus-context six
opencv-contrib-python: numpy
opencv-contrib-python-headless: numpy
opencv-python: numpy
opencv-python-headless: numpy
openpyxl: et-xmlfile
opentelemetry-api: typing-extensions
opentelemetry-exporter-prometheus: opentelemetry-sdk prometheus-client
opentelemetry-proto: protobuf
opentelemetry-sdk: opentelemetry-semantic-conventions
opentelemetry-semantic-conventions: opentelemetry-api
optimum: torch transformers
ortools: absl-py immutabledict pandas protobuf typing-extensions
pandas: numpy python-dateutil pytz
pdf2image: pillow
pdfminer-six: charset-normalizer cryptography
pdfplumber: pdfminer-six pillow pypdfium2
peft: accelerate transformers
pipecat-ai: aiohttp loguru numpy pillow protobuf pydantic
playwright: greenlet pyee
plotly: narwhals packaging
poetry: anyio backports-tarfile backports-zstd build cachecontrol cleo crashtest cryptography dulwich fastjsonschema findpython h11 httpcore2 httpx2 importlib-metadata installer jaraco-classes jaraco-context jaraco-functools jeepney keyring more-itertools msgpack pbs-installer pkginfo poetry-core pyproject-hooks rapidfuzz requests requests-toolbelt secretstorage shellingham tomlkit trove-classifiers truststore virtualenv
pooch: packaging platformdirs requests
prometheus-fastapi-instrumentator: prometheus-client starlette
proto-plus: protobuf
psycopg: typing-extensions
psycopg[binary]: psycopg-binary typing-extensions
psycopg[pool]: psycopg-pool typing-extensions
pyasn1-modules: pyasn1
pydantic: annotated-types pydantic-core typing-inspection
pydantic-core: typing-extensions
pydantic-extra-types: pydantic
pydantic-settings: pydantic python-dotenv
pydeck: jinja2 numpy
pymongo: dnspython
pynacl: cffi
pyproj: certifi
pyspark: py4j
pytesseract: packaging pillow
python-dateutil: six tzdata
python-discovery: filelock
python-docx: lxml typing-extensions
python-jose: ecdsa pyasn1 rsa
python-pptx: lxml pillow typing-extensions xlsxwriter
python-slugify: text-unidecode
python-telegram-bot: httpx
qdrant-client: grpcio h2 httpx numpy portalocker protobuf pydantic urllib3
quart: aiofiles flask hypercorn
rdflib: pyparsing
rdkit: numpy pillow
redis: pyjwt
referencing: attrs rpds-py typing-extensions
reportlab: chardet pillow
requests: certifi charset-normalizer idna urllib3
rich: markdown-it-py pygments
rq: click redis
s3transfer: botocore
sanic: aiofiles html5tagger httptools multidict sanic-routing setuptools tracerite typing-extensions ujson uvloop websockets
scikit-image: imageio lazy-loader networkx scipy tifffile
scikit-learn: joblib narwhals scipy threadpoolctl
scipy: numpy
seaborn: matplotlib pandas
selenium: attrs certifi idna outcome pysocks sniffio sortedcontainers trio trio-websocket typing-extensions urllib3 websocket-client wsproto
sentence-transformers: pillow scikit-learn torch transformers
sentry-sdk: certifi urllib3
shapely: numpy
slack-bolt: slack-sdk
slowapi: deprecated limits packaging typing-extensions wrapt
soundfile: cffi numpy typing-extensions
spacy: blis catalogue cloudpathlib confection cymem httpx jinja2 langcodes murmurhash numpy packaging preshed requests setuptools smart-open spacy-legacy spacy-loggers srsly thinc tqdm typer wasabi weasel wrapt
sqlalchemy: greenlet typing-extensions
sqlmodel: pydantic sqlalchemy
sse-starlette: starlette
starlette: anyio
statsmodels: formulaic interface-meta narwhals packaging pandas patsy scipy typing-extensions wrapt
strawberry-graphql: cross-web graphql-core packaging python-dateutil typing-extensions
strawberry-graphql[fastapi]: fastapi python-multipart
streamlit: altair blinker cachetools gitpython itsdangerous pandas pillow protobuf pyarrow pydeck python-multipart requests rich starlette tenacity toml tornado uvicorn watchdog websockets
stripe: requests typing-extensions
supabase: cryptography deprecation gotrue h2 httpx multidict packaging postgrest propcache pydantic pyjwt realtime storage3 supabase-auth supabase-functions supafunc websockets yarl
sympy: mpmath
tensorflow: astunparse flatbuffers gast google-pasta grpcio keras libclang opt-einsum protobuf requests setuptools six tensorboard termcolor wheel wrapt
tifffile: numpy
tiktoken: regex requests
timm: huggingface-hub safetensors torchvision
tokenizers: huggingface-hub
torch: filelock fsspec jinja2 networkx numpy setuptools sympy triton typing-extensions
torchaudio: torch
torchvision: pillow torch
transformers: numpy regex safetensors tokenizers typer
tts: librosa pandas torchaudio transformers
twilio: aiohttp aiohttp-retry pyjwt requests
typer: annotated-doc click pydantic rich shellingham
typing-inspection: typing-extensions
ultralytics: httpx opencv-python polars polars-runtime-32 psutil pyyaml requests scipy seaborn torchvision tqdm ultralytics-platform ultralytics-thop
umap-learn: numba pynndescent scikit-learn tqdm
uvicorn: click h11
uvicorn[standard]: click h11 httptools python-dotenv pyyaml uvloop watchfiles websockets
virtualenv: distlib packaging platformdirs python-discovery
vllm: agent-detector aiohttp anthropic apache-tvm-ffi astor blake3 cachetools cbor2 cloudpickle compressed-tensors depyf detect-installer dill einops email-validator fastapi fastapi-cli fastapi-cloud-cli fastar fastsafetensors flashinfer-python googleapis-common-protos grpcio httptools humming-kernels ijson instanttensor interegular jmespath lark llguidance lm-format-enforcer loguru mcp mistral-common ml-dtypes model-hosting-container-standards msgspec nccl-extensions nccl4py ninja numba nvtx openai opencv-python-headless opentelemetry-exporter-http-transport opentelemetry-exporter-otlp opentelemetry-exporter-otlp-common opentelemetry-exporter-otlp-proto-common opentelemetry-exporter-otlp-proto-grpc opentelemetry-exporter-otlp-proto-http opentelemetry-proto opentelemetry-sdk opentelemetry-semantic-conventions-ai orjson oss-harmony outlines-core partial-json-parser prometheus-fastapi-instrumentator psutil py-cpuinfo pybase64 pycountry pydantic-extra-types pynvvideocodec python-json-logger pyzmq quack-kernels ray rich-toolkit rignore sentencepiece sentry-sdk setproctitle supervisor tabulate tiktoken tilelang tokenspeed-mla tokenspeed-triton torch-c-dlpack-ext torchaudio torchcodec torchvision transformers uvloop watchfiles websockets xgrammar z3-solver
wandb: click cwevals distro gitpython googleapis-common-protos httpx opentelemetry-exporter-http-transport opentelemetry-exporter-otlp-common opentelemetry-exporter-otlp-proto-common opentelemetry-exporter-otlp-proto-http opentelemetry-proto opentelemetry-sdk packaging platformdirs psutil pydantic pyyaml requests sentry-sdk sniffio xxhash
watchfiles: anyio
weasyprint: cffi cssselect2 fonttools pillow pydyf pyphen tinycss2
werkzeug: markupsafe
wsproto: h11
xarray: packaging pandas
xformers: torch
xgboost: scipy
zarr: asciitree donfig fasteners google-crc32c numcodecs numpy packaging pyyaml typing-extensions
aiofiles aiohappyeyeballs aiosqlite annotated-doc annotated-types asgiref astor asyncpg attrs av babel bcrypt blinker bottle brotli cachetools certifi charset-normalizer click cloudpickle colorama colorful confluent-kafka defusedxml dill diskcache distlib django-environ dnspython duckdb einops falcon filelock flatbuffers fsspec greenlet grpcio h11 h3 hf-xet hiredis hpack httptools huey humanfriendly humanize hyperframe idna isodate itsdangerous jmespath lark loguru lxml markdown markupsafe mdurl mpmath msgpack msgspec mutagen narwhals nats-py nest-asyncio networkx numpy opencensus-context orjson packaging passlib phonenumbers pika pillow platformdirs polars prometheus-client protobuf psutil psycopg-binary psycopg2 psycopg2-binary py-cpuinfo py-spy pyarrow pyasn1 pycountry pycparser pydub pygments pyjwt pymupdf pymysql pyparsing pypdf pypdfium2 python-dotenv python-json-logger python-magic python-multipart pytz pyyaml pyzbar rapidfuzz regex rfc3986 rpds-py ruff safetensors schedule segment-anything semantic-version sentencepiece setuptools shellingham simplejson six slack-sdk smmap sniffio soupsieve sqlparse structlog tabulate tenacity termcolor threadpoolctl toml tomli tomlkit tornado tqdm truststore typing-extensions tzdata ujson uritemplate urllib3 uv uvloop waitress watchdog websockets wheel whitenoise xlrd xlsxwriter xmltodict yt-dlp zipp zope-event
`;
