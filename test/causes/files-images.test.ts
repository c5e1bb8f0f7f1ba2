import { expect, test } from 'vitest';
import { docker, type Files, seen } from './looked.ts';

const flask = 'from flask import Flask\n\napp = Flask(__name__)\n';
const slim = 'FROM python:3.12-slim\nWORKDIR /srv\n';
const python = (rest: string, files: Files = {}): Files => ({
  'cerebrium.toml': docker,
  Dockerfile: `${slim}${rest}`,
  'web.py': flask,
  ...files,
});
const go = (base: string, start: string, more = ''): Files => ({
  'cerebrium.toml': docker,
  'go.mod': 'module example.org/feed\n\ngo 1.24\n',
  'main.go': 'package main\n\nfunc main() {}\n',
  Dockerfile: `FROM golang:1.24 AS build\nWORKDIR /src\nCOPY . .\nRUN CGO_ENABLED=0 go build -o /feed .\nFROM ${base}\nCOPY --from=build /feed /feed\n${more}EXPOSE 8000\n${start}\n`,
});
const java = (version: string, start: string): Files => ({
  'cerebrium.toml': docker,
  'pom.xml': '<project><properties><java.version>21</java.version></properties></project>\n',
  Dockerfile: `FROM maven:3.9-eclipse-temurin-21 AS build\nWORKDIR /app\nCOPY . .\nRUN mvn package\nFROM eclipse-temurin:${version}\nCOPY --from=build /app/target/a.jar /a.jar\nEXPOSE 8000\n${start}\n`,
});
const json = (value: object) => JSON.stringify(value);
const next = (
  image: string,
  settings = '',
  copies = 'COPY --from=build /app/.next ./.next',
  version = '14.2.0',
): Files => ({
  'cerebrium.toml': docker,
  'package.json': json({ scripts: { build: 'next build' }, dependencies: { next: version } }),
  'package-lock.json': json({
    lockfileVersion: 3,
    packages: { '': { dependencies: { next: version } }, 'node_modules/next': { version } },
  }),
  'next.config.mjs': `export default {${settings}};\n`,
  'app/page.jsx': 'export default () => null;\n',
  Dockerfile: `FROM ${image} AS build\nWORKDIR /app\nCOPY . .\nRUN npm ci\nRUN npm run build\nFROM node:22-alpine\nWORKDIR /app\n${copies}\nEXPOSE 8000\nCMD ["node", "--version"]\n`,
});
const nest = (from: string, start: string, settings: object = {}): Files => ({
  'cerebrium.toml': docker,
  'package.json': json({ scripts: { build: 'nest build' }, dependencies: { '@nestjs/cli': '^10' } }),
  'package-lock.json': json({
    lockfileVersion: 3,
    packages: { '': { dependencies: { '@nestjs/cli': '^10' } }, 'node_modules/@nestjs/cli': { version: '10.4.0' } },
  }),
  'tsconfig.json': json({ compilerOptions: { outDir: 'out', rootDir: 'src' } }),
  'nest-cli.json': json(settings),
  'src/main.ts': 'export const main = 1;\n',
  Dockerfile: `FROM node:22 AS build\nWORKDIR /app\nCOPY . .\nRUN npm ci\nRUN npm run build\nFROM node:22-slim\nWORKDIR /app\nCOPY --from=build /app/${from} ./${from}\nEXPOSE 8000\nCMD ["node", "${start}"]\n`,
});
test.each<[string, Files, string]>([
  [
    'a shell that the image does not have',
    go('gcr.io/distroless/static', 'CMD /feed --all'),
    'error CMD is the text of a shell command, and gcr.io/distroless/static has no shell',
  ],
  [
    'an entrypoint in an empty image',
    go('scratch', 'ENTRYPOINT /feed'),
    'error ENTRYPOINT is the text of a shell command, and scratch has no shell',
  ],
  [
    'a whole command in one word',
    java('21-jre', 'CMD ["java -jar /a.jar"]'),
    'error CMD is a list of one word that contains spaces: no program has that name',
  ],
  [
    'the entrypoint of the base image',
    {
      'cerebrium.toml': `${docker}[cerebrium.hardware]\ncompute = "ADA_L40"\n`,
      'run.sh': 'exec vllm serve x --port 8000\n',
      Dockerfile: 'FROM vllm/vllm-openai:v0.8.0\nCOPY run.sh /run.sh\nCMD ["bash", "/run.sh"]\n',
    },
    'error vllm/vllm-openai:v0.8.0 has an ENTRYPOINT of its own, which takes CMD for its flags',
  ],
  [
    'a program of the system that is started',
    python('COPY web.py .\nCMD ["supervisord", "-n"]\n'),
    'warning supervisord is not installed in the image',
  ],
  [
    'a Java that is too old for the program',
    java('17-jre', 'CMD ["java", "-jar", "/a.jar"]'),
    'error pom.xml wants Java >=21, and eclipse-temurin:17-jre has 17',
  ],
  ['a Node that is too old for Next', next('node:16'), 'error package.json wants Node >=18.17, and node:16 has 16'],
  [
    'a Ruby that is too old',
    {
      'cerebrium.toml': docker,
      Gemfile: 'source "https://rubygems.org"\nruby "~> 3.4"\n',
      Dockerfile: 'FROM ruby:3.3\nCOPY Gemfile .\nRUN bundle install\nCMD ["ruby", "-v"]\n',
    },
    'error Gemfile wants Ruby >=3.4, and ruby:3.3 has 3.3',
  ],
  [
    'a target of .NET',
    {
      'cerebrium.toml': docker,
      'api.csproj': '<Project><PropertyGroup><TargetFramework>net9.0</TargetFramework></PropertyGroup></Project>\n',
      Dockerfile:
        'FROM mcr.microsoft.com/dotnet/sdk:8.0\nCOPY . .\nRUN dotnet publish -o /out\nCMD ["dotnet", "/out/api.dll"]\n',
    },
    'error api.csproj wants .NET >=9.0, and mcr.microsoft.com/dotnet/sdk:8.0 has 8.0',
  ],
  [
    'what Next does not write',
    next('node:22', '', 'COPY --from=build /app/.next/standalone ./'),
    'error Dockerfile copies /app/.next/standalone, which no command of the stage build makes',
  ],
  [
    'a file that Nest does not write',
    nest('out', 'out/src/main.js'),
    'error /app/out/src/main.js is started, which is not in the image',
  ],
])('what an image cannot do is named: %s', async (_, files, expected) => {
  expect(await seen(files)).toContain(expected);
});

test.each(
  Object.entries<Files>({
    'a list of words without a shell': go('gcr.io/distroless/static', 'CMD ["/feed", "--all"]'),
    'a shell of another image': go(
      'gcr.io/distroless/static',
      'CMD /feed --all',
      'COPY --from=busybox:1.37 /bin/sh /bin/sh\n',
    ),
    'an image for looking into it': go('gcr.io/distroless/static:debug', 'CMD /feed --all'),
    'an entrypoint of its own': {
      'cerebrium.toml': `${docker}[cerebrium.hardware]\ncompute = "ADA_L40"\n`,
      'run.sh': 'exec vllm serve x --port 8000\n',
      Dockerfile: 'FROM vllm/vllm-openai:v0.8.0\nCOPY run.sh /run.sh\nENTRYPOINT []\nCMD ["bash", "/run.sh"]\n',
    },
    'a Python that a package of the system brings': {
      'cerebrium.toml': docker,
      Dockerfile:
        'FROM ubuntu:24.04\nRUN apt-get update && apt-get install -y python3-flask\nCOPY web.py /srv/\nEXPOSE 8000\nCMD ["python3", "/srv/web.py"]\n',
      'web.py': 'from http.server import HTTPServer\n\nHTTPServer(("0.0.0.0", 8000), None).serve_forever()\n',
    },
    'the same Java': java('21-jre', 'CMD ["java", "-jar", "/a.jar"]'),
    'what Next writes': next(
      'node:22',
      'output: "standalone"',
      'COPY --from=build /app/.next/standalone ./\nCOPY --from=build /app/.next/static ./.next/static',
    ),
    'another folder of Next': next('node:22', 'distDir: "build"', 'COPY --from=build /app/build ./build'),
    'what Nest writes': nest('out', 'out/main.js'),
    'several apps of Nest': nest('dist', 'dist/apps/web/main.js', { monorepo: true }),
  }),
)('what an image can do has no problems: %s', async (_, files) => {
  expect(await seen(files)).toEqual([]);
});
