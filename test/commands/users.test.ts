import { describe, expect, test } from 'vitest';
import { emulatorForEach, expectErrorDocument, gantry, wideTerminal } from '../support/index.ts';

const emulator = emulatorForEach();

test('lists members and invitations, with who invited', async () => {
  const { stdout } = await gantry(['users', 'list'], { emulator, ...wideTerminal });
  expect(stdout).toMatch(/^EMAIL +NAME +ROLE +STATUS +INVITED BY +SINCE\n/);
  expect(stdout).toMatch(/^ada\.okafor@example\.com +Ada Okafor +admin +active +- +\d{4}-/m);
  expect(stdout).toMatch(/^dev\.patel@example\.com +- +member +invited +ada\.okafor@example\.com +2 d ago$/m);
});

test('--status selects one kind, and may select none', async () => {
  const invited = await gantry(['users', 'list', '--status', 'Invited', '--json=email'], { emulator });
  expect(invited.json()).toEqual([{ email: 'dev.patel@example.com' }]);
  const none = await gantry(['users', 'list', '--status', 'gone'], { emulator });
  expect([none.code, none.stdout, none.stderr]).toEqual([0, '', 'no users or invitations\n']);
});

describe('inviting a user', () => {
  const invite = (email: string, ...flags: string[]) => gantry(['users', 'invite', email, ...flags], { emulator });

  test('sends the role and shows it', async () => {
    expect(await invite('new@example.com', '--role', 'Billing')).toPrint('invited new@example.com as Billing\n');
    expect(emulator.calls.at(-1)?.body).toEqual({ emailAddress: 'new@example.com', role: 'Billing' });
    const list = await gantry(['users', 'list', '--status=invited', '--json=email,role'], { emulator });
    expect(list.json()).toContainEqual({ email: 'new@example.com', role: 'Billing' });
  });

  test('has the sent values in JSON', async () => {
    const { json } = await invite('new@example.com', '--role', 'member', '--json');
    expect(json()).toEqual({ email: 'new@example.com', role: 'member', changed: true });
  });

  test.each([
    ...['ada', 'ada@', '@example.com', 'ada@example', 'a da@example.com', 'ada@@example.com', 'ada@exa_mple.com'],
    ...['ada@.com', 'ada@example.', 'Ada <ada@example.com>', 'a@b.co,c@d.co', `${'a'.repeat(65)}@example.com`, ''],
  ])('refuses "%s" with exit code 2, before any request', async (email) => {
    expect(await invite(email, '--role', 'member')).toExit(2, 'expected an email address');
    expect(emulator.calls).toEqual([]);
  });

  test.each(['ada+ci@mail.example.com', 'zoë@exämple.de', "o'neil@example.co"])('accepts %s', async (email) => {
    expect((await invite(email, '--role', 'member')).code).toBe(0);
  });

  test('fails if the platform did not do it', async () => {
    const outcome = await invite('ada.okafor@example.com', '--role', 'member', '--json');
    expect(outcome).toExit(1, 'no invitation was sent to ada.okafor@example.com');
    expectErrorDocument(outcome);
  });

  test.each([
    ['king', [], 9, 'The known roles are member, billing, admin.'],
    ['king', ['--yes'], 0, ''],
  ])('the role %s %j', async (role, flags, code, text) => {
    expect(await invite('new@example.com', '--role', role, ...flags)).toExit(code, text);
  });

  test('needs a role, and the help names some', async () => {
    expect((await invite('new@example.com')).code).toBe(2);
    const { stdout } = await gantry(['users', 'invite', '--help']);
    expect(stdout).toMatch(/member, billing or\s+admin/);
  });

  test('is not repeated after a lost reply', async () => {
    emulator.fail('inviteUser', 'reset-after');
    expect((await invite('new@example.com', '--role', 'member')).code).toBe(69);
    expect(emulator.calls.filter(({ endpoint }) => endpoint === 'inviteUser')).toHaveLength(1);
  });
});
