import { expect, test } from 'vitest';
import { type Files, pip, problemsOf, settings } from './looked.ts';

const custom = (command: string, port = 8000, rest = '') =>
  `[cerebrium.runtime.custom]\nport = ${port}\nentrypoint = ${command}\n${rest}`;
const docker = (port = 8000, rest = '') =>
  settings(`[cerebrium.runtime.custom]\nport = ${port}\ndockerfile_path = "./Dockerfile"\n${rest}`);
const uvicorn = '["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"]';
const fastapi =
  'from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get("/health")\ndef health():\n    return 1\n';
const dollar = '$';
const run = 'def run():\n    return 1\n';

test.each(
  Object.entries<Files>({
    'modules of a namespace whose package has another name': {
      'cerebrium.toml': settings(pip('protobuf', 'googleapis-common-protos', 'django-ninja')),
      'main.py': `from google.protobuf import json_format\nfrom google.rpc import status_pb2\nfrom ninja import NinjaAPI\n\nuses = json_format, status_pb2, NinjaAPI\n\n\n${run}`,
    },
    'modules that the code makes, and that a command of the build renames or generates': {
      'cerebrium.toml': settings(
        pip('grpcio', 'grpcio-tools'),
        'shell_commands = ["mv settings_prod.py settings.py", "python -m grpc_tools.protoc -I. --python_out=. echo.proto"]\n',
      ),
      'main.py': `import sys\nfrom unittest.mock import MagicMock\n\nsys.modules["flash_attn"] = MagicMock()\nimport echo_pb2\nimport flash_attn\nimport settings\n\nuses = echo_pb2, flash_attn, settings\n\n\n${run}`,
      'settings_prod.py': 'X = 1\n',
      'echo.proto': 'syntax = "proto3";\n',
    },
    'what is imported as a script only, installed by the code itself, or given to a module': {
      'cerebrium.toml': settings(),
      'main.py': `import subprocess\nimport sys\n\nimport state\n\nsubprocess.check_call([sys.executable, "-m", "pip", "install", "httpx"])\nimport httpx\n\nstate.client = httpx.Client()\n\n\ndef run():\n    return state.client\n\n\nif __name__ == "__main__":\n    import rich\n\n    rich.print(run())\n`,
      'state.py': 'started = True\n',
    },
    'a module that is imported by the name in a text, after the one that names it': {
      'cerebrium.toml': settings(`${pip('celery', 'redis')}${custom('["celery", "-A", "reports.queue", "worker"]')}`),
      'reports/__init__.py': '',
      'reports/queue.py':
        'from celery import Celery\n\napp = Celery("reports", broker="redis://db.example.com", include=["reports.tasks"])\n',
      'reports/tasks.py': 'from .queue import app\n\n\n@app.task\ndef add(a, b):\n    return a + b\n',
    },
    'files and programs that the code does without': {
      'cerebrium.toml': settings(),
      'main.py': `import contextlib\nimport json\nimport shutil\nimport subprocess\n\ntry:\n    local = json.load(open("local.json"))\nexcept OSError:\n    local = {}\nwith contextlib.suppress(FileNotFoundError):\n    with open("more.json") as file:\n        local |= json.load(file)\nif shutil.which("ffmpeg"):\n    subprocess.run(["ffmpeg", "-version"])\n\n\n${run}`,
      'data.json': '{}\n',
    },
    'an address in a variable of the command alone': {
      'cerebrium.toml': settings(
        custom(
          '["sh", "-c", "GUNICORN_CMD_ARGS=--bind=0.0.0.0:8000 gunicorn main:app"]',
          8000,
          pip('flask', 'gunicorn'),
        ),
      ),
      'main.py': 'from flask import Flask\n\napp = Flask(__name__)\n',
    },
    'a server in front that has paths of its own': {
      'cerebrium.toml': docker(8080, 'healthcheck_endpoint = "/v1/health"\n'),
      Dockerfile:
        'FROM caddy:2 AS caddy\nFROM python:3.12-slim\nCOPY --from=caddy /usr/bin/caddy /usr/bin/caddy\nRUN pip install fastapi uvicorn\nWORKDIR /srv\nCOPY . .\nCMD ["bash", "start.sh"]\n',
      'start.sh': 'uvicorn main:app --port 9000 &\nexec caddy run --config Caddyfile\n',
      Caddyfile: ':8080 {\n  handle_path /v1/* {\n    reverse_proxy localhost:9000\n  }\n}\n',
      'main.py': fastapi,
    },
    'a server whose address is in its keywords': {
      'cerebrium.toml': settings(custom('["python", "main.py"]', 8000, pip('fastapi', 'uvicorn'))),
      'main.py': `import uvicorn\n${fastapi}\n\noptions = {"host": "0.0.0.0", "port": 8000}\nif __name__ == "__main__":\n    uvicorn.run(app, **options)\n`,
    },
    'daphne with a host alone': {
      'cerebrium.toml': settings(
        custom('["daphne", "-b", "0.0.0.0", "-p", "8000", "main:app"]', 8000, pip('fastapi', 'daphne')),
      ),
      'main.py': fastapi,
    },
    'the module of the platform': {
      'cerebrium.toml': settings(pip('numpy')),
      'main.py': `from cerebrium import get_secret\nimport numpy\n\nkey = get_secret("KEY")\nzero = numpy.zeros(1)\n\n\n${run}`,
    },
    'modules of a repository that the build clones, where the code adds its folder, and where it does not': {
      'cerebrium.toml': settings(
        pip('numpy'),
        'pre_build_commands = ["git clone https://example.com/org/segment-anything /opt/sam", "cd /opt && git clone https://example.com/org/Depth_Pro.git && cd Depth_Pro && pip install ."]\n',
      ),
      'main.py': `import os\nimport sys\n\nsys.path.append(os.environ.get("SAM", "/opt/sam"))\nimport numpy\nfrom segment_anything import SamPredictor\nimport depth_pro\n\nfirst = SamPredictor, depth_pro, numpy\n\n\n${run}`,
    },
    'imports that the code asks for first, and a class that another stands in for': {
      'cerebrium.toml': settings(custom(uvicorn, 8000, pip('fastapi', 'uvicorn'))),
      'main.py': `import importlib.util\n\nFLASH = importlib.util.find_spec("flash_attn") is not None\nif FLASH:\n    from flash_attn import flash_attn_func\ntry:\n    import xformers\n    HAS_XFORMERS = True\nexcept ImportError:\n    HAS_XFORMERS = False\nif HAS_XFORMERS:\n    import xformers.ops\ntry:\n    from fastapi.responses import ORJSONResponse as Response\n    import orjson\nexcept ImportError:\n    from fastapi.responses import JSONResponse as Response\n\n\n${fastapi}`,
    },
    'packages of another stage below /usr/local, and routes below a path of a variable': {
      'cerebrium.toml': docker(8000, 'healthcheck_endpoint = "/api/health"\n'),
      Dockerfile:
        'FROM python:3.12-slim AS deps\nRUN pip install --prefix=/install fastapi uvicorn\n\nFROM python:3.12-slim\nENV ROOT=/api\nWORKDIR /srv\nCOPY --from=deps /install /usr/local\nCOPY main.py .\nCMD exec uvicorn main:app --host 0.0.0.0 --port 8000\n',
      'main.py':
        'import os\n\nfrom fastapi import APIRouter, FastAPI\n\nrouter = APIRouter(prefix=os.getenv("ROOT", ""))\n\n\n@router.get("/health")\ndef health():\n    return "ok"\n\n\napp = FastAPI()\napp.include_router(router)\n',
    },
    'apt that is told of one package, which needs no other': {
      'cerebrium.toml': docker(),
      Dockerfile:
        'FROM python:3.12-bookworm\nRUN apt-get update && apt-get install dumb-init\nWORKDIR /srv\nCOPY main.py .\nRUN pip install fastapi uvicorn\nCMD ["dumb-init", "--", "uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"]\n',
      'main.py': fastapi,
    },
    'files that only the script opens, that are looked for, that a volume has, or that a function makes': {
      'cerebrium.toml': docker(),
      Dockerfile:
        'FROM python:3.12-slim\nWORKDIR /srv\nCOPY . .\nRUN pip install fastapi uvicorn onnxruntime\nCMD ["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"]\n',
      'main.py': `import os\n\nimport onnxruntime\nfrom model import convert_to_onnx\n\nplaces = ["/srv/model.py", "/srv/lib/model.py", "/opt/model.py"]\nfound = [each for each in places if os.path.exists(each)]\nface = os.path.join(os.getenv("FACES", "/persistent-storage/faces"), "face.jpg")\nout = "./net.onnx"\nconvert_to_onnx(out)\nsession = onnxruntime.InferenceSession(out)\n${fastapi}`,
      'model.py':
        'def convert_to_onnx(path):\n    return path\n\n\nif __name__ == "__main__":\n    with open("sample.jpeg", "rb") as sample:\n        print(sample.read())\n',
      'face.jpg': 'jpeg',
    },
    'uv where its installer is told to put it, or where the PATH looks': {
      'cerebrium.toml': docker(),
      Dockerfile:
        'FROM python:3.12-slim\nRUN apt-get update && apt-get install -y curl\nRUN curl -LsSf https://astral.sh/uv/install.sh | sh\nENV PATH="/root/.local/bin:$PATH"\nWORKDIR /srv\nCOPY main.py .\nRUN uv pip install --system fastapi uvicorn\nCMD ["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"]\n',
      'main.py': fastapi,
    },
    'modules made on demand': {
      'cerebrium.toml': settings(),
      'main.py': `from lazy import heavy, light\n\n${run}`,
      'lazy/__init__.py':
        'import importlib\n\n\ndef __getattr__(name):\n    return importlib.import_module(f"lazy.{name}")\n',
      'lazy/heavy.py': '',
    },
    'a project in src that the build installs': {
      'cerebrium.toml': settings(
        custom('["uvicorn", "shop.api:app", "--host", "0.0.0.0", "--port", "8000"]'),
        'shell_commands = ["pip install ."]\n',
      ),
      'pyproject.toml':
        '[build-system]\nrequires = ["setuptools"]\n\n[project]\nname = "shop"\nversion = "1"\ndependencies = ["fastapi", "uvicorn", "orjson; platform_python_implementation == \\"CPython\\""]\n',
      'src/shop/__init__.py': '',
      'src/shop/api.py': `${fastapi}\n\nimport orjson  # noqa\n`,
    },
    'a package that another stage installs, and scripts beside it that import it': {
      'cerebrium.toml': docker(),
      Dockerfile:
        'FROM python:3.12-slim AS build\nWORKDIR /src\nRUN python -m venv /venv\nCOPY pyproject.toml ./\nCOPY src ./src\nRUN /venv/bin/pip install .\nFROM python:3.12-slim\nCOPY --from=build /venv /venv\nWORKDIR /home/app\nCOPY migrations ./migrations\nEXPOSE 8000\nCMD ["/venv/bin/shop", "--port", "8000"]\n',
      'pyproject.toml':
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n\n[project]\nname = "shop"\nversion = "1"\n\n[project.scripts]\nshop = "shop.cli:main"\n',
      'src/shop/__init__.py': '',
      'src/shop/cli.py': 'def main():\n    return 0\n',
      'src/shop/tables.py': 'metadata = None\n',
      'migrations/env.py': 'from shop.tables import metadata\n\nprint(metadata)\n',
    },
    'settings whose names other variables end with': {
      'cerebrium.toml': docker(),
      Dockerfile:
        'FROM python:3.12-slim\nWORKDIR /srv\nRUN pip install fastapi uvicorn pydantic-settings\nENV REDIS_HOST=127.0.0.1 REDIS_PORT=6379\nCOPY . .\nEXPOSE 8000\nCMD ["python", "main.py"]\n',
      'settings.py':
        'from pydantic_settings import BaseSettings\n\n\nclass Settings(BaseSettings):\n    host: str = "0.0.0.0"\n    port: int = 8000\n\n\nsettings = Settings()\n',
      'main.py': `import uvicorn\n\nfrom settings import settings\n${fastapi}\n\nif __name__ == "__main__":\n    uvicorn.run(app, host=settings.host, port=settings.port)\n`,
    },
    'a folder of the app that is installed, and a repository with the name of a module': {
      'cerebrium.toml': settings(
        '[cerebrium.dependencies.apt]\ngit = "latest"\n[cerebrium.dependencies.paths]\npip = "requirements.txt"\n',
      ),
      'requirements.txt': '-e ./libs/shop\ngit+https://github.com/me/cv2.git\n',
      'libs/shop/pyproject.toml': '[project]\nname = "shop"\nversion = "1"\n',
      'libs/shop/shop/__init__.py': 'x = 1\n',
      'main.py': `from shop import x\nimport cv2\n\n${run}`,
    },
    'a folder of the app that a command installs': {
      'cerebrium.toml': settings('', 'shell_commands = ["pip install ./libs/shop"]\n'),
      'libs/shop/setup.py': 'from setuptools import setup\n\nsetup(name="shop", packages=["shop"])\n',
      'libs/shop/shop/__init__.py': 'x = 1\n',
      'main.py': `from shop import x\n\n${run}`,
    },
    'imports that others stand in for, which are there': {
      'cerebrium.toml': settings(pip('fastapi')),
      'src/speech.py': 'voice = 1\n',
      'main.py': `try:\n    from src.speech import voice\nexcept ImportError:\n    from speech import voice\ntry:\n    import tomllib\nexcept ModuleNotFoundError:\n    import tomli as tomllib\ntry:\n    import fastapi\nexcept ImportError:\n    import starlite as fastapi\n\n${run}`,
    },
    'names that old versions had, where the code does without them': {
      'cerebrium.toml': settings(pip('torchaudio', 'numpy')),
      'main.py':
        'import numpy as np\nimport torchaudio\n\ntry:\n    torchaudio.set_audio_backend("soundfile")\nexcept Exception:\n    pass\ntry:\n    kind = np.float_\nexcept AttributeError:\n    kind = np.float64\nif hasattr(torchaudio, "get_audio_backend"):\n    print(torchaudio.get_audio_backend())\n\n\ndef run():\n    return str(kind)\n',
    },
    'a constant that is called like a variable of the image': {
      'cerebrium.toml': docker(),
      Dockerfile:
        'FROM python:3.12-slim\nWORKDIR /srv\nRUN pip install fastapi uvicorn\nENV METRICS_PORT=9000 LISTEN=9001\nCOPY . .\nEXPOSE 8000\nCMD ["python", "main.py"]\n',
      'config.py': 'LISTEN = 8000\n',
      'main.py': `import uvicorn\n\nimport config\n${fastapi}\n\nif __name__ == "__main__":\n    uvicorn.run(app, host="0.0.0.0", port=config.LISTEN)\n`,
    },
    'routes of Go below a prefix': {
      'cerebrium.toml': docker(8000, 'healthcheck_endpoint = "/-/healthy"\n'),
      Dockerfile:
        'FROM golang:1.23 AS build\nWORKDIR /src\nCOPY . .\nRUN go build -o /web .\nFROM gcr.io/distroless/static\nCOPY --from=build /web /web\nEXPOSE 8000\nENTRYPOINT ["/web"]\n',
      'go.mod': 'module example.org/web\n\ngo 1.22\n',
      'main.go':
        'package main\n\nfunc main() {\n\tr := router()\n\tr.Route("/-", func(r Router) { r.Get("/healthy", ok) })\n\tr.Get("/items", items)\n\tserve(":8000", r)\n}\n',
    },
    'editable requirements, markers and constraints': {
      'cerebrium.toml': settings('[cerebrium.dependencies.paths]\npip = "requirements.txt"\n'),
      'requirements.txt':
        '-e ./libs/common\n-c constraints.txt\nnumpy<2; python_version < "3.12"\nnumpy>=2; python_version >= "3.12"\npywin32; sys_platform == "win32"\nrequests[socks]>=2.31, <3  # bounds\n',
      'constraints.txt': 'requests==2.32.3\nurllib3<3\n',
      'libs/common/pyproject.toml': '[project]\nname = "common"\nversion = "0"\n',
      'libs/common/common/__init__.py': 'x = 1\n',
      'main.py': `import sys\n\nsys.path.insert(0, "libs/common")\nimport numpy\nimport requests\nfrom common import x\n\n${run}`,
    },
    'a Dockerfile with an argument, a heredoc and two stages': {
      'cerebrium.toml': docker(8000),
      Dockerfile: `ARG PYTHON=3.11\nARG BASE=python:$PYTHON-slim\nFROM $BASE AS build\nWORKDIR /w\nCOPY requirements.txt .\nRUN <<EOF\napt-get update\napt-get install -y gcc\npip wheel -r requirements.txt -w /wheels\nEOF\nFROM --platform=$TARGETPLATFORM $BASE\nWORKDIR /srv\nCOPY --from=build /wheels /wheels\nRUN pip install --no-index --find-links /wheels uvicorn fastapi\nCOPY <<EOF /srv/settings.json\n{"debug": false}\nEOF\nCOPY main.py .\nENV PORT=8000\nCMD exec uvicorn main:app --host 0.0.0.0 --port ${dollar}{PORT:-8000}\n`,
      'requirements.txt': 'fastapi\nuvicorn\n',
      'main.py': fastapi,
    },
    'a script that the Dockerfile writes for the start': {
      'cerebrium.toml': docker(8000),
      Dockerfile:
        'FROM python:3.12-slim\nWORKDIR /srv\nRUN pip install fastapi uvicorn\nRUN cat > /start.sh <<\'EOF\'\n#!/bin/sh\npython manage.py migrate\nnginx\nexec uvicorn main:app --host 0.0.0.0 --port 8000\nEOF\nRUN apt-get update && apt-get install -y nginx && chmod +x /start.sh\nCOPY . .\nEXPOSE 8100 8000\nCMD ["/start.sh"]\n',
      'manage.py': 'print(1)\n',
      'main.py': fastapi,
    },
    'a script that replaces itself, with a default port': {
      'cerebrium.toml': settings(custom('["sh", "start.sh"]', 8080) + pip('fastapi', 'uvicorn', 'gunicorn')),
      'start.sh': `#!/bin/sh\nset -eu\n: "${dollar}{WORKERS:=2}"\nif [ -n "${dollar}{DEBUG:-}" ]; then\n  echo debug\nfi\nexec gunicorn main:app -k uvicorn.workers.UvicornWorker -b "0.0.0.0:${dollar}{PORT:-8080}" -w "$WORKERS"\n`,
      'main.py': fastapi,
    },
    'code made from a description': {
      'cerebrium.toml': settings(
        custom(uvicorn) + pip('fastapi', 'uvicorn', 'grpcio', 'grpcio-tools', 'protobuf'),
        'shell_commands = ["python -m grpc_tools.protoc -I proto --python_out=. --grpc_python_out=. proto/shop.proto"]\n',
      ),
      'proto/shop.proto': 'syntax = "proto3";\n',
      'main.py': `import grpc\nimport shop_pb2\nimport shop_pb2_grpc\n${fastapi}`,
    },
    'packages that the app brings itself': {
      'cerebrium.toml': settings(),
      'main.py': `import os\nimport sys\n\nsys.path.append(os.path.join(os.path.dirname(__file__), "vendor"))\n\nimport tinylib\nfrom tinylib.parts import part\n\n${run}`,
      'vendor/tinylib/__init__.py': '',
      'vendor/tinylib/parts.py': 'part = 1\n',
    },
    'data that the build makes': {
      'cerebrium.toml': settings('', 'shell_commands = ["python make.py", "mkdir -p cache && touch cache/done.txt"]\n'),
      'make.py': 'import json\n\njson.dump({}, open("index.json", "w"))\n',
      'main.py': `import json\n\nINDEX = json.load(open("index.json"))\nDONE = open("cache/done.txt").read()\n\n${run}`,
    },
    'another module where one is missing': {
      'cerebrium.toml': settings(pip('requests')),
      'main.py': `import sys\n\nif sys.version_info >= (3, 11):\n    import tomllib\nelse:\n    import tomli as tomllib\ntry:\n    import orjson as json\nexcept ModuleNotFoundError:\n    import json\n\n\ndef run():\n    try:\n        import torch\n    except Exception:\n        return json.dumps(tomllib.loads(""))\n    return torch.zeros(1).tolist()\n`,
    },
    'routers in routers, and an app that is mounted': {
      'cerebrium.toml': settings(
        custom(
          uvicorn,
          8000,
          'healthcheck_endpoint = "/api/v1/ops/health"\nreadycheck_endpoint = "/files/ready.txt"\n',
        ) + pip('fastapi', 'uvicorn'),
      ),
      'main.py':
        'from fastapi import APIRouter, FastAPI\nfrom fastapi.staticfiles import StaticFiles\n\nfrom routes import ops\nfrom routes.ops import router as other\n\napp = FastAPI()\nv1 = APIRouter(prefix="/v1")\nv1.include_router(ops.router)\napp.include_router(v1, prefix="/api")\napp.include_router(other)\napp.mount("/files", StaticFiles(directory="files"))\n',
      'routes/ops.py':
        'from fastapi import APIRouter\n\nrouter = APIRouter(prefix="/ops")\n\n\n@router.get("/health")\ndef health():\n    return 1\n',
      'files/ready.txt': 'ready\n',
    },
    'routes in a list': {
      'cerebrium.toml': settings(
        custom(uvicorn, 8000, 'healthcheck_endpoint = "/-/ok"\n') + pip('starlette', 'uvicorn'),
      ),
      'main.py':
        'from starlette.applications import Starlette\nfrom starlette.responses import Response\nfrom starlette.routing import Mount, Route\n\n\ndef ok(request):\n    return Response()\n\n\nprobes = [Route("/ok", ok)]\napp = Starlette(routes=[Mount("/-", routes=probes), Route("/{name}", ok)])\n',
    },
    'a blueprint with a prefix of its own': {
      'cerebrium.toml': settings(
        custom(
          '["gunicorn", "web:create_app()", "-b", "0.0.0.0:8000"]',
          8000,
          'healthcheck_endpoint = "/ops/health"\n',
        ) + pip('flask', 'gunicorn'),
      ),
      'web/__init__.py':
        'from flask import Flask\n\nfrom .ops import bp\n\n\ndef create_app():\n    app = Flask(__name__)\n    app.register_blueprint(bp)\n    return app\n',
      'web/ops.py':
        'from flask import Blueprint\n\nbp = Blueprint("ops", __name__, url_prefix="/ops")\n\n\n@bp.route("/health")\ndef health():\n    return "ok"\n',
    },
    'settings of gunicorn that are code': {
      'cerebrium.toml': settings(
        custom('["gunicorn", "-c", "conf/gunicorn.py", "main:app"]') + pip('fastapi', 'uvicorn', 'gunicorn'),
      ),
      'conf/gunicorn.py':
        'import multiprocessing\nimport os\n\nbind = f"0.0.0.0:{os.environ.get(\'PORT\', \'8000\')}"\nworkers = multiprocessing.cpu_count()\nworker_class = os.environ.get("WORKER", "uvicorn.workers.UvicornWorker")\n',
      'main.py': fastapi,
    },
    'nginx before two servers on localhost': {
      'cerebrium.toml': docker(8080),
      Dockerfile:
        'FROM python:3.11-slim\nRUN apt-get update && apt-get install -y nginx supervisor\nWORKDIR /srv\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\nCOPY . .\nCOPY nginx.conf /etc/nginx/conf.d/app.conf\nCOPY supervisord.conf /etc/supervisor/conf.d/app.conf\nCMD ["/usr/bin/supervisord", "-n"]\n',
      'requirements.txt': 'fastapi\nuvicorn\n',
      'nginx.conf': 'server {\n  listen 8080;\n  location / { proxy_pass http://127.0.0.1:9001; }\n}\n',
      'supervisord.conf':
        '[program:nginx]\ncommand=nginx -g "daemon off;"\n\n[program:one]\ncommand=uvicorn main:app --port 9001\ndirectory=/srv\n',
      'main.py': fastapi,
    },
    'options of the command line, and a port of a file': {
      'cerebrium.toml': settings(
        custom('["python", "serve.py", "--port", "8000"]') + pip('fastapi', 'uvicorn', 'pyyaml'),
      ),
      'serve.py':
        'import argparse\nfrom pathlib import Path\n\nimport uvicorn\nimport yaml\n\nfrom main import app\n\nparser = argparse.ArgumentParser()\nparser.add_argument("--port", type=int, default=5000)\nargs = parser.parse_args()\nsettings = yaml.safe_load(Path("settings.yaml").read_text())\nuvicorn.run(app, host=settings["host"], port=args.port)\n',
      'settings.yaml': 'host: 0.0.0.0\nport: 9000\n',
      'main.py': fastapi,
    },
    'settings that the image overrides': {
      'cerebrium.toml': docker(8443),
      Dockerfile:
        'FROM python:3.11-slim\nWORKDIR /srv\nRUN pip install aiohttp pydantic-settings\nCOPY . .\nENV BOT_PORT=8443 BOT_HOST=0.0.0.0\nCMD ["python", "-m", "bot"]\n',
      'bot/__init__.py': '',
      'bot/__main__.py':
        'from aiohttp import web\n\nfrom bot.config import settings\n\nweb.run_app(web.Application(), host=settings.host, port=settings.port)\n',
      'bot/config.py':
        'from pydantic_settings import BaseSettings, SettingsConfigDict\n\n\nclass Settings(BaseSettings):\n    model_config = SettingsConfigDict(env_prefix="BOT_")\n    host: str = "127.0.0.1"\n    port: int = 9000\n\n\nsettings = Settings()\n',
    },
    'an environment of conda': {
      'cerebrium.toml': docker(8000),
      Dockerfile:
        'FROM continuumio/miniconda3\nWORKDIR /srv\nCOPY environment.yml .\nRUN conda env create -f environment.yml -n app && conda clean -afy\nCOPY main.py .\nCMD ["conda", "run", "--no-capture-output", "-n", "app", "uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"]\n',
      'environment.yml':
        'name: app\nchannels: [conda-forge]\ndependencies:\n  - python=3.11\n  - gdal\n  - pip\n  - pip:\n      - fastapi\n      - uvicorn\n',
      'main.py': `from osgeo import gdal\n${fastapi}`,
    },
    'uv with a lock file': {
      'cerebrium.toml': docker(8000),
      Dockerfile:
        'FROM ghcr.io/astral-sh/uv:python3.12-bookworm-slim\nWORKDIR /app\nCOPY pyproject.toml uv.lock ./\nRUN uv sync --frozen --no-install-project --no-dev\nCOPY . .\nRUN uv sync --frozen --no-dev\nENV PATH="/app/.venv/bin:$PATH"\nCMD ["fastapi", "run", "main.py", "--port", "8000"]\n',
      'pyproject.toml':
        '[project]\nname = "app"\nversion = "1"\nreadme = "README.md"\nrequires-python = ">=3.12"\ndependencies = ["fastapi[standard]"]\n\n[tool.uv]\npackage = false\n',
      'uv.lock': 'version = 1\nrequires-python = ">=3.12"\n',
      'README.md': '# app\n',
      'main.py': fastapi,
    },
    'poetry without its package': {
      'cerebrium.toml': docker(8000),
      Dockerfile:
        'FROM python:3.11-slim\nRUN pip install poetry==1.8.3\nWORKDIR /app\nCOPY pyproject.toml poetry.lock* ./\nRUN poetry config virtualenvs.create false && poetry install --no-root --only main\nCOPY app ./app\nCMD ["uvicorn", "app.main:app", "--host", "0.0.0.0", "--port", "8000"]\n',
      'pyproject.toml':
        '[tool.poetry]\nname = "app"\nversion = "1"\ndescription = ""\nauthors = []\nreadme = "README.md"\n\n[tool.poetry.dependencies]\npython = "^3.11"\nfastapi = "^0.115"\nuvicorn = { extras = ["standard"], version = "*" }\n',
      'app/__init__.py': '',
      'app/main.py': fastapi,
    },
    'nvidia with a newer Python of another archive': {
      'cerebrium.toml': docker(8000),
      Dockerfile:
        'FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nENV DEBIAN_FRONTEND=noninteractive\nRUN apt-get update && apt-get install -y software-properties-common curl && add-apt-repository ppa:deadsnakes/ppa && apt-get install -y python3.12 && curl -sS https://bootstrap.pypa.io/get-pip.py | python3.12\nRUN ln -s /usr/bin/python3.12 /usr/local/bin/python\nCOPY . /srv\nWORKDIR /srv\nRUN python -m pip install fastapi uvicorn\nCMD ["python", "-m", "uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"]\n',
      'main.py': `import tomllib\n${fastapi}`,
    },
    'the tools of a whole image': {
      'cerebrium.toml': docker(8000),
      Dockerfile:
        'FROM python:3.11\nWORKDIR /srv\nRUN git clone --depth 1 https://github.com/example/model.git && cd model && make && pip install .\nRUN wget -q https://example.com/a.zip && unzip a.zip\nCOPY main.py .\nRUN pip install fastapi uvicorn\nCMD ["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"]\n',
      'main.py': `import model\n${fastapi}`,
    },
    'a server of MCP over HTTP': {
      'cerebrium.toml': settings(
        custom('["python", "server.py"]', 8100, 'healthcheck_endpoint = "/health"\n') + pip('fastmcp'),
      ),
      'server.py':
        'from fastmcp import FastMCP\nfrom starlette.responses import PlainTextResponse\n\nmcp = FastMCP("tools")\n\n\n@mcp.custom_route("/health", methods=["GET"])\nasync def health(request):\n    return PlainTextResponse("ok")\n\n\nif __name__ == "__main__":\n    mcp.run(transport="http", host="0.0.0.0", port=8100)\n',
    },
    'files of a loop, and of another encoding': {
      'cerebrium.toml': settings(),
      'main.py': `import json\nfrom pathlib import Path\n\nHERE = Path(__file__).parent\nTEXTS = {name: json.loads((HERE / "texts" / f"{name}.json").read_text()) for name in ("en", "de")}\nOLD = (HERE / "old.csv").read_text(encoding="latin-1")\n\nfor name in ["out"]:\n    (HERE / f"{name}.json").write_text("{}")\n\n${run}`,
      'texts/en.json': '{}',
      'texts/de.json': '{}',
      'old.csv': 'a,b\n',
    },
    'several classes of one name, and names made at run time': {
      'cerebrium.toml': settings(),
      'main.py': `from models import *\nfrom models import User, Role\nfrom plugins import load\n\nload("a")\n\n${run}`,
      'models/__init__.py': 'from .user import User\nfrom .role import *\n\n__all__ = ["User", "Role"]\n',
      'models/user.py': 'class User:\n    pass\n',
      'models/role.py': 'class Role:\n    pass\n',
      'plugins/__init__.py':
        'import pkgutil\nfrom importlib import import_module\n\n\ndef load(name):\n    for each in pkgutil.iter_modules(__path__):\n        import_module(f"{__name__}.{each.name}")\n',
      'plugins/a.py': '',
    },
    'honcho with a Procfile': {
      'cerebrium.toml': docker(5000),
      Dockerfile:
        'FROM python:3.11-slim\nWORKDIR /srv\nCOPY . .\nRUN pip install honcho flask gunicorn\nENV PORT=5000\nCMD ["honcho", "start", "web"]\n',
      Procfile: 'web: gunicorn web:app --bind 0.0.0.0:$PORT\nworker: python work.py\n',
      'web.py': 'from flask import Flask\n\napp = Flask(__name__)\n',
      'work.py': 'print(1)\n',
    },
    'an image of another language with tools of its own': {
      'cerebrium.toml': docker(3000),
      Dockerfile:
        'FROM node:20-slim AS web\nWORKDIR /w\nCOPY package.json .\nRUN corepack enable && npm install\nFROM node:20-slim\nENV PORT=3000\nWORKDIR /w\nCOPY --from=web /w/node_modules ./node_modules\nCOPY . .\nUSER node\nEXPOSE 3000\nCMD ["node", "server.js"]\n',
      'package.json': '{"name": "web", "type": "module"}\n',
      'server.js': 'import http from "node:http";\n\nhttp.createServer().listen(process.env.PORT ?? 8080);\n',
    },
    'pip of Ubuntu': {
      'cerebrium.toml': docker(),
      Dockerfile:
        'FROM ubuntu:22.04\nRUN apt-get update && apt-get install -y python3 python3-pip\nWORKDIR /app\nCOPY . .\nRUN pip install fastapi uvicorn onnxruntime\nCMD ["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"]\n',
      'main.py': fastapi,
    },
    'a tool of npm before the files': {
      'cerebrium.toml': docker(),
      Dockerfile:
        'FROM node:20-bookworm-slim\nWORKDIR /a\nRUN apt-get update && apt-get install -y python3 make g++ && npm i -g pnpm\nCOPY package.json .\nRUN pnpm install\nCOPY . .\nENV PORT=8000\nCMD ["npm", "start"]\n',
      'package.json': '{"scripts": {"start": "node s.js"}}\n',
      's.js': 'require("http").createServer().listen(process.env.PORT);\n',
    },
    'an address without a host, and a pin that a later command replaces': {
      'cerebrium.toml': docker(),
      Dockerfile:
        'FROM python:3.12-slim\nWORKDIR /a\nRUN pip install flask gunicorn numpy==1.26.4 && pip install "numpy>=2"\nCOPY . .\nCMD gunicorn -b :8000 app:app\n',
      'app.py': 'from flask import Flask\n\napp = Flask(__name__)\nSCHEMA = open("schema.sql").read()\n',
      'schema.sql': 'create table a (b int);\n',
    },
    'an app with routes of its own below a path': {
      'cerebrium.toml': docker(8000, 'healthcheck_endpoint = "/api/ping"\n'),
      Dockerfile:
        'FROM python:3.12-alpine\nRUN apk add --no-cache bash curl\nWORKDIR /a\nCOPY . .\nRUN pip install -r requirements.txt\nCMD ["bash", "run.sh"]\n',
      'requirements.txt': 'starlette==0.41.3\nuvicorn==0.32.0\n',
      'run.sh': '#!/usr/bin/env bash\nset -e\nuvicorn web.main:create --factory --host 0.0.0.0 --port 8000\n',
      'web/__init__.py': '',
      'web/main.py':
        'from starlette.applications import Starlette\nfrom starlette.routing import Mount\n\nfrom . import api\n\n\ndef create():\n    return Starlette(routes=[Mount("/api", app=api.app)])\n',
      'web/api.py':
        'from starlette.applications import Starlette\nfrom starlette.routing import Route\n\n\nasync def health(request):\n    pass\n\n\napp = Starlette(routes=[Route("/ping", health)])\n',
    },
    'options of click, and packages of another stage': {
      'cerebrium.toml': docker(),
      Dockerfile:
        'FROM python:3.12 AS builder\nRUN pip install --prefix=/install click aiohttp\nFROM python:3.12-slim\nCOPY --from=builder /install /usr/local\nWORKDIR /a\nCOPY run.py .\nCMD ["python", "run.py", "serve", "--port", "8000", "--host", "0.0.0.0"]\n',
      'run.py':
        'import click\nfrom aiohttp import web\n\n\n@click.command()\n@click.option("--port", default=5000)\n@click.option("--host", default="127.0.0.1")\ndef serve(port, host):\n    web.run_app(web.Application(), port=port, host=host)\n\n\nserve()\n',
    },
    'a package that python -m runs, whose parts import it by dots': {
      'cerebrium.toml': settings(
        '[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ["env", "A=1", "python", "-m", "news.web"]\n',
      ),
      'news/__init__.py': 'from .web.app import serve\n',
      'news/web/__init__.py': '',
      'news/web/__main__.py': 'from .app import serve\n\nserve()\n',
      'news/web/app.py':
        'import http.server\n\n\ndef serve():\n    http.server.HTTPServer(("0.0.0.0", 8000), None).serve_forever()\n',
    },
    'one project of a workspace, with another one that it needs': {
      'cerebrium.toml': docker(8000),
      Dockerfile:
        'FROM python:3.12-slim\nCOPY --from=ghcr.io/astral-sh/uv:0.9.0 /uv /usr/local/bin/uv\nWORKDIR /repo\nCOPY . .\nRUN uv sync --package shop-api --no-dev\nENV PATH="/repo/.venv/bin:$PATH"\nCMD ["uvicorn", "api.app:app", "--host", "0.0.0.0", "--port", "8000"]\n',
      'pyproject.toml': '[tool.uv.workspace]\nmembers = ["libs/*", "services/*"]\n',
      'libs/money/pyproject.toml': '[project]\nname = "shop_money"\nversion = "1"\ndependencies = ["msgspec"]\n',
      'libs/money/src/money/__init__.py': 'import msgspec\n\nprint(msgspec)\n',
      'services/api/pyproject.toml':
        '[project]\nname = "shop-api"\nversion = "1"\ndependencies = ["starlette", "uvicorn", "shop-money"]\n\n[tool.uv.sources]\nshop-money = { workspace = true }\n',
      'services/api/src/api/__init__.py': '',
      'services/api/src/api/app.py':
        'from money import msgspec\nfrom starlette.applications import Starlette\n\napp = Starlette()\nprint(msgspec)\n',
    },
    'a project in a folder that pip installs by its path': {
      'cerebrium.toml': docker(8000),
      Dockerfile:
        'FROM python:3.12-slim\nWORKDIR /a\nCOPY . .\nRUN pip install -e libs/money && pip install starlette uvicorn\nCMD ["uvicorn", "app:app", "--host", "0.0.0.0", "--port", "8000"]\n',
      'libs/money/pyproject.toml': '[project]\nname = "money"\nversion = "1"\ndependencies = ["msgspec"]\n',
      'libs/money/src/money/__init__.py': 'import msgspec\n\nprint(msgspec)\n',
      'app.py':
        'from money import msgspec\nfrom starlette.applications import Starlette\n\napp = Starlette()\nprint(msgspec)\n',
    },
  }),
)('an app that is odd and works has no problems: %s', async (_, files) => {
  const problems = await problemsOf(files);
  expect(problems.map(({ severity, message, why }) => `${severity} ${message} (${why})`)).toEqual([]);
});
