import { wrapped } from '../../../kernel/output/table.ts';
import { changePlan, planCodes } from '../../../platform/contract/billing.ts';
import { defineCommand } from '../../command.ts';
import { document, nullable, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => command.addArgument(command.createArgument('<plan>', 'new plan').choices(planCodes)),
  run: async ({ api, project, prompt, progress, willChange }, plan) => {
    await prompt.confirm(`Change the plan of ${project} to ${plan}?`);
    willChange(`change the plan of ${project} to ${plan}`, { planCode: plan, redirectUrl: null });
    const { redirectUrl } = await api(changePlan, { project, body: { planCode: plan } });
    if (redirectUrl) progress.note('payment required; complete it to change the plan:');
    return { planCode: plan, redirectUrl: redirectUrl || null };
  },
  view: ({ planCode: plan, redirectUrl }) =>
    wrapped(redirectUrl ?? `the platform accepted the change to ${plan}; no payment required`),
  effect: 'destroys',
  dryRun: true,
  json: document({
    planCode: text('requested plan'),
    redirectUrl: nullable(text('payment page'), 'no payment is required'),
  }),
  examples: ['plan set standard', 'plan set hobby --yes'],
});
