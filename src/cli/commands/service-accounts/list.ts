import { stringifyJson } from '../../../kernel/json-text.ts';
import { ago } from '../../../kernel/output/format.ts';
import { table } from '../../../kernel/output/table.ts';
import { listServiceAccounts, ServiceAccount } from '../../../platform/contract/team.ts';
import { grantedProjects } from '../../../team/members.ts';
import { defineCommand } from '../../command.ts';
import { documents, passThrough, sentFields } from '../../result-schema.ts';

export default defineCommand({
  run: async ({ api, project }) => (await api(listServiceAccounts, { project })).serviceAccounts,
  view: (accounts) =>
    table(accounts, ['ID', 'PROJECTS'], {
      ID: (account) => account.id,
      NAME: (account) => account.name,
      DESCRIPTION: (account) => account.description,
      CREATED: (account) => ago(account.createdAt),
      GRANTS: (account) => account.grants?.length,
      PROJECTS: projects,
    }),
  empty: 'no service accounts yet: create one in the dashboard',
  effect: 'reads',
  json: documents(passThrough(sentFields(ServiceAccount))),
  examples: ['service-accounts list', 'service-accounts list --json=id,grants'],
});

/** Grants of an unknown format are shown as JSON. */
function projects(account: ServiceAccount): string | undefined {
  return grantedProjects(account)?.join(', ') ?? account.grants?.map((grant) => stringifyJson(grant)).join(', ');
}
