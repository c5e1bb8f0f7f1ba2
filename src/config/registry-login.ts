import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { readRegular } from '../disk/index.ts';
import { type Environment, readVariable } from './environment.ts';

interface DockerConfig {
  auths?: Record<string, { auth?: string } | undefined>;
  credsStore?: string;
  credHelpers?: Record<string, string>;
}

/** Login to one registry, in the platform's form: `{"auths":{"<registry>":{"auth":"…"}}}`. */
export interface RegistryLogin {
  registry: string;
  dockerAuth: string;
  /** What of it must not be printed: each login in base64, and its password. */
  secrets: string[];
}

const dockerHub = 'docker.io';
/** Names under which Docker keeps the login to its own hub. */
const hubNames = ['https://index.docker.io/v1/', 'index.docker.io', 'docker.io', 'registry-1.docker.io'];

/**
 * The logins for the registries of the given images only, never all that Docker has. Reads Docker's config file or asks
 * the credential helper it names. Returns undefined when no login is needed or known.
 */
export async function findRegistryLogin(images: string[], env: Environment): Promise<RegistryLogin | undefined> {
  const registries = [...new Set(images.map(parseRegistry))];
  if (registries.length === 0) return undefined;
  const config = await dockerConfig(env);
  const found: [string, string][] = [];
  for (const registry of registries) {
    const auth = config && (await authFor(registry, config));
    if (auth) found.push([registry === dockerHub ? 'https://index.docker.io/v1/' : registry, auth]);
  }
  if (found.length === 0) return undefined;
  const auths = Object.fromEntries(found.map(([registry, auth]) => [registry, { auth }]));
  return {
    registry: found.map(([registry]) => registry).join(', '),
    dockerAuth: JSON.stringify({ auths }),
    secrets: found.flatMap(([, auth]) => [auth, passwordOf(auth)]),
  };
}

function passwordOf(auth: string): string {
  return Buffer.from(auth, 'base64').toString().split(':').slice(1).join(':');
}

/** `ghcr.io/me/app:1` lives at `ghcr.io`; `debian:bookworm` and `me/app` at Docker's hub. */
export function parseRegistry(image: string): string {
  const [first = '', ...rest] = image.split('/');
  return rest.length > 0 && (/[.:]/.test(first) || first === 'localhost') ? first : dockerHub;
}

/** The images a Dockerfile starts from; its own stages and `scratch` are none. */
export function findBaseImages(dockerfile: string): string[] {
  const stages = new Set<string>(['scratch']);
  const images: string[] = [];
  for (const [, image = '', stage] of dockerfile.matchAll(
    /^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(\S+)(?:[ \t]+AS[ \t]+(\S+))?/gim,
  )) {
    if (!stages.has(image.toLowerCase()) && !image.includes('$')) images.push(image);
    if (stage) stages.add(stage.toLowerCase());
  }
  return images;
}

async function dockerConfig(env: Environment): Promise<DockerConfig | undefined> {
  const home = readVariable(env, 'HOME') ?? readVariable(env, 'USERPROFILE') ?? '';
  const folder = readVariable(env, 'DOCKER_CONFIG') ?? join(home, '.docker');
  try {
    return JSON.parse(String(await readRegular(join(folder, 'config.json')))) as DockerConfig;
  } catch {
    return undefined;
  }
}

async function authFor(registry: string, config: DockerConfig): Promise<string | undefined> {
  const names = registry === dockerHub ? hubNames : [registry, `https://${registry}`];
  for (const name of names) {
    const helper = config.credHelpers?.[name] ?? (name in (config.auths ?? {}) ? config.credsStore : undefined);
    const auth = config.auths?.[name]?.auth || (helper && (await askHelper(helper, name)));
    if (auth) return auth;
  }
  return undefined;
}

/** `docker-credential-<helper> get`: the registry on stdin, `{"Username","Secret"}` on stdout. */
function askHelper(helper: string, registry: string): Promise<string | undefined> {
  if (!/^[\w.-]+$/.test(helper)) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const child = spawn(`docker-credential-${helper}`, ['get'], { stdio: ['pipe', 'pipe', 'ignore'], timeout: 10_000 });
    let answer = '';
    child.stdout.on('data', (chunk: Buffer) => {
      answer += chunk;
    });
    child.stdin.on('error', () => {});
    child.on('error', () => resolve(undefined));
    child.on('close', () => resolve(basicAuth(answer)));
    child.stdin.end(registry);
  });
}

/** A token login (`<token>` as the user name) has no password that the platform could use. */
function basicAuth(answer: string): string | undefined {
  try {
    const { Username, Secret } = JSON.parse(answer) as { Username?: string; Secret?: string };
    if (!Username || !Secret || Username === '<token>') return undefined;
    return Buffer.from(`${Username}:${Secret}`).toString('base64');
  } catch {
    return undefined;
  }
}
