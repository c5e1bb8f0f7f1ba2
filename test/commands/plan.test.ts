import { describe, expect, test } from 'vitest';
import type { Invoice } from '../../src/platform/contract/billing.ts';
import { openInBrowser } from '../../src/team/account/login.ts';
import { parseInvoices } from '../../src/team/billing.ts';
import { empty, emulatorForEach, gantry, targetOf, wideTerminal } from '../support/index.ts';

const emulator = emulatorForEach();

describe('changing the plan', () => {
  const set = (plan: string, ...flags: string[]) => gantry(['plan', 'set', plan, ...flags], { emulator });

  test('prints the payment page if a payment is required', async () => {
    const { code, stdout, stderr } = await set('enterprise', '--yes');
    expect([code, stdout]).toEqual([0, `${emulator.url}/checkout/${emulator.project}/enterprise\n`]);
    expect(stderr).toContain('payment required');
    expect(emulator.calls.at(-1)?.body).toEqual({ planCode: 'enterprise' });
  });

  test('says if no payment is required', async () => {
    const { code, stdout, stderr } = await set('hobby', '--yes');
    expect([code, stdout]).toEqual([0, 'the platform accepted the change to hobby; no payment required\n']);
    expect(stderr).toBe(`project ${targetOf(emulator)}\n`);
  });

  test('prints a URL or null in JSON', async () => {
    expect((await set('hobby', '-y', '--json')).json()).toEqual({
      planCode: 'hobby',
      redirectUrl: null,
    });
    expect((await set('standard', '-y', '--json')).json()).toEqual({
      planCode: 'standard',
      redirectUrl: `${emulator.url}/checkout/${emulator.project}/standard`,
    });
  });

  test('exits with 2 for an unknown plan and lists the plans', async () => {
    expect(await set('gold', '--yes')).toExit(2, 'hobby, standard, enterprise');
  });
});

describe('a browser', () => {
  const open = async (address: string, hasBrowser = true) => {
    const opened: string[] = [];
    const said: unknown[] = [];
    const say = (text: unknown) => said.push(text);
    const openBrowser = async (shown: string) => opened.push(shown) > 0 && hasBrowser;
    await openInBrowser({ progress: { warn: say, note: say } as never, openBrowser }, address);
    return [opened, said];
  };

  test('that does not open leaves the URL to the user', async () => {
    const address = 'https://pay.example.com/x';
    expect(await open(address)).toEqual([[address], []]);
    expect(await open(address, false)).toEqual([[address], [expect.stringContaining('cannot open a browser')]]);
  });

  test.each(['http://pay.example.com/x', 'file:///etc/passwd', 'javascript:alert(1)', '--help', 'nonsense'])(
    'never opens %s',
    async (address) => expect(await open(address)).toEqual([[], [expect.stringContaining('not https')]]),
  );
});

describe('invoices', () => {
  const list = (...flags: string[]) => gantry(['plan', 'invoices', ...flags], { emulator });
  const invoice = (id: string, facts: object): Invoice => ({
    id,
    createdAt: '2026-11-01T00:00:00Z',
    ...facts,
  });

  test('are listed newest first, with the URL only in JSON', async () => {
    const { stdout } = await gantry(['plan', 'invoices'], { emulator, ...wideTerminal });
    expect(stdout).toMatch(
      /^DATE +INVOICE +AMOUNT +STATUS +FILE\n(\d{4}-\d\d-01 {2}in-\d{4}-\d\d {2,}\$\d\d\.\d\d +paid +yes\n){3}$/,
    );
    expect(stdout).not.toContain('http');
    const invoices = (await list('--json')).json() as Invoice[];
    expect(invoices[0]?.fileUrl).toMatch(/^https:\/\/.*token=/);
    expect(invoices.map(({ createdAt }) => createdAt)).toEqual(
      invoices
        .map(({ createdAt }) => createdAt)
        .sort()
        .reverse(),
    );
  });

  test.each([
    [{ amountDue: 1999, currency: 'usd' }, '\\$19.99\t'],
    [{ amountDue: 1999, currency: 'JPY' }, '1999 JPY\t'],
    [{ amountDue: 1999, currency: 'kwd' }, '1.999 KWD\t'],
    [{ amountDue: -500, currency: 'eur' }, '-5.00 EUR\t'],
    [{ amountDue: 0, currency: 'usd' }, '\\$0.00\t'],
    [{ amountDue: 1999, currency: null }, '1999\t'],
    [{ amountDue: null, currency: 'usd', paymentStatus: 'void' }, '\tvoid'],
  ])('of %j are in their own currency', async (facts, amount) => {
    empty(emulator, { invoices: [invoice('in-1', facts)] });
    expect((await list()).stdout).toMatch(new RegExp(`^2026-11-01\tin-1\t${amount}\tno$`, 'm'));
  });

  test('are found in any wrapper', () => {
    const [older, newer] = [invoice('in-1', {}), invoice('in-2', { createdAt: '2026-12-01T00:00:00Z' })];
    for (const answer of [
      [older, newer],
      { invoices: [older, newer] },
      { data: [older, newer] },
      { items: [older, newer] },
    ]) {
      expect(parseInvoices(answer)).toEqual([newer, older]);
    }
    expect(parseInvoices({ invoices: null })).toEqual([]);
  });
});

describe('payment methods', () => {
  const list = (...flags: string[]) => gantry(['plan', 'payment-methods', ...flags], { emulator });

  test('show every value', async () => {
    const { stdout } = await list();
    expect(stdout).toMatch(/\tvisa\t4242\t4\t2029\ttrue\n/);
    const shown = (await gantry(['plan', 'payment-methods'], { emulator, ...wideTerminal })).stdout;
    expect(shown).toMatch(/BRAND +LAST4 +EXPMONTH +EXPYEAR +ISDEFAULT *\n.*visa +4242 +4 +2029 +true/);
  });

  test.each([
    [{ type: 'card', card: { brand: 'amex', last4: '0005' } }, 'card\tamex\t0005\n'],
    [{ last4: '4242424242424242' }, '•••• 4242\n'],
    [{ number: '4242 4242 4242 4242' }, '•••• 4242\n'],
    ['invoice', 'invoice\n'],
    [null, 'null\n'],
  ])('of the shape %j are shown', async (method, shown) => {
    empty(emulator, { paymentMethods: [method] });
    expect((await list()).stdout).toBe(shown);
    expect((await list('--json')).json()).toMatchObject({ methods: [method] });
  });

  test('may be none', async () => {
    empty(emulator);
    const { code, stdout, stderr } = await list();
    expect([code, stdout, stderr]).toEqual([0, '', 'no payment methods yet; add one in the dashboard\n']);
    expect((await list('--json')).json()).toEqual({
      creditCardBonusClaimed: false,
      methods: [],
    });
  });
});
