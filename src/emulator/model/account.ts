import { createHash } from 'node:crypto';
import { dayMs } from '../../kernel/durations.ts';
import type { Invoice } from '../../platform/contract/billing.ts';
import type { ApiKey, User } from '../../platform/contract/team.ts';
import type { Account } from './state/records.ts';
import type { Model } from './state/store.ts';

/** The account of a project: equal in every emulator, except for times, which are relative to the first access. */
export function getAccount({ store, now }: Model, project: string): Account {
  const existing = store.accounts.get(project);
  if (existing) return existing;
  const account = (store.hasAccount ? seedAccount : newAccount)(project, now());
  store.accounts.set(project, account);
  store.save();
  return account;
}

/** The account of a project that was just created. */
function newAccount(project: string, now: number): Account {
  const at = new Date(now).toISOString();
  return {
    keys: [inferenceKey({ projectId: project, createdAt: at, updatedAt: at })],
    users: [],
    serviceAccounts: [],
    plan: 'hobby',
    creditCardBonusClaimed: false,
    paymentMethods: [],
    invoices: [],
  };
}

// Values are created when keys are listed (`team.ts`): others could predict what is made here.
const key = (id: string) => ({ id, apiKey: '', description: '' });

/** Every project has one, to call its private apps. */
function inferenceKey(since: Pick<ApiKey, 'projectId' | 'createdAt' | 'updatedAt'>): ApiKey {
  return {
    ...key('key-1'),
    name: 'inference',
    source: 'cerebrium_jwt',
    status: 'active',
    expiresAt: 'never',
    ...since,
  };
}

function seedAccount(project: string, now: number): Account {
  const day = (days: number) => new Date(now + days * dayMs).toISOString();
  const since = (days: number) => ({ projectId: project, createdAt: day(-days), updatedAt: day(-days) });
  const serviceKey = (id: string, name: string, principalId: string, expiresIn: number, age: number): ApiKey => ({
    ...key(id),
    name,
    source: 'service_account',
    status: expiresIn > 0 ? 'active' : 'expired',
    principalId,
    expiresAt: day(expiresIn),
    ...since(age),
  });
  const serviceAccount = (name: string, createdByUserId: string, age: number) => ({
    id: `sa-${name}`,
    name,
    description: '',
    projectId: project,
    createdByUserId,
    createdAt: day(-age),
    grants: [project],
  });
  return {
    keys: [
      inferenceKey(since(240)),
      serviceKey('key-2', 'deploys-2026', 'sa-ci', 12.5, 78),
      serviceKey('key-3', 'deploys-2025', 'sa-ci', -40, 405),
      { ...serviceKey('key-4', 'dashboards', 'sa-metrics', 200.5, 20), description: 'read by Grafana' },
    ],
    users: [
      person('user-1', 'Ada Okafor', 'admin', since(240)),
      person('user-2', 'Ben Larsen', 'member', since(101)),
      person('user-3', 'Chiara Russo', 'billing', since(33)),
      invitation('invitation-1', 'dev.patel@example.com', 'member', since(2.5)),
    ],
    serviceAccounts: [
      { ...serviceAccount('ci', 'user-1', 405), description: 'deploys from the pipeline' },
      serviceAccount('metrics', 'user-2', 20),
    ],
    plan: 'standard',
    creditCardBonusClaimed: true,
    paymentMethods: [
      { id: 'pm-1', brand: 'visa', last4: '4242', expMonth: 4, expYear: 2029, isDefault: true },
      { id: 'pm-2', brand: 'mastercard', last4: '4444', expMonth: 11, expYear: 2027, isDefault: false },
    ],
    invoices: [1, 2, 3].map((months) => invoice(project, now, months)),
  };
}

/** A member who has not accepted it yet. */
export function invitation(id: string, email: string, role: string, since: object): User {
  return { ...person(id, '', role, since), email, status: 'invited', invitedBy: 'ada.okafor@example.com' };
}

function person(id: string, name: string, role: string, since: object): User {
  const [firstName = '', lastName = ''] = name.split(' ');
  const email = `${firstName}.${lastName}@example.com`.toLowerCase();
  return { id, email, firstName, lastName, role, status: 'active', invitedBy: '', ...since };
}

/** The invoice of `months` months ago. Its file does not exist. */
function invoice(project: string, now: number, months: number): Invoice {
  const date = new Date(now);
  const createdAt = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1 - months)).toISOString();
  const id = `in-${createdAt.slice(0, 7)}`;
  const digest = createHash('sha256').update(`${project}/${id}`).digest('hex');
  return {
    id,
    amountDue: 2000 + (Number.parseInt(digest.slice(0, 4), 16) % 8000),
    currency: 'usd',
    createdAt,
    paymentStatus: 'paid',
    accountName: 'Example Ltd',
    accountCountry: 'GB',
    fileUrl: `https://files.example.com/invoices/${id}.pdf?token=${digest.slice(0, 32)}`,
  };
}
