import { describe, expect, test } from 'vitest';
import { custom, docker, type Files, seen } from './looked.ts';

const dollar = '$';
const image = (rest: string, base = 'node:22-slim') => `FROM ${base}\nWORKDIR /srv\nCOPY . .\n${rest}EXPOSE 8000\n`;
const node = (set: string) => ({
  'cerebrium.toml': docker,
  Dockerfile: image(`ENV ${set}\nCMD ["node", "server.js"]\n`),
});
const python = (code: string) => ({
  'cerebrium.toml': custom('["python", "bot.py"]'),
  'bot.py': `import os\n\n${code}`,
});

describe('a variable that another name is set for', () => {
  test.each<[string, Files, string]>([
    [
      'of Node, which throws without it',
      {
        ...node('MAIL_SERVER=smtp.example.com'),
        'server.js': 'const host = process.env.MAIL_HOST;\nif (!host) {\n  throw new Error("no host");\n}\n',
      },
      'server.js needs MAIL_HOST, and Dockerfile sets MAIL_SERVER',
    ],
    [
      'of Node, taken out of the environment',
      {
        ...node('SITE=x'),
        'server.js': '',
        'site.js': 'const { SITE_TITLE } = process.env;\nif (!SITE_TITLE) process.exit(1);\n',
      },
      'site.js needs SITE_TITLE, and Dockerfile sets SITE',
    ],
    [
      'of Go',
      {
        'cerebrium.toml': docker,
        Dockerfile: image('ENV QUEUE_ADDRESS=q:1\nCMD ["go", "run", "."]\n', 'golang:1.24'),
        'main.go':
          'package main\n\nimport ("log"; "os")\n\nfunc main() {\n\taddr := os.Getenv("QUEUE_ADDR")\n\tif addr == "" {\n\t\tlog.Fatal("no queue")\n\t}\n}\n',
      },
      'main.go needs QUEUE_ADDR, and Dockerfile sets QUEUE_ADDRESS',
    ],
    [
      'of Rust',
      {
        'cerebrium.toml': docker,
        Dockerfile: image('ENV FEED_FILE=/f\nCMD ["cargo", "run"]\n', 'rust:1.85'),
        'src/main.rs': 'fn main() {\n    let list = std::env::var("FEED_LIST").expect("FEED_LIST");\n}\n',
      },
      'src/main.rs needs FEED_LIST, and Dockerfile sets FEED_FILE',
    ],
    [
      'of Spring',
      {
        'cerebrium.toml': docker,
        Dockerfile: image('ENV TAX_RATE_PERCENT=8\nCMD ["java", "org.example.Web"]\n', 'eclipse-temurin:21-jre'),
        'src/main/resources/application.yml': `tax:\n  percent: ${dollar}{TAX_PERCENT}\n`,
      },
      'src/main/resources/application.yml needs TAX_PERCENT, and Dockerfile sets TAX_RATE_PERCENT',
    ],
    [
      'of settings with a prefix',
      {
        'cerebrium.toml': docker,
        Dockerfile: image(
          'RUN pip install pydantic-settings\nENV MENU_CURENCY=EUR\nCMD ["python", "conf.py"]\n',
          'python:3.12-slim',
        ),
        'conf.py':
          'from pydantic_settings import BaseSettings, SettingsConfigDict\n\n\nclass Conf(BaseSettings):\n    model_config = SettingsConfigDict(env_prefix="MENU_")\n    currency: str\n\n\nconf = Conf()\n',
      },
      'conf.py needs MENU_CURRENCY, and Dockerfile sets MENU_CURENCY',
    ],
    [
      'as the example of the environment has it',
      { ...python('bucket = os.environ["PHOTO_BUCKET"]\n'), '.env.example': 'PHOTOS_BUCKET=\n' },
      'bot.py needs PHOTO_BUCKET, and .env.example names PHOTOS_BUCKET',
    ],
    [
      'as the description of the app has it',
      { ...python('key = os.environ["MISTRAL_KEY"]\n'), 'README.md': 'Set the secret `MISTRAL_API_KEY` first.\n' },
      'bot.py needs MISTRAL_KEY, and README.md names MISTRAL_API_KEY',
    ],
  ])('%s', async (_, files, expected) => {
    expect(await seen(files)).toEqual([`warning ${expected}`]);
  });

  test.each(
    Object.entries<Files>({
      'that is set itself': {
        ...node('MAIL_HOST=a MAIL_SERVER=b'),
        'server.js': 'const host = process.env.MAIL_HOST;\nif (!host) throw new Error();\n',
      },
      'that has a default': {
        ...node('MAIL_SERVER=b'),
        'server.js': 'const host = process.env.MAIL_HOST;\nconst used = host ?? "localhost";\n',
      },
      'whose other name is read, too': {
        ...node('MAIL_SERVER=b'),
        'server.js':
          'const host = process.env.MAIL_HOST;\nif (!host) throw new Error();\nconst other = process.env.MAIL_SERVER;\n',
      },
      'whose other name a start script uses': {
        'cerebrium.toml': docker,
        Dockerfile: image('ENV MAIL_SERVER=b\nCMD ["sh", "start.sh"]\n'),
        'start.sh': 'export MAIL_HOST_NAME="$MAIL_SERVER"\nexec node server.js\n',
        'server.js': 'const host = process.env.MAIL_HOST;\nif (!host) throw new Error();\n',
      },
      'beside what a library reads': {
        ...python('token = os.environ["HF_SPACE"]\n'),
        '.env.example': 'HF_HOME=/models\nHF_SPACE_ID=\nHF_SPACE=\n',
      },
      'of another kind': {
        ...node('LOG_LEVEL=info APP_NAME=web'),
        'server.js': 'const key = process.env.APP_KEY;\nif (!key) throw new Error();\n',
      },
      'that the configuration of Spring reads by its own name': {
        'cerebrium.toml': docker,
        Dockerfile: image('ENV MAIL_FROM=a\nCMD ["java", "org.example.Web"]\n', 'eclipse-temurin:21-jre'),
        'src/main/resources/application.properties': `mail.to=${dollar}{MAIL_TO}\nmail.from=b\nother=${dollar}{OTHER:none}\n`,
      },
    }),
  )('not one %s', async (_, files) => {
    expect(await seen(files)).toEqual([]);
  });
});
