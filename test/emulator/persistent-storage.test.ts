import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { gantry, newFolder } from '../support/index.ts';
import { platform, speaking } from './support/platform.ts';
import { python, running, serverOf } from './support/running.ts';

const app = `
import hashlib, os, pathlib, shutil, subprocess, sys
root = pathlib.Path("/persistent-storage")

def md5(path):
    with open(f"/persistent-storage/{path}", "rb") as file:
        return hashlib.md5(file.read()).hexdigest()

def write(path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)
    return sorted(os.listdir("/persistent-storage"))

def remove(path):
    shutil.rmtree(root / path)

def link(path, target):
    os.symlink(target, root / path)

def share(text):
    pathlib.Path("/global-persistent-storage/shared.txt").write_text(text)

def environment():
    return {name: os.environ.get(name) for name in ("HF_HOME", "PERSISTENT_STORAGE")}

def child(path):
    return subprocess.run([sys.executable, "-c", f"print(open('/persistent-storage/{path}').read(), end='')"],
                          capture_output=True, text=True).stdout
`;

async function storing(options: Parameters<typeof running>[2] = {}, settings: object = {}) {
  const started = await running('functions', settings, { files: { 'main.py': app }, ...options });
  const result = async (name: string, body: object) => {
    const reply = await started.call(name, body);
    expect(reply.status, reply.text).toBe(200);
    return reply.json.result;
  };
  return { ...started, result };
}

const accesses = ['mount', 'rewrite'] as const;

describe.skipIf(!python)('/persistent-storage (needs python3)', () => {
  test.each(accesses)(
    'has what was copied to the volume, and the volume has what an app writes: %s',
    async (storageAccess) => {
      const { emulator, result, logOf, build } = await storing({ storageAccess });
      const content = Buffer.alloc(3_000_000, 'weights');
      emulator.volume().write('/models/a.bin', content);
      expect(await result('md5', { path: 'models/a.bin' })).toBe(createHash('md5').update(content).digest('hex'));
      expect(await result('write', { path: 'out/new/result.txt', text: 'héllo' })).toEqual(['models', 'out']);
      expect(emulator.volume().paths()).toEqual(['/models/a.bin', '/out/new/result.txt']);
      expect(emulator.volume().text('/out/new/result.txt')).toBe('héllo');
      expect(await result('child', { path: 'out/new/result.txt' })).toBe('héllo');
      // What is copied later, replaced and deleted is seen by both sides.
      emulator.volume().write('/models/a.bin', 'second');
      emulator.volume().write('/later.txt', 'later');
      expect(await result('child', { path: 'models/a.bin' })).toBe('second');
      await result('remove', { path: 'models' });
      expect(emulator.volume().paths()).toEqual(['/later.txt', '/out/new/result.txt']);
      await result('share', { text: 'for all regions' });
      expect(emulator.volume('global').text('/shared.txt')).toBe('for all regions');
      const folder = (await result('environment', {})).PERSISTENT_STORAGE;
      expect(await result('environment', {})).toEqual({
        PERSISTENT_STORAGE: storageAccess === 'mount' ? '/persistent-storage' : expect.stringContaining('/volumes/'),
        HF_HOME: `${folder}/.cache/huggingface`,
      });
      const notes = (await logOf(build)).filter((line) => line.startsWith('/persistent-storage is the volume'));
      expect(notes).toHaveLength(storageAccess === 'mount' ? 0 : 1);
    },
  );

  test('is the volume of the region of the app', async () => {
    const { emulator, result } = await storing({}, { region: 'eu-north-1' });
    emulator.volume('eu-north-1').write('/where.txt', 'Stockholm');
    emulator.volume().write('/where.txt', 'Virginia');
    expect(await result('child', { path: 'where.txt' })).toBe('Stockholm');
  });

  test.each(accesses)('is there for servers and one-off runs, too: %s', async (storageAccess) => {
    const server = serverOf(`
    def do_GET(self):
        with open("/persistent-storage/data.txt", "rb") as file:
            self.answer(file.read())
`);
    const settings = { name: 'own', runtime: 'custom', entrypoint: ['python3', 'own.py'], port: 8091 };
    const { emulator, deploy } = await platform({ now: Date.now, real: true, storageAccess });
    emulator.volume().write('/data.txt', 'from the volume');
    await deploy(settings, { 'own.py': server });
    const reply = await fetch(`${emulator.url}/v4/${emulator.project}/own/`);
    expect([reply.status, await reply.text()]).toEqual([200, 'from the volume']);
    const program = newFolder({
      'once.py': 'open("/persistent-storage/once.txt", "w").write(open("/persistent-storage/data.txt").read() + "!")\n',
    });
    const meanwhile = () => setTimeout(20);
    const { code, stderr } = await gantry(['run', 'once.py'], { emulator, cwd: program, meanwhile });
    expect(code, stderr).toBe(0);
    expect(emulator.volume().text('/once.txt')).toBe('from the volume!');
  });

  test('is listed, downloaded and deleted through the API while an app uses it', async () => {
    const { ask, put, result } = await storing();
    await result('write', { path: 'out/a.txt', text: '12345' });
    const list = async (dir: string) => (await ask('GET', `/volumes/default/ls?dir=${encodeURIComponent(dir)}`)).json;
    expect(await list('/')).toMatchObject([{ name: 'out/', is_folder: true }]);
    expect(await list('/out/')).toMatchObject([{ name: 'a.txt', size_bytes: 5 }]);
    const download = async (path: string) => {
      const { json } = await ask('GET', `/volumes/default/download?file_path=${encodeURIComponent(path)}`);
      const reply = await fetch(json.url, { headers: { range: 'bytes=1-3' } });
      return [await reply.text(), reply.headers.get('etag')];
    };
    const [text, etag] = await download('/out/a.txt');
    expect(text).toBe('234');
    await result('write', { path: 'out/a.txt', text: 'abcdef' });
    const [changed, other] = await download('/out/a.txt');
    expect([changed, other === etag]).toEqual(['bcd', false]);
    expect((await ask('DELETE', '/volumes/default/rm?file_path=/out/')).status).toBe(200);
    expect(await result('write', { path: 'b.txt', text: '' })).toEqual(['b.txt']);

    const { json: upload } = await ask('POST', '/volumes/default/cp/initialize', { file_path: '/big', part_count: 2 });
    const parts = [Buffer.alloc(5 * 1024 ** 2, 'a'), Buffer.from('end')];
    const etags = await Promise.all(
      parts.map(async (part, index) => ({
        part_number: index + 1,
        etag: (await put(upload.parts[index].url, part)).headers.get('etag'),
      })),
    );
    const complete = { upload_id: upload.upload_id, file_path: '/big', parts: etags };
    expect((await ask('POST', '/volumes/default/cp/complete', complete)).status).toBe(200);
    expect(await result('md5', { path: 'big' })).toBe(createHash('md5').update(Buffer.concat(parts)).digest('hex'));
    expect((await list('/')).find(({ name }: { name: string }) => name === 'big').size_bytes).toBe(5 * 1024 ** 2 + 3);
  });

  test('has no links that lead out of it', async () => {
    const { emulator, result, ask } = await storing();
    const volume = emulator.volume();
    volume.write('/plain', 'plain');
    await result('link', { path: 'out', target: '/etc' });
    await result('link', { path: 'same', target: 'plain' });
    expect(volume.paths()).toEqual(['/plain', '/same']);
    expect(volume.text('/same')).toBe('plain');
    expect(volume.read('/out/passwd')).toBeUndefined();
    const { status } = await ask('POST', '/volumes/default/cp/initialize', { file_path: '/out/passwd', part_count: 1 });
    expect(status).toBeLessThan(500);
    expect(() => volume.write('/out/gantry-test', 'x')).toThrow();
    expect(existsSync('/etc/gantry-test')).toBe(false);
  });

  test('survives a restart of the emulator with its data folder', async () => {
    const data = newFolder();
    const first = await storing({ data });
    await first.result('write', { path: 'kept.txt', text: 'kept' });
    await first.emulator.close();
    const { emulator } = await running('functions', {}, { data });
    expect(emulator.volume().paths()).toEqual(['/kept.txt']);
    expect(emulator.volume().text('/kept.txt')).toBe('kept');
    const { json } = await speaking(emulator).ask('GET', '/volumes');
    expect(json).toMatchObject([{ region: 'global' }, { region: 'us-east-1', usedBytes: 4 }]);
  });
});
