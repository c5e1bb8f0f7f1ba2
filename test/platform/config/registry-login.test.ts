import { chmodSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { findRegistryLogin, parseRegistry } from '../../../src/platform/config/registry-login.ts';
import { type Emulator, gantry, newFolder, smallApp, startEmulator } from '../../support/index.ts';

test.each([
  ['debian', 'docker.io'],
  ['debian:bookworm-slim', 'docker.io'],
  ['me/app', 'docker.io'],
  ['me/app:1.2', 'docker.io'],
  ['docker.io/library/debian', 'docker.io'],
  ['ghcr.io/me/app:1', 'ghcr.io'],
  ['localhost/app', 'localhost'],
  ['registry:5000/app', 'registry:5000'],
  ['123.dkr.ecr.us-east-1.amazonaws.com/app@sha256:abc', '123.dkr.ecr.us-east-1.amazonaws.com'],
])('%s belongs to the registry %s', (image, registry) => {
  expect(parseRegistry(image)).toBe(registry);
});

describe('the login for a base image', () => {
  const auths = {
    'ghcr.io': { auth: 'Z2hjcg==' },
    'https://index.docker.io/v1/': { auth: 'aHVi' },
    'https://quay.io': { auth: 'cXVheQ==' },
  };

  test.each([
    ['its own registry only', ['ghcr.io/me/app'], { auths }, { 'ghcr.io': { auth: 'Z2hjcg==' } }],
    ['Docker’s hub', ['me/app'], { auths }, { 'https://index.docker.io/v1/': { auth: 'aHVi' } }],
    ['a registry kept with its scheme', ['quay.io/me/app'], { auths }, { 'quay.io': { auth: 'cXVheQ==' } }],
    ['two images of one registry', ['ghcr.io/a', 'ghcr.io/b'], { auths }, { 'ghcr.io': { auth: 'Z2hjcg==' } }],
    ['a registry Docker does not know', ['other.io/me/app'], { auths }, undefined],
    ['no image', [], { auths }, undefined],
    ['no logins', ['ghcr.io/me/app'], {}, undefined],
  ])('of %s', async (_, images, config, expected) => {
    const docker = newFolder({ 'config.json': JSON.stringify(config) });
    const login = await findRegistryLogin(images, { DOCKER_CONFIG: docker });
    expect(login && JSON.parse(login.dockerAuth).auths).toEqual(expected);
  });

  test('is found in the home folder too', async () => {
    const home = newFolder({ '.docker/config.json': JSON.stringify({ auths }) });
    expect((await findRegistryLogin(['ghcr.io/x'], { HOME: home }))?.registry).toBe('ghcr.io');
  });

  test.each([[undefined], ['{'], ['[]']])('is undefined if Docker’s file is %j', async (text) => {
    const docker = newFolder(text === undefined ? {} : { 'config.json': text });
    expect(await findRegistryLogin(['ghcr.io/x'], { DOCKER_CONFIG: docker })).toBeUndefined();
  });

  const helper = `#!/usr/bin/env node
let registry = '';
process.stdin.on('data', (chunk) => { registry += chunk; }).on('end', () => {
  const known = { 'ghcr.io': 'me', 'token.io': '<token>' }[registry];
  if (!known) process.exit(1);
  process.stdout.write(JSON.stringify({ Username: known, Secret: 'secret-of-' + registry }));
});
`;

  test.each([
    ['names one for the registry', { credHelpers: { 'ghcr.io': 'fake' } }, 'ghcr.io/x', 'me:secret-of-ghcr.io'],
    ['names one for all', { auths: { 'ghcr.io': {} }, credsStore: 'fake' }, 'ghcr.io/x', 'me:secret-of-ghcr.io'],
    ['names one, but for another registry', { credHelpers: { 'quay.io': 'fake' } }, 'ghcr.io/x', undefined],
    ['names one without a login', { credHelpers: { 'quay.io': 'fake' } }, 'quay.io/x', undefined],
    ['names one that has a token only', { credHelpers: { 'token.io': 'fake' } }, 'token.io/x', undefined],
    ['names one that is not installed', { credHelpers: { 'ghcr.io': 'missing' } }, 'ghcr.io/x', undefined],
    ['names a path instead of one', { credHelpers: { 'ghcr.io': '../evil' } }, 'ghcr.io/x', undefined],
  ])('is read from the credential helper if Docker’s file %s', async (_, config, image, expected) => {
    const tools = newFolder({ 'docker-credential-fake': helper, 'config.json': JSON.stringify(config) });
    chmodSync(join(tools, 'docker-credential-fake'), 0o755);
    vi.stubEnv('PATH', `${tools}${delimiter}${process.env.PATH}`);
    const login = await findRegistryLogin([image], { DOCKER_CONFIG: tools });
    vi.unstubAllEnvs();
    const [entry] = Object.values<{ auth: string }>(login ? JSON.parse(login.dockerAuth).auths : {});
    expect(entry && Buffer.from(entry.auth, 'base64').toString()).toBe(expected);
  });

  test('is sent by a deploy for the base image only; the registry is shown, the login is not', async () => {
    const emulator: Emulator = await startEmulator({ real: false });
    const toml =
      '[cerebrium.deployment]\nname = "web"\ndisable_auth = false\ndocker_base_image_url = "ghcr.io/me/app"\n';
    const app = newFolder({ ...smallApp(), 'cerebrium.toml': toml });
    const env = { DOCKER_CONFIG: newFolder({ 'config.json': JSON.stringify({ auths }) }) };
    const { code, stdout, stderr } = await gantry(['deploy', '--debug'], { emulator, cwd: app, env });
    await emulator.close();
    const body = emulator.calls.find(({ endpoint }) => endpoint === 'createApp')?.body as { dockerAuth: string };
    expect(code).toBe(0);
    expect(JSON.parse(body.dockerAuth)).toEqual({ auths: { 'ghcr.io': { auth: 'Z2hjcg==' } } });
    expect(stderr).toContain('sending the login for ghcr.io to pull the base image');
    expect(stdout + stderr).not.toContain('Z2hjcg==');
  });
});
