import { expect, test } from 'vitest';
import { custom, docker, type Files, pip, seen } from './looked.ts';

const flask = (code: string) => ({
  'cerebrium.toml': `${custom('["gunicorn", "-b", "0.0.0.0:8000", "web:app"]')}${pip('flask', 'gunicorn')}`,
  'web.py': `from flask import Flask, render_template\n\napp = Flask(__name__)\n\n\n@app.get("/")\ndef home():\n    ${code}\n`,
});
const starlette = (code: string) => ({
  'cerebrium.toml': `${custom('["uvicorn", "web:app", "--host", "0.0.0.0", "--port", "8000"]')}${pip('starlette', 'jinja2')}`,
  'web.py': `from starlette.applications import Starlette\nfrom starlette.staticfiles import StaticFiles\n\napp = Starlette()\n${code}\n`,
});
test.each<[string, Files, string]>([
  [
    'a template',
    { ...flask('return render_template("orders.html")'), 'templates/order.html': '{{ x }}' },
    'warning web.py names the template orders.html, which the app does not have',
  ],
  [
    'a template that another one extends',
    { ...flask('return render_template("home.html")'), 'templates/home.html': '{% extends "layout.html" %}' },
    'warning templates/home.html names the template layout.html, which the app does not have',
  ],
  [
    'a template in the folder of another app',
    {
      ...flask('return render_template("shop/cart.html")'),
      'shop/__init__.py': '',
      'shop/templates/cart.html': '{{ x }}',
    },
    'warning web.py names the template shop/cart.html, which the app does not have',
  ],
  [
    'templates that the image does not have',
    {
      ...flask('return render_template("home.html")'),
      'cerebrium.toml': docker,
      Dockerfile:
        'FROM python:3.12-slim\nWORKDIR /srv\nRUN pip install flask gunicorn\nCOPY web.py .\nCMD ["gunicorn", "-b", "0.0.0.0:8000", "web:app"]\n',
      'templates/home.html': '{{ x }}',
    },
    'warning web.py names the template home.html, which the image does not have',
  ],
  [
    'a folder of files',
    { ...starlette('app.mount("/files", StaticFiles(directory="public/files"))'), 'static/a.css': '' },
    'warning web.py names the folder public/files, which the app does not have',
  ],
])('what is not there is named: %s', async (_, files, expected) => {
  expect(await seen(files)).toEqual([expected]);
});

test.each(
  Object.entries<Files>({
    'templates of folders, and one that may be missing': {
      ...flask('return render_template("mail/welcome.txt")'),
      'templates/mail/welcome.txt': '{% extends "base.txt" %}{% include "foot.txt" ignore missing %}',
      'templates/base.txt': '{% block a %}{% endblock %}',
    },
    'templates that packages bring': {
      ...flask('return render_template("admin/site.html")'),
      'templates/admin/site.html': '{% extends "admin/base.html" %}{% include "bootstrap5/a.html" %}',
    },
    'templates of a text': {
      ...starlette(
        'from jinja2 import DictLoader, Environment\n\npage = Environment(loader=DictLoader({"a.html": "{{ x }}"})).get_template("a.html")',
      ),
    },
    'a folder that the code makes': starlette(
      'import os\n\nos.makedirs("uploads", exist_ok=True)\napp.mount("/files", StaticFiles(directory="uploads"))',
    ),
    'a folder that need not be there': starlette(
      'app.mount("/files", StaticFiles(directory="uploads", check_dir=False))',
    ),
    'a folder of another disk': starlette('app.mount("/files", StaticFiles(directory="/persistent-storage/files"))'),
  }),
)('what is fine has no problems: %s', async (_, files) => {
  expect(await seen(files)).toEqual([]);
});
