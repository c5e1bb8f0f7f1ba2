import { describe, expect, test } from 'vitest';
import { parseVolumes } from '../../src/storage/volumes/parse-volumes.ts';
import { emulatorForEach, gantry } from '../support/index.ts';

const emulator = emulatorForEach();

const sizeOf = async (region: string) => {
  const { json } = await gantry(['volumes', 'list', '--json'], { emulator });
  return (json() as { region: string; sizeGb: number }[]).find((volume) => volume.region === region)?.sizeGb;
};

describe('volumes resize', () => {
  test.each([
    ['200GB', [], 'us-east-1', 200],
    ['60', [], 'us-east-1', 60],
    ['1TB', ['--region', 'global'], 'global', 1000],
    ['0.5tb', [], 'us-east-1', 500],
  ])('%s %j makes the volume in %s %i GB large', async (size, flags, region, gigabytes) => {
    const { code, stdout } = await gantry(['volumes', 'resize', size, ...flags, '--yes'], { emulator });
    expect([code, stdout]).toEqual([0, `resized default-${region} to ${gigabytes} GB\n`]);
    expect(await sizeOf(region)).toBe(gigabytes);
  });

  test.each(['49', '1001GB', '2TB', '100GiB', '100.5', 'much', '-5'])(
    '%s is refused before any request',
    async (size) => {
      const { code } = await gantry(['volumes', 'resize', '--yes', '--', size], { emulator });
      expect([code, emulator.calls]).toEqual([2, []]);
    },
  );

  test('an invalid size proposes none, which may be less than the volume has', async () => {
    expect(await gantry(['volumes', 'resize', '10GB'])).toExit(
      2,
      'more than the volume has',
      'fix gantry volumes resize --help',
    );
  });

  test('cannot make a volume smaller', async () => {
    await gantry(['volumes', 'resize', '100', '--yes'], { emulator });
    const sent = emulator.calls.filter(({ endpoint }) => endpoint === 'resizeVolume').length;
    const again = await gantry(['volumes', 'resize', '100'], { emulator });
    expect([again.code, again.stdout]).toEqual([0, 'default-us-east-1 has 100 GB already\n']);
    expect(emulator.calls.filter(({ endpoint }) => endpoint === 'resizeVolume')).toHaveLength(sent);
    const outcome = await gantry(['volumes', 'resize', '60', '--yes'], { emulator });
    expect(outcome).toExit(2, 'error: default-us-east-1 has 100 GB and cannot be made smaller');
  });
});

describe('volumes list', () => {
  test('shows the volumes and their usage', async () => {
    emulator.volume('global').write('/a', Buffer.alloc(2048));
    const { code, stdout } = await gantry(['volumes', 'list'], { emulator });
    expect(code).toBe(0);
    expect(
      stdout
        .slice(0, -1)
        .split('\n')
        .map((line) => line.split('\t')),
    ).toEqual([
      ['default', 'global', '50000000000', '2048', ''],
      ['default', 'us-east-1', '50000000000', '0', ''],
    ]);
  });

  test.each([
    [[{ id: 'v', size_gb: 50, region: 'x' }], [{ name: 'v', size: { text: '50 GB', bytes: 50e9 }, region: 'x' }]],
    [
      { volumes: [{ name: 'v', sizeBytes: 1024, usedBytes: 1 }] },
      [{ name: 'v', size: { text: '1.0 KiB', bytes: 1024 }, used: { text: '1 B', bytes: 1 } }],
    ],
    [{ name: 'v', size: '50Gi' }, [{ name: 'v', size: { text: '50Gi' } }]],
    [
      [{ what: { ever: 1 } }, 'text'],
      [{ more: 'what.ever=1' }, { more: 'text' }],
    ],
    [[], []],
    [null, []],
    ['OK', []],
  ])('reads %j', (answer, read) => {
    expect(parseVolumes(answer)).toEqual(read);
  });
});
