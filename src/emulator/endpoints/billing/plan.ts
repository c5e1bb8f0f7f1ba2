import { planCodes } from '../../../platform/contract/plan.ts';
import { getAccount } from '../../model/account.ts';
import type { Handlers } from '../platform.ts';

export const planHandlers: Pick<Handlers, 'changePlan' | 'listPaymentMethods'> = {
  /** A smaller plan applies immediately; a bigger one needs a payment, which the emulator does not have (spec 4.16). */
  changePlan({ project, body: { planCode } }, platform) {
    const account = getAccount(platform, project);
    if (planCodes.indexOf(planCode) > planCodes.indexOf(account.plan)) {
      return { redirectUrl: `${platform.url}/checkout/${project}/${planCode}` };
    }
    account.plan = planCode;
    platform.store.save();
    return { redirectUrl: '' };
  },

  listPaymentMethods({ project }, platform) {
    const { creditCardBonusClaimed, paymentMethods } = getAccount(platform, project);
    return { creditCardBonusClaimed, methods: paymentMethods };
  },
};
