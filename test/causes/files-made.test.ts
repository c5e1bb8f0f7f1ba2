import { expect, test } from 'vitest';
import { custom, type Files, seen } from './looked.ts';

test.each(
  Object.entries<Files>({
    'a package that commands of the build make': {
      'cerebrium.toml': `${custom('["python", "bot.py"]', 'shell_commands = ["mkdir -p wire && touch wire/__init__.py", "python -m grpc_tools.protoc -I . --python_out=wire a.proto"]\n')}[cerebrium.dependencies.pip]\ngrpcio-tools = "latest"\n`,
      'a.proto': 'syntax = "proto3";\n',
      'bot.py': 'from wire import a_pb2\n\nprint(a_pb2)\n',
    },
    'a client that a generator writes': {
      'cerebrium.toml': `${custom('["python", "bot.py"]', 'shell_commands = ["openapi-python-client generate --url https://example.com/a.json --output-path=petstore"]\n')}[cerebrium.dependencies.pip]\nopenapi-python-client = "latest"\nhttpx = "latest"\n`,
      'bot.py': 'import petstore\n\nprint(petstore)\n',
    },
    'weights that a library fetches by their names': {
      'cerebrium.toml': `${custom('["python", "bot.py"]')}[cerebrium.dependencies.apt]\nlibgl1 = "latest"\n[cerebrium.dependencies.pip]\nultralytics = "latest"\n`,
      'bot.py':
        'from ultralytics import SAM, YOLO\n\nmodels = YOLO("yolo11s-seg.pt"), YOLO("yolov8x6.pt"), SAM("sam2.1_b.pt"), YOLO("yolov5su.pt")\n',
    },
  }),
)('%s is not missing', async (_, files) => {
  expect(await seen(files)).toEqual([]);
});

test('weights of its own are missing', async () => {
  const files = {
    'cerebrium.toml': `${custom('["python", "bot.py"]')}[cerebrium.dependencies.apt]\nlibgl1 = "latest"\n[cerebrium.dependencies.pip]\nultralytics = "latest"\n`,
    'bot.py': 'from ultralytics import YOLO\n\nmodel = YOLO("yolov8-plates.pt")\n',
  };
  expect(await seen(files)).toEqual(['warning yolov8-plates.pt is not in the app']);
});
