import { drawSteps } from './steps.js';

/** @typedef {import('../draw.js').Draw} Draw @typedef {import('../types.ts').Plan} Plan */

/** service-accounts grant and revoke. @param {Draw} draw @returns {Partial<Plan>} */
export function grants(draw) {
  const before = draw.some(['p-1111aaaa', 'p-2222bbbb', 'p-3333cccc'], 0.7);
  const change = draw.chance(0.6) || before.length < 2 ? 'grant' : 'revoke';
  const projects = change === 'grant' ? ['p-9999zzzz'] : [/** @type {string} */ (before[0])];
  const grantForm = draw.weighted(
    /** @type {const} */ ([
      [3, 'text'],
      [1, 'projectId'],
      [1, 'nested'],
      [2, 'odd'],
      [1, 'role'],
      [1, 'opaque'],
    ]),
  );
  const isCertain = !['role', 'opaque'].includes(grantForm);
  return {
    kind: 'grants',
    world: { grants: { 'sa-1': before, 'sa-2': ['p-4444dddd'] }, grantForm },
    steps: drawSteps(draw, {
      command: { args: ['service-accounts', change, 'sa-1', ...projects, '--yes', ...draw.pick([[], ['--json']])] },
      points: ['list-accounts', 'update-account', 'update-account'],
    }),
    facts: {
      grantForm,
      isCertain,
      before,
      after: change === 'grant' ? [...before, ...projects] : before.filter((id) => !projects.includes(id)),
    },
  };
}

/** secrets set. @param {Draw} draw @returns {Partial<Plan>} */
export function secrets(draw) {
  const value = `s3cr3t-${draw.int(1e8, 9e8)}-${draw.int(1e8, 9e8)}`;
  const others = Object.fromEntries(
    draw
      .some(['OTHER', 'DB_URL', 'constructor', 'TOKEN.x'], 0.6)
      .map((name) => [name, `0ther-${draw.int(1e8, 9e8)}-x`]),
  );
  const before = { ...others, ...(draw.chance(0.3) ? { API_KEY: `0ld-${draw.int(1e8, 9e8)}-old` } : {}) };
  return {
    kind: 'secrets',
    world: { secrets: before },
    env: { API_KEY: value },
    secrets: [value, ...Object.values(before)],
    steps: drawSteps(draw, {
      command: {
        args: ['secrets', 'set', 'API_KEY', '--from-env', '--yes', ...draw.pick([[], ['--json'], ['--debug']])],
      },
      points: ['get-secrets', 'set-secrets', 'set-secrets'],
    }),
    facts: { before, after: { ...before, API_KEY: value } },
  };
}
