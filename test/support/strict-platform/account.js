import { list, shape, text, texts } from './checks.js';
import { failed } from './failed.js';

/** @typedef {import('./types.ts').Request} Request @typedef {import('./types.ts').Answer} Answer */
/** @typedef {import('./index.js').StrictPlatform} Platform */

const project = '/v2/projects/:project';

/** Service accounts and secrets (spec 4.14, 4.15; docs/platform.md#secrets). */
export const accountRoutes = [
  { point: 'list-accounts', method: 'GET', path: `${project}/service-accounts`, answer: listAccounts },
  {
    point: 'update-account',
    method: 'PATCH',
    path: `${project}/service-accounts/:account`,
    body: shape({ grants: list(text) }),
    answer: updateAccount,
  },
  { point: 'get-secrets', method: 'GET', path: `${project}/secrets`, answer: getSecrets },
  { point: 'get-app-secrets', method: 'GET', path: `${project}/apps/:app/secrets`, answer: getAppSecrets },
  { point: 'set-secrets', method: 'PATCH', path: `${project}/secrets`, body: texts, answer: setSecrets },
  { point: 'projects', method: 'GET', path: '/v2/projects', answer: listProjects },
];

/** @param {Request} _request @param {Platform} platform @returns {Answer} */
function listAccounts(_request, { store }) {
  /** @type {Record<string, (id: string, index: number) => unknown>} */
  const forms = {
    text: (/** @type {string} */ id) => id,
    projectId: (/** @type {string} */ id) => ({ projectId: id, since: '2026-11-01T10:00:00Z' }),
    nested: (/** @type {string} */ id, /** @type {number} */ index) => ({
      id: `grant-${index}`,
      project: { id, name: `project ${index}` },
    }),
    odd: (/** @type {string} */ id, /** @type {number} */ index) => ({ id: `grant-${index}`, project: id }),
    // More than a list of projects can say: who sends one back takes the role away.
    role: (/** @type {string} */ id) => ({ projectId: id, role: 'viewer' }),
    // The project is not in it, although something looks like one.
    opaque: (/** @type {string} */ _id, /** @type {number} */ index) => ({ id: `p-grant${index}`, kind: 'project' }),
  };
  const serviceAccounts = [...store.grants].map(([id, grants]) => ({
    id,
    name: `account ${id}`,
    description: '',
    projectId: store.project,
    createdByUserId: 'u-1',
    createdAt: '2026-11-01T10:00:00Z',
    grants: grants.map(forms[store.grantForm] ?? String),
  }));
  return { status: 200, json: { serviceAccounts } };
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function updateAccount({ params, json }, platform) {
  const { grants } = /** @type {{ grants: string[] }} */ (json);
  const id = params.account ?? '';
  if (!platform.store.grants.has(id)) return failed(404, 'service account not found');
  if (grants.length === 0) platform.complain('update-account: no grants');
  for (const grant of grants) if (!/^p-/.test(grant)) platform.complain(`update-account: ${grant} is no project`);
  if (grants.length === 0 || grants.some((grant) => !/^p-/.test(grant)))
    return failed(400, 'grants must be project ids');
  platform.store.grants.set(id, grants);
  return { status: 200, json: { serviceAccountId: id } };
}

/** @param {Request} _request @param {Platform} platform @returns {Answer} */
function getSecrets(_request, { store }) {
  return { status: 200, json: { ...store.secrets } };
}

/** No app has secrets of its own here. @returns {Answer} */
function getAppSecrets() {
  return { status: 200, json: {} };
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function setSecrets({ json }, { store }) {
  store.secrets = Object.assign(Object.create(null), json);
  return { status: 200, json: { message: 'secrets updated' } };
}

/** @param {Request} _request @param {Platform} platform @returns {Answer} */
function listProjects(_request, { store }) {
  return { status: 200, json: [{ id: store.project, name: 'chaos' }] };
}
