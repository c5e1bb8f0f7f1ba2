import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readJsonSync } from '../../kernel/disk/index.ts';
import { type Environment, readVariable } from '../../kernel/environment.ts';
import { tryParseJson } from '../../kernel/json-text.ts';
import { homeFolder } from './folders.ts';

interface DockerConfig {
  auths?: Record<string, { auth?: string } | undefined>;
  credsStore?: string;
  credHelpers?: Record<string, string>;
}

/** Registry credentials in the platform's format: `{"auths":{"<registry>":{"auth":"…"}}}`. */
export interface RegistryLogin {
  registry: string;
  dockerAuth: string;
  /** Must not be printed: each login in base64, and its password. */
  secrets: string[];
}

const dockerHub = 'docker.io';
const hubNames = ['https://index.docker.io/v1/', 'index.docker.io', 'docker.io', 'registry-1.docker.io'];

/** The logins for the registries of these images, in Docker's config or its helper. Undefined if there are none. */
export async function findRegistryLogin(images: string[], env: Environment): Promise<RegistryLogin | undefined> {
  const registries = [...new Set(images.map(parseRegistry))];
  if (registries.length === 0) return undefined;
  const config = dockerConfig(env);
  const logins: [string, string][] = [];
  for (const registry of registries) {
    const auth = await authFor(registry, config);
    if (auth) logins.push([registry === dockerHub ? 'https://index.docker.io/v1/' : registry, auth]);
  }
  if (logins.length === 0) return undefined;
  const auths = Object.fromEntries(logins.map(([registry, auth]) => [registry, { auth }]));
  return {
    registry: logins.map(([registry]) => registry).join(', '),
    dockerAuth: JSON.stringify({ auths }),
    secrets: logins.flatMap(([, auth]) => [auth, Buffer.from(auth, 'base64').toString().split(':').slice(1).join(':')]),
  };
}

/** `ghcr.io/me/app:1` is at `ghcr.io`; `debian:bookworm` and `me/app` are at Docker Hub. */
export function parseRegistry(image: string): string {
  const [first = '', ...rest] = image.split('/');
  return rest.length > 0 && (/[.:]/.test(first) || first === 'localhost') ? first : dockerHub;
}

function dockerConfig(env: Environment): DockerConfig {
  const folder = readVariable(env, 'DOCKER_CONFIG') ?? join(homeFolder(env), '.docker');
  return Object(readJsonSync(join(folder, 'config.json')));
}

async function authFor(registry: string, config: DockerConfig): Promise<string | undefined> {
  const names = registry === dockerHub ? hubNames : [registry, `https://${registry}`];
  for (const name of names) {
    const helper = config.credHelpers?.[name] ?? (name in (config.auths ?? {}) ? config.credsStore : undefined);
    const auth = config.auths?.[name]?.auth || (helper && (await runHelper(helper, name)));
    if (auth) return auth;
  }
  return undefined;
}

/** Runs `docker-credential-<helper> get`: registry on stdin, `{"Username","Secret"}` on stdout. */
async function runHelper(helper: string, registry: string): Promise<string | undefined> {
  if (!/^[\w.-]+$/.test(helper)) return undefined;
  const child = spawn(`docker-credential-${helper}`, ['get'], { stdio: ['pipe', 'pipe', 'ignore'], timeout: 10_000 });
  for (const part of [child, child.stdin]) part.on('error', () => {});
  child.stdin.end(registry);
  return basicAuth(await text(child.stdout).catch(() => ''));
}

/** Undefined for a token login (user name `<token>`), which has no password. */
function basicAuth(answer: string): string | undefined {
  const { Username, Secret } = Object(tryParseJson(answer)) as { Username?: string; Secret?: string };
  if (!Username || !Secret || Username === '<token>') return undefined;
  return Buffer.from(`${Username}:${Secret}`).toString('base64');
}
