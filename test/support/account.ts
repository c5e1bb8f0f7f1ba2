import type { Emulator } from '../../src/emulator/index.ts';

type Account = NonNullable<ReturnType<Emulator['store']['accounts']['get']>>;

/** Gives the project an account that has nothing in it but what is given. */
export function empty({ store, project }: Emulator, given: Partial<Account> = {}): Account {
  const account: Account = {
    keys: [],
    users: [],
    serviceAccounts: [],
    paymentMethods: [],
    invoices: [],
    plan: 'standard',
    creditCardBonusClaimed: false,
    ...given,
  };
  store.accounts.set(project, account);
  return account;
}
