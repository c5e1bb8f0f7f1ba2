/** The Debian packages of programs that apps start, for programs that Python packages do not bring. */
const packages: Readonly<Record<string, string>> = {
  aria2c: 'aria2',
  chromedriver: 'chromium-driver',
  chromium: 'chromium',
  convert: 'imagemagick',
  curl: 'curl',
  dot: 'graphviz',
  espeak: 'espeak-ng',
  'espeak-ng': 'espeak-ng',
  exiftool: 'libimage-exiftool-perl',
  ffmpeg: 'ffmpeg',
  ffprobe: 'ffmpeg',
  git: 'git',
  'git-lfs': 'git-lfs',
  gs: 'ghostscript',
  identify: 'imagemagick',
  java: 'default-jre-headless',
  jq: 'jq',
  libreoffice: 'libreoffice',
  mysql: 'default-mysql-client',
  mysqldump: 'default-mysql-client',
  nc: 'netcat-openbsd',
  nginx: 'nginx',
  ninja: 'ninja-build',
  node: 'nodejs',
  npm: 'npm',
  pandoc: 'pandoc',
  pdfinfo: 'poppler-utils',
  pdftoppm: 'poppler-utils',
  pdftotext: 'poppler-utils',
  pg_isready: 'postgresql-client',
  ping: 'iputils-ping',
  poppler: 'poppler-utils',
  ps: 'procps',
  psql: 'postgresql-client',
  'redis-cli': 'redis-tools',
  rsync: 'rsync',
  soffice: 'libreoffice',
  sox: 'sox',
  ssh: 'openssh-client',
  sudo: 'sudo',
  supervisord: 'supervisor',
  tesseract: 'tesseract-ocr',
  unzip: 'unzip',
  wget: 'wget',
  xvfb: 'xvfb',
  'xvfb-run': 'xvfb',
  zip: 'zip',
};

/** `poppler-utils` for `pdftoppm`; undefined if it is not known. */
export function debianPackageOfProgram(program: string): string | undefined {
  const name = program.toLowerCase();
  return Object.hasOwn(packages, name) ? packages[name] : undefined;
}

/** The packages of PyPI whose programs apps start. Others have the name of a program that they are not, such as docker. */
const pythonPackages: Readonly<Record<string, string>> = {
  accelerate: 'accelerate',
  alembic: 'alembic',
  celery: 'celery',
  daphne: 'daphne',
  'django-admin': 'django',
  fastapi: 'fastapi[standard]',
  flask: 'flask',
  gunicorn: 'gunicorn',
  hf: 'huggingface-hub',
  'huggingface-cli': 'huggingface-hub',
  hypercorn: 'hypercorn',
  jupyter: 'jupyter',
  mlflow: 'mlflow',
  playwright: 'playwright',
  poetry: 'poetry',
  pytest: 'pytest',
  ray: 'ray',
  streamlit: 'streamlit',
  torchrun: 'torch',
  uv: 'uv',
  uvicorn: 'uvicorn',
  vllm: 'vllm',
};

/** `uvicorn` for `uvicorn`, `torch` for `torchrun`; undefined if it is not known. */
export function pythonPackageOfProgram(program: string): string | undefined {
  return Object.hasOwn(pythonPackages, program) ? pythonPackages[program] : undefined;
}
