import { defineCommand } from '../../command.ts';
import { getProjectCost } from '../../contract/costs.ts';
import { anything, document, passThrough } from '../../result-schema.ts';
import { projectCostView } from '../../views/project-cost.ts';

export default defineCommand({
  run: async ({ api, project, progress }) => {
    const cost = await api(getProjectCost, { project });
    if (!cost.summary && !cost.coupons?.length) progress.note('the platform reports no cost for this project');
    return cost;
  },
  view: projectCostView,
  effect: 'reads',
  json: document(
    passThrough({
      summary: anything('cost and usage; platform values, passed through; names end in their unit'),
      coupons: anything('coupons; platform values, passed through'),
    }),
  ),
  examples: ['plan cost', 'plan cost --json=summary'],
});
