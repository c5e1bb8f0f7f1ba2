import { expect, test } from 'vitest';
import { type Files, seen } from './looked.ts';

const json = (value: object) => JSON.stringify(value, undefined, 2);
const lock = (packages: object) => json({ lockfileVersion: 3, packages: { '': {}, ...packages } });
const locked = (version: string, rest = {}) => ({ version, ...rest });
const typescript = {
  'package.json': json({
    scripts: { build: 'tsc', start: 'node dist/server.js' },
    devDependencies: { typescript: '^5' },
  }),
  'package-lock.json': lock({ 'node_modules/typescript': locked('5.9.2', { dev: true, bin: { tsc: 'bin/tsc' } }) }),
  'tsconfig.json': '{\n  // where it goes\n  "compilerOptions": { "rootDir": "src", "outDir": "./dist/", }\n}\n',
  'src/server.ts': 'import { createServer } from "node:http";\n\ncreateServer().listen(8000, "0.0.0.0");\n',
};
const twoStages = (copy: string, command: string, install = 'npm ci') =>
  `FROM node:22-alpine AS build\nWORKDIR /app\nCOPY package*.json ./\nRUN ${install}\nCOPY . .\nRUN npm run build\nFROM node:22-alpine\nWORKDIR /app\nCOPY package*.json ./\nRUN npm ci --omit=dev\n${copy}\nCMD ${command}\n`;
const go = (build = 'go build -o /web ./cmd/web', image = 'golang:1.24', rest = '') =>
  `FROM ${image} AS build\nWORKDIR /src\nCOPY . .\nRUN CGO_ENABLED=0 ${build}\nFROM gcr.io/distroless/static\nCOPY --from=build /web /web\n${rest}ENTRYPOINT ["/web"]\n`;
const goFiles = {
  'go.mod': 'module example.org/web\n\ngo 1.24\n\nrequire github.com/go-chi/chi/v5 v5.1.0\n',
  'go.sum': 'github.com/go-chi/chi/v5 v5.1.0 h1:x=\ngithub.com/go-chi/chi/v5 v5.1.0/go.mod h1:y=\n',
  'cmd/web/main.go':
    'package main\n\nimport (\n\t"net/http"\n\n\t"github.com/go-chi/chi/v5"\n)\n\nfunc main() {\n\thttp.ListenAndServe(":8000", chi.NewRouter())\n}\n',
};
const cargo = '[package]\nname = "feeds"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nserde = "1"\n';
const cargoLock =
  'version = 4\n\n[[package]]\nname = "feeds"\nversion = "0.1.0"\n\n[[package]]\nname = "serde"\nversion = "1.0.219"\n';
const rust = (from: string, build = 'cargo build --release', image = 'rust:1.85') =>
  `FROM ${image} AS build\nWORKDIR /app\nCOPY Cargo.toml Cargo.lock ./\nCOPY src src\nRUN ${build}\nFROM debian:trixie-slim\nCOPY --from=build /app/target/${from} /usr/local/bin/feeds\nEXPOSE 8000\nCMD ["feeds"]\n`;
const rustFiles = { 'Cargo.toml': cargo, 'Cargo.lock': cargoLock, 'src/main.rs': 'fn main() {}\n' };
const pom = (java: string) =>
  `<project>\n<parent><artifactId>spring-boot-starter-parent</artifactId><version>3.4.0</version></parent>\n<artifactId>quotes</artifactId>\n<version>1.2.0</version>\n<properties><java.version>${java}</java.version></properties>\n<build><plugins><plugin><artifactId>spring-boot-maven-plugin</artifactId></plugin></plugins></build>\n</project>\n`;
const java = (jar: string, jdk = '21') =>
  `FROM maven:3.9-eclipse-temurin-${jdk} AS build\nWORKDIR /app\nCOPY pom.xml .\nRUN mvn -B dependency:go-offline\nCOPY src src\nRUN mvn -B package -DskipTests\nFROM eclipse-temurin:21-jre\nCOPY --from=build /app/target/${jar} /app.jar\nEXPOSE 8000\nCMD ["java", "-jar", "/app.jar", "--server.port=8000"]\n`;
const ruby = (image: string, rest = '') =>
  `FROM ${image}\nWORKDIR /app\n${rest}COPY Gemfile Gemfile.lock ./\nRUN bundle install\nCOPY . .\nCMD ["bundle", "exec", "puma", "-b", "tcp://0.0.0.0:8000"]\n`;
const gemLock = (platform = 'x86_64-linux') =>
  `GEM\n  remote: https://rubygems.org/\n  specs:\n    puma (6.4.2)\n      nio4r (~> 2.0)\n    rack (3.0.9)\n\nPLATFORMS\n  ${platform}\n\nDEPENDENCIES\n  puma\n  rack (~> 3.0)\n\nBUNDLED WITH\n   2.5.4\n`;
const gems = {
  Gemfile: 'source "https://rubygems.org"\nruby "3.3.0"\ngem "puma"\ngem "rack", "~> 3.0"\n',
  'Gemfile.lock': gemLock(),
  'config.ru': 'run ->(_) { [200, {}, []] }\n',
};

test.each<[string, Files, string]>([
  [
    'a file that tsc does not write',
    { ...typescript, Dockerfile: twoStages('COPY --from=build /app/dist ./dist', '["node", "dist/index.js"]') },
    'error /app/dist/index.js is started, which is not in the image',
  ],
  [
    'a script whose file is in another folder',
    {
      ...typescript,
      'package.json': typescript['package.json'].replace('dist/server', 'build/server'),
      Dockerfile: twoStages('COPY --from=build /app/dist ./dist', '["npm", "start"]'),
    },
    'error /app/build/server.js is started, which is not in the image',
  ],
  [
    'a folder that no command makes',
    { ...typescript, Dockerfile: twoStages('COPY --from=build /app/build ./build', '["node", "build/server.js"]') },
    'error Dockerfile copies /app/build, which no command of the stage build makes',
  ],
  [
    'an older Go',
    { ...goFiles, Dockerfile: go(undefined, 'golang:1.23') },
    'error go.mod wants Go >=1.24, and golang:1.23 has 1.23',
  ],
  [
    'a program by another name',
    { ...goFiles, Dockerfile: go('go build -o /srv/api ./cmd/web').replace('/web /web', '/srv/web /web') },
    'error Dockerfile copies /srv/web, which no command of the stage build makes',
  ],
  [
    'another name of a crate',
    { ...rustFiles, Dockerfile: rust('release/feed') },
    'error Dockerfile copies /app/target/release/feed,',
  ],
  [
    'an older Rust',
    {
      ...rustFiles,
      'Cargo.toml': cargo.replace('2021', '2024'),
      Dockerfile: rust('release/feeds', undefined, 'rust:1.75'),
    },
    'error Cargo.toml wants Rust >=1.85',
  ],
  [
    'a folder that is only mounted',
    {
      ...rustFiles,
      Dockerfile: rust('release/feeds').replace('RUN cargo', 'RUN --mount=type=cache,target=/app/target cargo'),
    },
    'error Dockerfile copies /app/target/release/feeds,',
  ],
])('a mistake is named: %s', async (_, files, wanted) => {
  expect((await seen(files)).join('\n')).toContain(wanted);
});

const node = (command = '["node", "server.js"]', image = 'node:22-slim', install = 'npm ci --omit=dev') =>
  `FROM ${image}\nWORKDIR /app\nCOPY package*.json ./\nRUN ${install}\nCOPY . .\nCMD ${command}\n`;
const plainNode = {
  'package.json': json({ type: 'module', dependencies: { pg: '^8' }, devDependencies: { tsx: '^4' } }),
  'package-lock.json': lock({
    'node_modules/pg': locked('8.1.0'),
    'node_modules/tsx': locked('4.1.0'),
    'node_modules/pg-types': locked('2.0.0'),
  }),
  'server.js':
    'import { createServer } from "node:http";\nimport pg from "pg";\nimport types from "pg-types";\n\nimport { name } from "./lib/name.js";\n\ncreateServer(() => [name, pg, types]).listen(8000);\n',
  'lib/name.js': 'export const name = "web";\n',
  Dockerfile: node(),
};
const imports = (line: string) => ({ ...plainNode, 'server.js': `${line}\n${plainNode['server.js']}` });

test.each<[string, Files, string]>([
  [
    'a name without its end',
    imports('import "./lib/name";'),
    'error server.js imports ./lib/name, and Node wants the whole name of a file',
  ],
  [
    'a compiler that is not installed',
    {
      ...typescript,
      Dockerfile: twoStages('COPY --from=build /app/dist ./dist', '["node", "dist/server.js"]', 'npm ci --omit=dev'),
    },
    'error tsc is not installed in the image',
  ],
  [
    'a program of the development at the start',
    {
      ...plainNode,
      'package.json': plainNode['package.json'].replace('{', '{ "scripts": { "start": "tsx server.js" },'),
      Dockerfile: node('["npm", "start"]'),
    },
    'error tsx is not installed in the image',
  ],
])('what Node does not load is named: %s', async (_, files, wanted) => {
  expect((await seen(files)).join('\n')).toContain(wanted);
});

const withGo = (files: Files) => ({ ...goFiles, Dockerfile: go(), ...files });
const withRust = (files: Files) => ({ ...rustFiles, Dockerfile: rust('release/feeds'), ...files });

const listening = (text: string, rest: Files = {}) => ({ ...plainNode, 'server.js': text, ...rest });

test.each<[string, Files, string]>([
  ['a host of Node', listening('server.listen(8000, "127.0.0.1");\n'), 'error the server listens on 127.0.0.1 only'],
  [
    'the host of Fastify',
    listening('import fastify from "fastify";\n\nawait fastify().listen({ port: 8000 });\n'),
    'error the server listens on localhost only',
  ],
  [
    'a port of Node',
    listening('const port = Number(process.env.PORT ?? 3000);\nserver.listen(port, () => console.log(port));\n'),
    'warning server.js listens on port 3000, but port is 8000',
  ],
  [
    'a host of Go',
    withGo({ 'cmd/web/main.go': goFiles['cmd/web/main.go'].replace(':8000', '127.0.0.1:8000') }),
    'error the server listens on 127.0.0.1 only',
  ],
  [
    'a port of Go',
    withGo({ 'cmd/web/main.go': goFiles['cmd/web/main.go'].replace(':8000', ':8080') }),
    'warning cmd/web/main.go listens on port 8080, but port is 8000',
  ],
  [
    'a host of Rust',
    withRust({
      'src/main.rs': 'async fn main() {\n    let listener = TcpListener::bind("127.0.0.1:8000").await;\n}\n',
    }),
    'error the server listens on 127.0.0.1 only',
  ],
  [
    'a port of Rust',
    withRust({ 'src/main.rs': 'fn main() {\n    let at = SocketAddr::from(([0, 0, 0, 0], 3000));\n}\n' }),
    'warning src/main.rs listens on port 3000, but port is 8000',
  ],
])('where sources listen is compared: %s', async (_, files, wanted) => {
  expect((await seen(files)).join('\n')).toContain(wanted);
});

test.each<[string, Files, string]>([
  [
    'pnpm that nothing installs',
    { ...plainNode, Dockerfile: node(undefined, undefined, 'pnpm install') },
    'error pnpm is not installed in the image',
  ],
  [
    'ES modules of TypeScript without the end of a name',
    {
      ...typescript,
      'package.json': json({ type: 'module', scripts: { build: 'tsc' }, devDependencies: { typescript: '^5' } }),
      'src/server.ts': `import { name } from "./name";\n${typescript['src/server.ts']}`,
      'src/name.ts': 'export const name = "web";\n',
      Dockerfile: twoStages('COPY --from=build /app/dist ./dist', '["node", "dist/server.js"]'),
    },
    'error src/server.ts imports ./name, and Node wants the whole name of a file',
  ],
])('what an image cannot run is named: %s', async (_, files, wanted) => {
  expect((await seen(files)).join('\n')).toContain(wanted);
});

test.each(
  Object.entries<Files>({
    'TypeScript in two stages': {
      ...typescript,
      Dockerfile: twoStages(
        'COPY --from=build --chown=node:node /app/dist ./dist',
        '["node", "--enable-source-maps", "dist/server.js"]',
      ),
    },
    'TypeScript that a script starts': {
      ...typescript,
      Dockerfile: twoStages('COPY --from=build /app/dist ./dist', '["npm", "start"]'),
    },
    Node: plainNode,
    'packages, texts and other systems of Go': withGo({
      'cmd/web/pages.go': 'package main\n\nimport _ "embed"\n\n//go:embed all:pages\nvar pages string\n',
      'cmd/web/pages/index.html': '',
      'cmd/web/windows.go': '//go:build windows\n\npackage main\n\nimport (\n\t"golang.org/x/sys/windows"\n)\n',
      'internal/a/a.go':
        'package a\n\nimport (\n\t"encoding/json"\n\n\tchi "github.com/go-chi/chi/v5/middleware"\n\t"example.org/web/internal/b"\n)\n\nvar encode = json.Marshal\n',
      'internal/b/b.go': 'package b\n',
    }),
    'modules of Rust': withRust({
      'src/main.rs': 'mod a;\nmod b;\n#[cfg(windows)]\nmod gone;\nmod inner {\n    mod deep {}\n}\n\nfn main() {}\n',
      'src/a.rs': 'pub mod c;\nconst T: &str = include_str!("../Cargo.toml");\n',
      'src/a/c.rs': '',
      'src/b/mod.rs': '',
    }),
    'comments, types and tests': {
      ...imports('/*\nimport "./gone.js";\n*/\nconst page = `\nimport "gone";\n`;'),
      'server.test.js': 'import "vitest";\n',
      'lib/shape.ts':
        'import type { Shape } from "shapes";\nimport { type Other } from "shapes";\n\nexport type Both = Shape & Other;\n',
    },
    'a workspace': {
      ...plainNode,
      'package.json': json({ type: 'module', workspaces: ['lib/*'], dependencies: { pg: '^8' } }),
      'lib/own/package.json': json({ name: '@web/own', dependencies: { zod: '^3' } }),
      'lib/own/index.js': 'import "zod";\n',
      'server.js': `import "@web/own";\n${plainNode['server.js']}`,
      Dockerfile: node(),
    },
    'packages of another stage': {
      ...plainNode,
      Dockerfile:
        'FROM node:22 AS deps\nWORKDIR /deps\nCOPY package*.json ./\nRUN corepack enable && npm ci\nFROM node:22-slim\nWORKDIR /app\nENV NODE_ENV=production\nCOPY --from=deps /deps/node_modules node_modules\nCOPY . .\nCMD ["npx", "tsx", "server.js"]\n',
    },
    'require where it may be': {
      ...plainNode,
      'server.js':
        'import { createRequire } from "node:module";\n\nconst require = createRequire(import.meta.url);\nconst pg = require("pg");\n\nif (pg) require("./gone");\n',
    },
    'a module that the build makes': {
      ...typescript,
      'package.json': json({
        scripts: { build: 'prisma generate && tsc' },
        devDependencies: { typescript: '^5', prisma: '^6' },
      }),
      'package-lock.json': lock({
        'node_modules/typescript': locked('5.9.2'),
        'node_modules/prisma': locked('6.1.0'),
      }),
      'src/server.ts': `import "./client/index.js";\n${typescript['src/server.ts']}`,
      Dockerfile: twoStages('COPY --from=build /app/dist ./dist', '["node", "dist/server.js"]'),
    },
    Go: { ...goFiles, Dockerfile: go() },
    'Go that fetches another one': {
      ...goFiles,
      Dockerfile: go(undefined, 'golang:1.23').replace('WORKDIR', 'ENV GOTOOLCHAIN=auto\nWORKDIR'),
    },
    'Go whose sums the build writes': {
      ...goFiles,
      'go.sum': '',
      Dockerfile: go('go mod tidy && go build -o /web ./cmd/web'),
    },
    Rust: { ...rustFiles, Dockerfile: rust('release/feeds', 'cargo build --release --locked') },
    'Rust by a cache that is copied from': {
      ...rustFiles,
      Dockerfile: rust('release/feeds')
        .replace(
          'RUN cargo build --release',
          'RUN --mount=type=cache,target=/app/target cargo build --release && cp target/release/feeds /feeds',
        )
        .replace('/app/target/release/feeds', '/feeds'),
    },
    'Rust with other programs': {
      ...rustFiles,
      'src/bin/serve.rs': 'fn main() {}\n',
      Dockerfile: rust('release/serve'),
    },
    Java: { 'pom.xml': pom('21'), 'src/main/java/A.java': 'class A {}\n', Dockerfile: java('quotes-1.2.0.jar') },
    'Java by a pattern': { 'pom.xml': pom('17'), 'src/main/java/A.java': 'class A {}\n', Dockerfile: java('*.jar') },
    Ruby: { ...gems, Dockerfile: ruby('ruby:3.3', 'ENV BUNDLE_DEPLOYMENT=1\n') },
    'a lock for another system that the build adds to': {
      ...gems,
      'Gemfile.lock': gemLock('arm64-darwin-23'),
      Dockerfile: ruby('ruby:3.3'),
    },
  }),
)('what is right has no problems: %s', async (_, files) => {
  expect(await seen(files)).toEqual([]);
});
