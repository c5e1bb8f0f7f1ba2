import { defineCommand } from '../../command.ts';
import { changePlan, planCodes } from '../../contract/plan.ts';
import { openInBrowser } from '../../operations/account/index.ts';

export default defineCommand({
  configure: (command) =>
    command
      .addArgument(command.createArgument('<plan>', 'what to change to').choices(planCodes))
      .option('--open', 'open the page of the payment in a browser'),
  run: async (context, plan, { open }) => {
    const { api, project, prompt, progress } = context;
    await prompt.confirm(`Change the plan of ${project} to ${plan}?`);
    const { redirectUrl } = await api(changePlan, { project, body: { planCode: plan } });
    if (redirectUrl) progress.note('a payment is needed before the plan changes; complete it here:');
    if (redirectUrl && open) await openInBrowser(context, redirectUrl);
    return { planCode: plan, redirectUrl: redirectUrl || null };
  },
  view:
    ({ planCode: plan, redirectUrl }) =>
    () =>
      redirectUrl ?? `the platform accepted the change to ${plan}; no payment is needed`,
  json: { planCode: 'the plan asked for', redirectUrl: 'where to complete the payment; null when none is needed' },
  examples: ['plan set standard', 'plan set standard --open', 'plan set hobby --yes'],
});
