import { expect, test } from 'vitest';
import { serverOf, unwrapped } from '../../src/app/shell.ts';

/** What a command starts: `module:attribute`, or a script. */
function startedBy(line: string): string | undefined {
  const { module, attribute, script } = serverOf(unwrapped(line.split(' '))) ?? {};
  return script ?? (attribute === undefined ? module : `${module}:${attribute}`);
}

test.each([
  ['python -W ignore main.py', 'main.py'],
  ['python -u -X dev -W error::UserWarning main.py serve', 'main.py'],
  ['python3.11 --check-hash-based-pycs always ./main.py', 'main.py'],
  ['python -uW ignore main.py -m x', 'main.py'],
  ['python -W ignore -m shop.main', 'shop.main'],
  ['python -um shop.main', 'shop.main'],
  ['python -mshop.main', 'shop.main'],
  ['env A=1 python -umuvicorn main:app', 'main:app'],
  ['python -X importtime -m uvicorn --workers 2 main:app', 'main:app'],
  ['python -Im gunicorn --preload wsgi', 'wsgi:application'],
  ['python -u -c print(1)', undefined],
  ['python', undefined],
  ['./main.py', 'main.py'],
  ['uvicorn --log-config conf:a main:app', 'main:app'],
  ['uvicorn --reload --env-file a:b --factory main:make', 'main:make'],
  ['uvicorn --no-access-log main:app', 'main:app'],
  ['uvicorn --proxy-headers main:app --port 80', 'main:app'],
  ['gunicorn --preload wsgi', 'wsgi:application'],
  ['gunicorn -D -w 4 --name shop wsgi', 'wsgi:application'],
  ['gunicorn --worker-class uvicorn.workers.UvicornWorker shop.main:app', 'shop.main:app'],
  ['gunicorn -k gevent -b unix:run shop:app', 'shop:app'],
  ['gunicorn --name=shop --reuse-port shop:make()', 'shop:make'],
  ['flask --app shop.web --debug run', 'shop.web'],
  ['litestar --app shop.web:app run --reload', 'shop.web:app'],
  ['streamlit run --server.fileWatcherType none --theme.base dark app.py', 'app.py'],
  ['streamlit run --global.x conf.py app.py', 'app.py'],
  ['fastapi run --root-path api.py web.py', 'web.py'],
  ['chainlit run -h -w app.py', 'app.py'],
  ['waitress-serve --call shop:make', 'shop:make'],
  ['arq --burst shop.worker.Settings', 'shop.worker:Settings'],
  ['arq --watch src shop.worker.Settings', 'shop.worker:Settings'],
  ['dramatiq --pid-file run shop.tasks', 'shop.tasks'],
  ['dramatiq --verbose -p 2 shop.tasks', 'shop.tasks'],
])('%s starts %s', (line, started) => {
  expect(startedBy(line)).toBe(started);
});
