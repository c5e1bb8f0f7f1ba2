import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { rolldown } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';
import { filesIn, newFolder } from '../../support/files.ts';
import { inPidNamespace, noPidNamespace } from '../../support/pid-namespace.ts';

/**
 * Marks a folder in every way there is: a lock, a claim, a temporary file, a temporary folder, an announcement. Or tries to
 * get and to clean up what another process has marked.
 */
const program = (disk: string) => `
  import { createInterface } from 'node:readline';
  import * as disk from ${JSON.stringify(disk)};
  const claim = (folder) => {
    const delay = async () => { throw new Error('claimed'); };
    return disk.claimTarget(folder, { path: '/x', kind: 'folder', delay, onWait() {} });
  };
  const does = {
    async mark(folder) {
      await claim(folder);
      disk.announce(folder + '/emulators', {});
      disk.writeFileAtomicSync(folder + '/' + new disk.TemporaryNames(folder).nameIn(folder), 'not whole yet');
      await disk.TemporaryFolder.create('archive');
      return disk.takeLock(folder + '/a.lock') !== undefined;
    },
    async take(folder) {
      disk.removeDeadLocks(folder);
      disk.removeOrphanedFiles(folder);
      disk.readAnnouncements(folder + '/emulators');
      const claimed = await claim(folder).then(() => true, () => false);
      return disk.takeLock(folder + '/a.lock') !== undefined || claimed;
    },
  };
  console.log('ready');
  for await (const line of createInterface({ input: process.stdin })) {
    const [verb, folder] = line.split(' ');
    console.log(String(await does[verb](folder)));
  }`;

const skipped = noPidNamespace ? ` (skipped: ${noPidNamespace})` : '';

test.skipIf(noPidNamespace)(
  `what a live process marked as its own is left alone from another pid namespace, both ways${skipped}`,
  async () => {
    const disk = join(newFolder(), 'disk.mjs');
    await (await rolldown({ input: 'src/kernel/disk/index.ts', platform: 'node' })).write({ file: disk });
    const host = await start([], program(disk));
    const container = await start(inPidNamespace, program(disk));
    for (let trial = 0; trial < 20; trial++) {
      const [owner, other] = trial % 2 === 0 ? [host, container] : [container, host];
      const folder = newFolder();
      expect(await owner(`mark ${folder}`)).toBe('true');
      const marked = [filesIn(folder), temporaryFolders()];
      expect(await other(`take ${folder}`)).toBe('false');
      expect([filesIn(folder), temporaryFolders()]).toEqual(marked);
    }
    expect(temporaryFolders()).toHaveLength(20);
  },
);

/** Sends a line to a program and returns its answer. */
async function start(within: readonly string[], source: string) {
  const [file = '', ...flags] = [...within, process.execPath, '--input-type=module', '--eval', source];
  const child = execa(file, flags, { reject: false });
  onTestFinished(() => void child.kill('SIGKILL'));
  const answers = child[Symbol.asyncIterator]();
  const answer = async () => (await answers.next()).value;
  expect(await answer()).toBe('ready');
  return (line: string) => {
    child.stdin.write(`${line}\n`);
    return answer();
  };
}

function temporaryFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('gantry-archive-'));
}
