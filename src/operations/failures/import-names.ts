/** The package on PyPI of a module, for modules that have another name than their package. */
const packages: Readonly<Record<string, string>> = {
  Bio: 'biopython',
  Crypto: 'pycryptodome',
  Levenshtein: 'Levenshtein',
  MySQLdb: 'mysqlclient',
  OpenSSL: 'pyOpenSSL',
  PIL: 'pillow',
  PyPDF2: 'PyPDF2',
  apscheduler: 'APScheduler',
  attr: 'attrs',
  bs4: 'beautifulsoup4',
  cairo: 'pycairo',
  cv2: 'opencv-python-headless',
  dateutil: 'python-dateutil',
  discord: 'discord.py',
  docx: 'python-docx',
  dotenv: 'python-dotenv',
  faiss: 'faiss-cpu',
  ffmpeg: 'ffmpeg-python',
  fitz: 'PyMuPDF',
  flash_attn: 'flash-attn',
  git: 'GitPython',
  'google.cloud': 'google-cloud-storage',
  'google.generativeai': 'google-generativeai',
  'google.genai': 'google-genai',
  'google.protobuf': 'protobuf',
  'google.auth': 'google-auth',
  googleapiclient: 'google-api-python-client',
  grpc: 'grpcio',
  gridfs: 'pymongo',
  haystack: 'haystack-ai',
  ImageHash: 'ImageHash',
  jose: 'python-jose',
  jwt: 'PyJWT',
  kafka: 'kafka-python',
  ldap: 'python-ldap',
  llama_cpp: 'llama-cpp-python',
  lxml_html_clean: 'lxml-html-clean',
  magic: 'python-magic',
  markdown: 'Markdown',
  mpl_toolkits: 'matplotlib',
  multipart: 'python-multipart',
  nacl: 'PyNaCl',
  onnxruntime: 'onnxruntime',
  openai_whisper: 'openai-whisper',
  pkg_resources: 'setuptools',
  psycopg2: 'psycopg2-binary',
  pydub: 'pydub',
  pynvml: 'nvidia-ml-py',
  pytesseract: 'pytesseract',
  pythonjsonlogger: 'python-json-logger',
  pywt: 'PyWavelets',
  rest_framework: 'djangorestframework',
  ruamel: 'ruamel.yaml',
  sentence_transformers: 'sentence-transformers',
  serial: 'pyserial',
  skimage: 'scikit-image',
  sklearn: 'scikit-learn',
  slugify: 'python-slugify',
  socketio: 'python-socketio',
  soundfile: 'soundfile',
  speech_recognition: 'SpeechRecognition',
  telegram: 'python-telegram-bot',
  TTS: 'coqui-tts',
  umap: 'umap-learn',
  usb: 'pyusb',
  websocket: 'websocket-client',
  whisper: 'openai-whisper',
  wx: 'wxPython',
  yaml: 'PyYAML',
  zmq: 'pyzmq',
};

/** Packages whose module has the same name, but for `-`: those that apps import most. */
const sameNames = new Set(
  `accelerate aiobotocore aiofiles aiohttp airflow albumentations alembic altair anthropic anyio arrow asgiref asyncpg
  backoff bcrypt beanie bitsandbytes bokeh boto boto3 botocore cachetools catboost celery certifi chainlit chardet
  chromadb click clip cloudpickle cohere colorama coqpit cryptography ctranslate2 cython dash dask databases datasets
  deepspeed diffusers django dlib docker easyocr einops elasticsearch emoji evaluate exllamav2 fairseq fastapi fastembed
  faster_whisper feedparser flask flask_cors flask_sqlalchemy flax fsspec ftfy gensim gevent geopandas gradio groq
  gunicorn h11 h5py httptools httpx huggingface_hub hydra hypercorn imageio imblearn insightface instructor itsdangerous
  jax jaxlib jinja2 joblib jsonschema keras kornia langchain langchain_community langchain_core langchain_openai langdetect
  langgraph librosa lightgbm lightning litellm litestar llama_index loguru lxml mangum marshmallow matplotlib mediapipe
  minio mlflow modal moviepy msgpack mujoco mypy_boto3 mysql mlx nemo networkx nltk notebook numba numpy ollama omegaconf
  onnx onnxruntime open_clip openai openpyxl optimum optuna orjson outlines pandas paramiko passlib peewee peft
  pgvector pinecone playwright plotly polars prefect prometheus_client prophet psutil psycopg pyarrow pydantic
  pydantic_settings pygments pymongo pymysql pyodbc pypdf pyspark pytest pytorch_lightning pytz qdrant_client quart
  rapidfuzz ray redis regex reportlab requests rich rq s3fs sacremoses safetensors sanic scipy seaborn selenium
  sentencepiece sentry_sdk shap sglang simplejson six soxr spacy speechbrain sqlalchemy sqlmodel sse_starlette starlette
  statsmodels streamlit stripe structlog supabase sympy tabulate tenacity tensorboard tensorflow termcolor textblob
  tiktoken timm tokenizers toml tomli torch torchaudio torchmetrics torchvision tornado tqdm transformers triton trl
  twilio typer typing_extensions tzdata ujson ultralytics unstructured urllib3 uvicorn uvloop validators vllm wandb
  watchfiles weasyprint weaviate websockets werkzeug xformers xgboost xmltodict yfinance youtube_dl yt_dlp`.split(
    /\s+/,
  ),
);

/**
 * `opencv-python-headless` for `cv2`, `python-dotenv` for `dotenv.main`, `flask-cors` for `flask_cors`. Undefined for a
 * name that is not known: it may be a module of the app, and a stranger may own that name on PyPI.
 */
export function packageOf(module: string): string | undefined {
  const [top = module, next] = module.split('.');
  const name = next === undefined ? undefined : packages[`${top}.${next}`];
  if (name !== undefined) return name;
  if (Object.hasOwn(packages, top)) return packages[top];
  return sameNames.has(top) ? top.replaceAll('_', '-') : undefined;
}
