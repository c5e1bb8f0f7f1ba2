import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { empty } from '../support/account.ts';
import { gantry } from '../support/gantry.ts';
import { expectErrorDocument } from '../support/traces.ts';

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator();
});

afterEach(() => emulator.close());

describe('changing the plan', () => {
  const set = (plan: string, ...flags: string[]) => gantry(['plan', 'set', plan, ...flags], { emulator });

  test('prints where to pay when a payment is needed', async () => {
    const { code, stdout, stderr } = await set('enterprise', '--yes');
    expect([code, stdout]).toEqual([0, `${emulator.url}/checkout/${emulator.project}/enterprise\n`]);
    expect(stderr).toContain('a payment is needed');
    expect(emulator.calls.at(-1)?.body).toEqual({ planCode: 'enterprise' });
  });

  test('says when nothing is needed', async () => {
    const { code, stdout, stderr } = await set('hobby', '--yes');
    expect([code, stdout, stderr]).toEqual([0, 'the plan is hobby now: nothing else is needed\n', '']);
  });

  test('in JSON has an address or null', async () => {
    expect((await set('hobby', '-y', '--json')).json()).toEqual({ planCode: 'hobby', redirectUrl: null });
    expect((await set('standard', '-y', '--json')).json()).toEqual({
      planCode: 'standard',
      redirectUrl: `${emulator.url}/checkout/${emulator.project}/standard`,
    });
  });

  test.each([
    ['y', 0, 1],
    ['n', 130, 0],
    ['', 130, 0],
  ])('asked and answered "%s" exits %i', async (answer, exit, calls) => {
    const { code } = await gantry(['plan', 'set', 'hobby'], { emulator, columns: 80, typed: `${answer}\r` });
    expect(code).toBe(exit);
    expect(emulator.calls).toHaveLength(calls);
  });

  test('where nobody can be asked exits 9 and names --yes', async () => {
    const outcome = await set('hobby', '--json');
    expect(outcome.code).toBe(9);
    expect(outcome.stderr).toContain('fix answer it with --yes');
    expectErrorDocument(outcome);
    expect(emulator.calls).toEqual([]);
  });

  test('to one that does not exist exits 2 and names those that do', async () => {
    const { code, stderr } = await set('gold', '--yes');
    expect(code).toBe(2);
    expect(stderr).toContain('hobby, standard, enterprise');
  });

  test('without a token exits 4', async () => {
    const outcome = await gantry(['plan', 'set', 'hobby', '-y'], { emulator, env: { GANTRY_TOKEN: '' } });
    expect(outcome.code).toBe(4);
  });
});

describe('payment methods', () => {
  const list = (...flags: string[]) => gantry(['plan', 'payment-methods', ...flags], { emulator });

  test('are cards of which the last digits are told, the default marked', async () => {
    const { stdout } = await list();
    expect(stdout.trimEnd().split('\n')).toEqual([
      'METHOD                     EXPIRES  DEFAULT',
      'visa ending in 4242        4/2029   default',
      'mastercard ending in 4444  11/2027',
    ]);
  });

  test.each([
    [
      { type: 'card', card: { brand: 'amex', last4: '0005', exp_month: 1, exp_year: 2030 } },
      /^amex ending in 0005 +1\/2030$/m,
    ],
    [{ last4: '4242424242424242' }, /^card ending in 4242$/m],
    [
      { kind: 'bank', bank: { iban: 'DE02', ok: true }, isDefault: true },
      /^kind=bank bank\.iban=DE02 bank\.ok=true .*default$/m,
    ],
    [{ number: '4242 4242 4242 4242' }, /^number=•••• 4242$/m],
    ['invoice', /^invoice$/m],
    [null, /^null$/m],
  ])('of the shape %j are shown', async (method, shown) => {
    empty(emulator, { paymentMethods: [method] });
    expect((await list()).stdout).toMatch(shown);
    expect((await list('--json')).json()).toMatchObject({ methods: [method] });
  });

  test('may be none', async () => {
    empty(emulator);
    const { code, stdout, stderr } = await list();
    expect([code, stdout, stderr]).toEqual([0, '', 'no payment methods yet: the dashboard adds them\n']);
    expect((await list('--json')).json()).toEqual({ creditCardBonusClaimed: false, methods: [] });
  });
});
