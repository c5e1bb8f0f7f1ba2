/** Config files in the habits of real users: what they deploy, and the files beside it. None of them has a mistake. */
export interface Habit {
  title: string;
  toml: string;
  files?: Record<string, string>;
}

const head = (name: string, more = '') => `[cerebrium.deployment]\nname = "${name}"\ndisable_auth = false\n${more}`;
const custom = (entrypoint: string, port: number, more = '') =>
  `[cerebrium.runtime.custom]\nport = ${port}\nentrypoint = ${entrypoint}\n${more}`;
const a10 = '[cerebrium.hardware]\ncpu = 4\nmemory = 16.0\ncompute = "AMPERE_A10"\ngpu_count = 1\n';
const pip = (...lines: string[]) => `[cerebrium.dependencies.pip]\n${lines.join('\n')}\n`;
const dockerfile =
  '[cerebrium.runtime.custom]\nport = 8192\nhealthcheck_endpoint = "/health"\ndockerfile_path = "./Dockerfile"\n';

const comments = `# made by hand
[cerebrium.deployment] # the app
name = "commented" # its name = unique
# name = "other"
disable_auth = false # "true" would be public
include = [
  "./*", # all
  "main.py",
  # "data/*",
  "cerebrium.toml",
]
exclude = [".*"]# hidden
[cerebrium.hardware] # small
cpu = 2 # cores
memory = 8.0 # GB
`;

const full = `[cerebrium.deployment]
name = "everything"
python_version = "3.11"
docker_base_image_url = "debian:bookworm-slim"
disable_auth = false
include = ["./*", "main.py", "cerebrium.toml"]
exclude = ["./example_exclude", ".*"]
shell_commands = []
pre_build_commands = []
use_uv = true
deployment_initialization_timeout = 830
[cerebrium.hardware]
cpu = 4.0
memory = 32.0
compute = "ADA_L40"
gpu_count = 1
provider = "aws"
region = "us-east-1"
[cerebrium.scaling]
min_replicas = 1
max_replicas = 5
cooldown = 60
replica_concurrency = 10
response_grace_period = 3600
scaling_metric = "cpu_utilization"
scaling_target = 80
evaluation_interval_seconds = 30
load_balancing_algorithm = "min-connections"
compute_tier = "protected"
roll_out_duration_seconds = 60
[cerebrium.runtime]
container_runtime = "v2"
[cerebrium.experimental]
checkpointing = true
`;

const python = (version: string): Habit => ({
  title: `Python ${version}`,
  toml: head('versions', `python_version = "${version}"\n`),
});

export const habits: Habit[] = [
  {
    title: 'FastAPI with uvicorn',
    toml: `${head('api')}${custom('["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "5000"]', 5000, 'healthcheck_endpoint = "/health"\nreadycheck_endpoint = "/ready"\n')}${pip('fastapi = "latest"', 'uvicorn = "latest"')}`,
  },
  {
    title: 'an entrypoint as one string',
    toml: `${head('api')}${custom('"uvicorn main:app --host 0.0.0.0 --port 8000"', 8000)}`,
  },
  {
    title: 'a server in a src folder',
    toml: `${head('api')}${custom("['uvicorn', 'src.server.main:app', '--host', '0.0.0.0', '--port', '8080']", 8080)}`,
    files: { 'src/server/main.py': '', 'src/server/__init__.py': '' },
  },
  {
    title: 'vllm serve',
    toml: `${head('vllm-api')}${a10}${custom('["vllm", "serve", "meta-llama/Llama-3.1-8B", "--port", "8000"]', 8000)}${pip('vllm = "==0.6.3"')}`,
    files: {},
  },
  {
    title: 'the server of vllm as a module',
    toml: `${head('vllm-api')}${a10}${custom('["python", "-m", "vllm.entrypoints.openai.api_server", "--port", "8000"]', 8000)}${pip('vllm = "latest"')}`,
    files: {},
  },
  {
    title: 'Gradio',
    toml: `${head('gradio')}${a10}${custom('["python", "app.py"]', 7860)}${pip('gradio = ">=4,<5"', 'torch = "latest"')}`,
    files: { 'app.py': '' },
  },
  {
    title: 'Streamlit',
    toml: `${head('dashboard')}${custom('["streamlit", "run", "app.py", "--server.port", "8501"]', 8501)}${pip('streamlit = "latest"')}`,
    files: { 'app.py': '' },
  },
  {
    title: 'a LiveKit agent',
    toml: `${head('voice-agent', 'python_version = "3.11"\n')}[cerebrium.hardware]\nregion = "us-east-1"\nprovider = "aws"\ncompute = "CPU"\ncpu = 3\nmemory = 8\n[cerebrium.scaling]\nmin_replicas = 1 # one always runs\nmax_replicas = 5\ncooldown = 180\n${custom('["python", "main.py", "start"]', 8600)}${pip('"livekit-agents[openai, silero, deepgram]" = "~=1.0"', 'python-dotenv = "latest"')}`,
  },
  {
    title: 'a Pipecat agent',
    toml: `${head('pipecat')}${pip('torch = ">=2.0.0"', '"pipecat-ai[silero, daily, openai]" = "==0.0.67"', 'aiohttp = ">=3.9.4"')}[cerebrium.dependencies.conda]\n\n[cerebrium.dependencies.apt]\n`,
  },
  {
    title: 'ComfyUI from a clone',
    toml: `${head('comfyui', 'pre_build_commands = ["apt update", "apt-get install -y git", "git clone https://github.com/comfyanonymous/ComfyUI"]\n')}${a10}${custom('["python", "ComfyUI/main.py", "--listen", "0.0.0.0", "--port", "8188"]', 8188)}`,
    files: { 'workflow.json': '{}' },
  },
  {
    title: 'a Dockerfile',
    toml: `${head('docker')}${dockerfile}`,
    files: { Dockerfile: 'FROM python:3.12\nCOPY . .\nCMD ["python", "server.py"]\n', 'server.py': '' },
  },
  {
    title: 'a Dockerfile that copies the generated list of packages',
    toml: `${head('docker')}${dockerfile}${pip('fastapi = "latest"')}`,
    files: {
      Dockerfile:
        'FROM python:3.12\nCOPY requirements.txt ./\nRUN pip install -r requirements.txt\nCOPY . .\nCMD ["sleep", "9"]\n',
    },
  },
  {
    title: 'a Dockerfile that copies everything and installs the generated list',
    toml: `${head('docker')}${dockerfile}${pip('fastapi = "latest"')}`,
    files: {
      Dockerfile:
        'FROM python:3.12\nWORKDIR /app\nCOPY . /app\nRUN pip install --no-cache-dir \\\n  -r /app/requirements.txt\nCMD ["sleep", "9"]\n',
    },
  },
  {
    title: 'a Dockerfile with its own list of packages',
    toml: `${head('docker')}${dockerfile}`,
    files: {
      Dockerfile: 'FROM python:3.12\nCOPY requirements.txt .\nCMD ["sleep", "9"]\n',
      'requirements.txt': 'fastapi\n',
    },
  },
  { title: 'Deepgram', toml: `${head('deepgram')}[cerebrium.runtime.deepgram]\n${a10}`, files: {} },
  {
    title: 'Rime',
    toml: `${head('rime')}[cerebrium.runtime.rime]\nport = 8001\nmodel_name = "arcana"\nlanguage = "en"\n${a10}`,
    files: {},
  },
  {
    title: 'conda and apt packages',
    toml: `${head('conda')}[cerebrium.dependencies.conda]\ncuda = ">=11.7"\ncudatoolkit = "11.7"\n[cerebrium.dependencies.apt]\nffmpeg = "latest"\n"libsndfile1" = "latest"\n`,
  },
  {
    title: 'commands of the build',
    toml: head(
      'commands',
      'shell_commands = ["python -c \'import torch\'", "echo done"]\npre_build_commands = ["apt-get update"]\n',
    ),
  },
  { title: 'Windows line breaks', toml: `${head('crlf')}${a10}${pip('numpy = "latest"')}`.replaceAll('\n', '\r\n') },
  { title: 'a byte-order mark', toml: `\ufeff${head('bom')}${a10}` },
  { title: 'comments everywhere', toml: comments },
  {
    title: 'dotted keys',
    toml: '[cerebrium]\ndeployment.name = "dotted"\ndeployment.disable_auth = false\nhardware.cpu = 2\nhardware.memory = 4.0\n',
  },
  {
    title: 'inline tables',
    toml: 'cerebrium.deployment = { name = "inline", disable_auth = false }\ncerebrium.hardware = { cpu = 1, memory = 2.0 }\n',
  },
  {
    title: 'a list of accelerators',
    toml: `${head('choices')}[cerebrium.hardware]\ncompute = ["AMPERE_A100_80GB", "HOPPER_H100"]\ngpu_count = 2\ncpu = 8\nmemory = 64\n`,
  },
  ...['3.10', '3.11', '3.12', '3.13'].map(python),
  {
    title: 'a requirements file',
    toml: `${head('listed')}[cerebrium.dependencies.paths]\npip = "requirements.txt"\n`,
    files: {
      'main.py': 'def run(): ...\n',
      'requirements.txt': 'numpy==1.26\n# comment\n-r more.txt\n',
      'more.txt': 'torch\n',
    },
  },
  {
    title: 'a requirements file that says the same as the section',
    toml: `${head('same')}${pip('numpy = "latest"', 'pandas = ">=2"')}`,
    files: { 'main.py': 'def run(): ...\n', 'requirements.txt': '# for pip install -r\npandas>=2\nnumpy\n' },
  },
  {
    title: 'eight H100',
    toml: `${head('large')}[cerebrium.hardware]\ncompute = "HOPPER_H100"\ngpu_count = 8\ncpu = 64\nmemory = 512\n`,
  },
  { title: 'a CUDA image', toml: head('cuda', 'docker_base_image_url = "nvidia/cuda:12.1.1-runtime-ubuntu22.04"\n') },
  {
    title: 'an image with its own server',
    toml: `${head('infinity', 'docker_base_image_url = "michaelf34/infinity:0.0.77"\n')}${a10}${custom('["uvicorn", "infinity_emb.infinity_server:app", "--port", "7997"]', 7997)}`,
    files: {},
  },
  {
    title: 'an image of Amazon with Node',
    toml: `${head('node', 'docker_base_image_url = "public.ecr.aws/docker/library/node:20"\n')}${custom('["node", "server.js"]', 3000)}`,
    files: { 'server.js': '' },
  },
  {
    title: 'gunicorn',
    toml: `${head('gunicorn')}${custom('["gunicorn", "app.wsgi:application", "-b", "0.0.0.0:8000", "--workers", "2"]', 8000)}${pip('gunicorn = "latest"')}`,
    files: { 'app/wsgi.py': '' },
  },
  {
    title: 'a start script',
    toml: `${head('script')}${custom('["bash", "start.sh"]', 8000)}`,
    files: { 'start.sh': 'uvicorn main:app --host 0.0.0.0\n' },
  },
  {
    title: 'a module of one’s own',
    toml: `${head('module')}${custom('["python", "-m", "app.server"]', 9000)}`,
    files: { 'app/server.py': '' },
  },
  { title: 'a name with capitals and underscores', toml: head('1-langchain_QA.v2') },
  {
    title: 'a quarter of a core',
    toml: `${head('small')}[cerebrium.hardware]\ncpu = 0.25\nmemory = 0.5\ncompute = "CPU"\n`,
  },
  { title: 'every setting', toml: full },
  {
    title: 'requests per second',
    toml: `${head('rps')}[cerebrium.scaling]\nscaling_metric = "requests_per_second"\nscaling_target = 250\nscaling_buffer = 2\nmax_replicas = 20\n`,
  },
  {
    title: 'Inferentia',
    toml: `${head('inferentia')}[cerebrium.hardware]\nregion = "us-east-1"\nprovider = "aws"\ncompute = "INF2"\ncpu = 6\nmemory = 60.0\ngpu_count = 1\n[cerebrium.dependencies.pip]\n\n[cerebrium.dependencies.apt]\nwget = "latest"\n`,
  },
  {
    title: 'B200 at Nebius',
    toml: `${head('b200')}[cerebrium.hardware]\nprovider = "nebius"\nregion = "us-central1"\ncompute = "BLACKWELL_B200"\ncpu = 16\nmemory = 128\n`,
  },
  {
    title: 'packages from git, with markers and extras',
    toml: `${head('packages')}${pip('diffusers = "git+https://github.com/huggingface/diffusers.git@main"', '"uvicorn[standard]" = ""', 'numpy = ">=1.20,<2; python_version < \'3.13\'"', 'bitsandbytes = "*"', 'tokenizers = "0.19.1"')}`,
  },
  {
    title: 'one service of a larger repository',
    toml: `${head('service', 'include = ["./services/api/*", "./shared/**/*.py", "cerebrium.toml"]\nexclude = ["tests/", "*.md"]\n')}${custom('["python", "services/api/main.py"]', 8000)}`,
    files: { 'services/api/main.py': '', 'shared/a/b.py': '', 'tests/x.py': '', 'README.md': '' },
  },
  {
    title: 'a project with development files around it',
    toml: `${head('tidy', 'include = ["*"]\nexclude = [".*", "tests", "*.ipynb", "data/"]\n')}`,
    files: {
      'main.py': 'def run(): ...\n',
      '.env': 'A=1',
      '.gitignore': '*.log',
      'tests/a.py': '',
      'x.ipynb': '{}',
      'data/a.bin': '',
    },
  },
  {
    title: 'Triton',
    toml: `${head('triton', 'docker_base_image_url = "nvcr.io/nvidia/tritonserver:24.05-py3"\n')}${a10}${custom('["tritonserver", "--model-repository=/persistent-storage/models"]', 8000)}`,
    files: { 'notes.txt': '' },
  },
  {
    title: 'Django with migrations',
    toml: `${head('shop', 'include = ["*"]\nexclude = [".git", ".venv", "venv", "__pycache__", "*.pyc", ".env"]\nshell_commands = [\n  "python manage.py migrate",\n  "python manage.py collectstatic --noinput"\n]\npre_build_commands = []\n')}${custom('["python", "start.py"]', 8000, 'healthcheck_endpoint = "/health/"\n')}[cerebrium.dependencies.paths]\npip = "requirements.txt"\n`,
    files: { 'start.py': '', 'manage.py': '', 'requirements.txt': 'django\n', 'venv/bin/x': '', '.env': 'A=1' },
  },
  {
    title: 'names in columns, with comments in a list of commands',
    toml: `[cerebrium.deployment]\nname           = "comfyui"\ndisable_auth   = false\nshell_commands = [\n\n  # -- 1. system\n  "apt-get update -qq && apt-get install -y git",\n  "uv pip install --system 'torch~=2.10.0' --index-url https://download.pytorch.org/whl/cu130",\n  "[ -f /app/x.yaml ] && cp /app/x.yaml /root/x.yaml || echo 'none'",\n]\n[cerebrium.hardware]\ncompute   = "ADA_L4"   # for now\ngpu_count = 1\nmemory    = 24.0            # GB\n${pip('Pillow       = ">=10.0.0"', 'PyYAML       = ">=6.0"')}`,
  },
  {
    title: 'a Dockerfile for uv, and files by name',
    toml: `${head('float', 'include = [\n    "pyproject.toml",\n    "uv.lock",\n    "Dockerfile",\n    "worker.py",\n    "models/*.py",\n    "assets/avatar.jpg",\n]\n')}${dockerfile}`,
    files: {
      Dockerfile: 'FROM python:3.11\nCOPY . .\nEXPOSE 8192\nCMD ["python","worker.py"]\n',
      'pyproject.toml': '',
      'uv.lock': '',
      'worker.py': '',
      'models/a.py': '',
      'assets/avatar.jpg': '',
    },
  },
  {
    title: 'a Node server in a Dockerfile of another name',
    toml: `${head('node', 'include = ["src/**", "package*.json", "start.sh", "Dockerfile.node"]\nexclude = [".*", "node_modules", "dist", "fly.toml"]\n')}[cerebrium.runtime.custom]\nport = 3001\ndockerfile_path = "./Dockerfile.node"\n# the command is in the Dockerfile\n`,
    files: {
      'Dockerfile.node': 'FROM node:20\nCOPY . .\nRUN chmod +x start.sh\nCMD ["./start.sh"]\n',
      'src/index.ts': '',
      'package.json': '{}',
      'package-lock.json': '{}',
      'start.sh': '',
      'fly.toml': '',
    },
  },
  {
    title: 'settings that were commented out',
    toml: `${head('alex')}${custom('["python", "main.py", "start"]', 8080)}\n#[cerebrium.runtime.custom]\n#port = 8081\n#dockerfile_path = "./Dockerfile"\n\n#[env]\n#PYTHONUNBUFFERED = '1'\n`,
  },
  {
    title: 'an own requirements.txt that is excluded',
    toml: `${head('demo', "include = ['main.py', 'bot.py', 'cerebrium.toml']\nexclude = ['infra/', 'Dockerfile', 'task*.json', '*.sh', 'requirements.txt', '.gitignore']\n")}${pip('torch = ">=2.0.0"', '"pipecat-ai[silero, daily]" = "0.0.47"')}`,
    files: {
      'main.py': 'def run(): ...\n',
      'bot.py': '',
      Dockerfile: '',
      'requirements.txt': 'torch\n',
      'a.sh': '',
      'infra/a.tf': '',
    },
  },
  {
    title: 'requirements with an index and a repository',
    toml: `${head('sesame')}[cerebrium.dependencies.paths]\npip = "requirements.txt"\n[cerebrium.dependencies.apt]\nffmpeg = "latest"\ngit = "latest"\n`,
    files: {
      'main.py': 'def run(): ...\n',
      'requirements.txt':
        'torch==2.4.0\n--extra-index-url https://example.com/whl\n-e git+https://example.com/a#egg=b\n',
    },
  },
  {
    title: 'a web server without Python',
    toml: `${head('page', 'include = ["./*"]\nexclude = [".*"]\n')}${dockerfile}[cerebrium.scaling]\nmin_replicas = 1\nmax_replicas = 1\ncooldown = 3600\n`,
    files: { Dockerfile: 'FROM nginx\nCOPY index.html /usr/share/nginx/html/\n', 'index.html': '' },
  },
  {
    title: 'a shell command that is empty',
    toml: `${head('mori', 'include = ["./*"]\nexclude = [".*"]\nshell_commands = [""]\n')}${dockerfile}`,
    files: { Dockerfile: 'FROM node:20\nCOPY . .\nCMD npm start\n', 'index.js': '', 'node_modules/a/i.js': '' },
  },
  {
    title: 'quotes and backslashes in a command',
    toml: `${head('quotes', `shell_commands = [\n    "find /opt -name 'libnvrtc.so.12' -exec ln -sf {} /usr/lib/ \\\\; || true",\n    "ldconfig"\n]\n`)}`,
  },
  {
    title: 'only cores',
    toml: `${head('burst')}[cerebrium.hardware]\ncpu = 16\n[cerebrium.scaling]\nmin_replicas = 10\nmax_replicas = 10\nreplica_concurrency = 1000\n`,
  },
  {
    title: 'no cooldown',
    toml: `${head('latent')}${a10}[cerebrium.scaling]\nmin_replicas = 0\ncooldown = 0\n[cerebrium.dependencies]\n\n[cerebrium.dependencies.apt]\nlibgl1 = "latest"\n`,
  },
  {
    title: 'Ollama behind nginx',
    toml: `${head('1-ollama', 'include = ["./*", "Dockerfile", "nginx.conf"]\nexclude = [".*", "ollama/**"]\ndeployment_initialization_timeout = 830\n')}[cerebrium.runtime.custom]\nport = 11434\nhealthcheck_endpoint = "/"\ndockerfile_path = "./Dockerfile"\n`,
    files: { Dockerfile: 'FROM ollama/ollama\nCOPY nginx.conf /\n', 'nginx.conf': '', 'ollama/x': '' },
  },
  {
    title: 'keys that are indented more and more',
    toml: `[cerebrium.deployment]\nname = "deep"\n  disable_auth = false\n    exclude = [\n        ".*",\n            "tests/*"\n            ]\n                [cerebrium.hardware]\n                cpu = 16\n                memory = 128.0\n                compute = "AMPERE_A100_80GB"\n                    \n`,
    files: { 'main.py': 'def run(): ...\n', 'tests/a.py': '' },
  },
];
