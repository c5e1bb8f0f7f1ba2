// What `gantry cp` takes, start-up included, over curl sending the same bytes to the same place: a sink on this machine.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { curlGet, curlPut, cut, etagOf, gantry, hasCurl, roomInMemory, startSink } from './candidates.js';
import { inTurns } from './measure.js';
import { makeEqualFiles, makeModel, makeTree } from './trees.js';
import { buildVariant } from './variant.js';

/** @import { Bench } from './run.js' */
/** @import { Tls } from './candidates.js' */

const mebibyte = 2 ** 20;
/** As gantry cuts large files, and how many requests it makes at a time: curl does the same. */
const partBytes = 16 * mebibyte;
const [manyLarge, manySmall] = [12, 128];
/** MB, whatever is sent. */
const memory = 150;

/** @param {Bench} bench */
export async function transfer(bench) {
  if (!hasCurl) bench.report.text('\nthere is no curl that knows --parallel: not compared to it');
  const tls = makeCertificate(bench.folder);
  if (!tls) bench.report.text('\nthere is no openssl for a certificate: nothing is measured over HTTPS');
  const model = join(bench.folder, 'large', 'model.safetensors');
  makeModel(join(bench.folder, 'large'), (bench.quick ? 32 : 2048) * mebibyte);
  if (tls) await upload(bench, model, tls);
  if (tls) await limited(bench, tls);
  rmSync(join(bench.folder, 'large'), { recursive: true });
  if (tls) await download(bench, tls);
  await smallFiles(bench);
  await confirmation(bench);
  await engineFlags(bench);
  await farAway(bench);
  await mixed(bench);
}

/**
 * @param {Bench} bench
 * @param {string} model
 * @param {Tls} tls
 */
async function upload({ folder, quick, report }, model, tls) {
  const parts = join(folder, 'parts');
  const sources = cut(model, parts, partBytes);
  const sink = await startSink({ tls, etags: etagOf(sources[0] ?? '', partBytes) });
  const rounds = quick ? 1 : 5;
  report.begin(`upload of one file of ${sources.length * 16} MiB over HTTPS; ${rounds} rounds`);
  const check = gantry(sink, folder, { name: 'gantry cp', words: [model, ':/model'], tls });
  const noCheck = gantry(sink, folder, {
    name: 'gantry cp --no-checksum',
    words: ['--no-checksum', model, ':/model'],
    tls,
  });
  const runs = await inTurns([...curlPut(sink, folder, sources, { atOnce: manyLarge, tls }), noCheck, check], rounds);
  report.candidates(runs, {
    'gantry cp --no-checksum': { over: [{ over: 'curl', most: 1.2 }], memory },
    'gantry cp': { over: [{ over: 'curl', most: 1.9 }], memory },
  });
  sink.stop();
  rmSync(parts, { recursive: true });
}

/**
 * On a line of 1 Gbit/s.
 * @param {Bench} bench
 * @param {Tls} tls
 */
async function limited({ folder, quick, report }, tls) {
  const bytes = (quick ? 32 : 512) * mebibyte;
  const app = join(folder, 'limited');
  makeModel(app, bytes);
  const model = join(app, 'model.safetensors');
  const sink = await startSink({ tls, etags: etagOf(model, partBytes) });
  const rounds = quick ? 1 : 3;
  report.begin(`upload of ${bytes / mebibyte} MiB over HTTPS at 1 Gbit/s; ${rounds} rounds`);
  const words = ['--limit-rate', '125MB', model, ':/model'];
  const check = gantry(sink, folder, { name: 'gantry cp', words, tls });
  const noCheck = gantry(sink, folder, { name: 'gantry cp --no-checksum', words: ['--no-checksum', ...words], tls });
  report.candidates(await inTurns([noCheck, check], rounds), {
    'gantry cp --no-checksum': { memory },
    'gantry cp': { over: [{ over: 'gantry cp --no-checksum', most: 1.05 }], memory },
  });
  sink.stop();
  rmSync(app, { recursive: true });
}

/**
 * @param {Bench} bench
 * @param {Tls} tls
 */
async function download({ folder, quick, report }, tls) {
  const bytes = (quick ? 32 : 2048) * mebibyte;
  const sink = await startSink({ tls, folder: { files: 1, bytes } });
  const rounds = quick ? 1 : 5;
  report.begin(`download of one file of ${bytes / mebibyte} MiB over HTTPS; ${rounds} rounds`);
  const room = roomInMemory(folder, bytes);
  const output = join(room, 'received');
  const cp = gantry(sink, folder, { name: 'gantry cp', words: [':/file0.bin', output], tls, output });
  report.candidates(await inTurns([...curlGet(sink, room, bytes, { partBytes, atOnce: manyLarge, tls }), cp], rounds), {
    'gantry cp': { over: [{ over: 'curl', most: 1.2 }], memory },
  });
  sink.stop();
  rmSync(room, { recursive: true });
}

/**
 * curl only does the PUTs: of the three requests that a file costs, one. A bare client does the three, and nothing else.
 * @param {Bench} bench
 */
async function smallFiles({ folder, quick, report }) {
  const files = quick ? 100 : 10_000;
  const tree = join(folder, 'small');
  makeEqualFiles(tree, files, 4096);
  const sources = filesIn(tree);
  const sink = await startSink({ etags: etagOf(sources[0] ?? '', partBytes) });
  const rounds = quick ? 1 : 5;
  report.begin(`upload of ${files} files of 4 KB over HTTP; ${rounds} rounds`);
  const cp = gantry(sink, folder, { name: 'gantry cp', words: [tree, ':/tree'], files });
  const put = curlPut(sink, folder, sources, { atOnce: manySmall }).map((curl) => ({ ...curl, files }));
  const list = join(folder, 'small.txt');
  writeFileSync(list, sources.join('\n'));
  const script = join(import.meta.dirname, 'three-requests.js');
  const bare = {
    name: 'a bare client',
    command: [process.execPath, script, sink.url, String(manySmall), list],
    files,
  };
  report.candidates(await inTurns([...put, bare, cp], rounds), {
    'gantry cp': { over: [{ over: 'curl' }, { over: 'a bare client', most: 1.25 }], rate: 3_000, memory },
  });
  sink.stop();
  rmSync(tree, { recursive: true });
}

/**
 * After an upload gantry lists each folder, to see that the files are there. The other candidate is gantry without that.
 * @param {Bench} bench
 */
async function confirmation({ folder, quick, report }) {
  const files = quick ? 100 : 10_000;
  const tree = join(folder, 'confirmed');
  makeEqualFiles(tree, files, 4096);
  const sink = await startSink({ etags: etagOf(filesIn(tree)[0] ?? '', partBytes) });
  const program = await buildVariant(join(folder, 'unconfirmed'), [
    {
      file: 'upload-confirmation.ts',
      from: 'add(file: CompletedFile): void {',
      to: 'add(file: CompletedFile): void { return this.#arrived(file);',
    },
  ]);
  const rounds = quick ? 1 : 11;
  report.begin(`upload of ${files} files of 4 KB over HTTP, with and without looking them up; ${rounds} rounds`);
  const without = 'without looking them up';
  const runs = await inTurns(
    [
      gantry(sink, folder, { name: without, words: [tree, ':/tree'], files, program }),
      gantry(sink, folder, { name: 'gantry cp', words: [tree, ':/tree'], files }),
    ],
    rounds,
  );
  report.candidates(runs, { 'gantry cp': { over: [{ over: without, most: 1.05, of: 'cpu' }] } });
  sink.stop();
  rmSync(tree, { recursive: true });
}

/**
 * What the flags gain that gantry sets in V8: time of a copy of one file, memory of a copy of many.
 * @param {Bench} bench
 */
async function engineFlags({ folder, quick, report }) {
  const program = await buildVariant(join(folder, 'without-flags'), [
    {
      file: 'kernel/v8-flags.ts',
      from: 'export function setFlag(flag: V8Flag): void {',
      to: 'export function setFlag(flag: V8Flag): void { if (flag) return;',
    },
  ]);
  const sink = await startSink({});
  const without = 'without flags of V8';
  for (const { files, rounds, target } of [
    { files: 1, rounds: quick ? 1 : 11, target: { over: without, most: 0.9, of: /** @type {const} */ ('cpu') } },
    {
      files: quick ? 10 : 1_000,
      rounds: quick ? 1 : 5,
      target: { over: without, most: 0.9, of: /** @type {const} */ ('peak') },
    },
  ]) {
    const tree = join(folder, `flags-${files}`);
    makeEqualFiles(tree, files, 4096);
    report.begin(`upload of ${files} files of 4 KB over HTTP, with and without flags of V8; ${rounds} rounds`);
    const candidates = [
      gantry(sink, folder, { name: without, words: [tree, ':/tree'], program }),
      gantry(sink, folder, { name: 'gantry cp', words: [tree, ':/tree'] }),
    ];
    report.candidates(await inTurns(candidates, rounds), { 'gantry cp': { over: [target] } });
    rmSync(tree, { recursive: true });
  }
  sink.stop();
}

/** One request at a time takes its time, hence fewer files. @param {Bench} bench */
async function farAway({ folder, quick, report }) {
  const [many, few] = quick ? [100, 3] : [2_000, 100];
  const [manyFiles, fewFiles] = [join(folder, 'many'), join(folder, 'few')];
  makeEqualFiles(manyFiles, many, 4096);
  makeEqualFiles(fewFiles, few, 4096);
  const sink = await startSink({ line: { delayMs: 10 } });
  const rounds = quick ? 1 : 3;
  report.begin(`upload of ${many} files of 4 KB (${few} one at a time), 20 ms to each answer; ${rounds} rounds`);
  const alone = 'gantry cp --concurrency 1';
  const runs = await inTurns(
    [
      gantry(sink, folder, { name: 'gantry cp', words: [manyFiles, ':/tree'], files: many }),
      gantry(sink, folder, { name: alone, words: ['--concurrency', '1', fewFiles, ':/tree'], files: few }),
    ],
    rounds,
  );
  report.candidates(runs, { 'gantry cp': { memory }, [alone]: { over: [{ over: 'gantry cp', least: 30 }], memory } });
  sink.stop();
  for (const tree of [manyFiles, fewFiles]) rmSync(tree, { recursive: true });
}

/** @param {Bench} bench */
async function mixed({ folder, quick, report }) {
  const tree = { files: quick ? 30 : 3_000, bytes: (quick ? 1.5 : 150) * 1e6 };
  const bytes = (quick ? 32 : 512) * mebibyte;
  const [app, parts] = [join(folder, 'tree'), join(folder, 'parts')];
  makeTree(app, tree);
  const small = filesIn(app);
  makeModel(app, bytes);
  const sources = [...small, ...cut(join(app, 'model.safetensors'), parts, partBytes)];
  const sink = await startSink({});
  const rounds = quick ? 1 : 5;
  const title = `upload of ${tree.files} files, ${tree.bytes / 1e6} MB, and one of ${bytes / mebibyte} MiB`;
  report.begin(`${title} over HTTP; ${rounds} rounds`);
  const cp = gantry(sink, folder, { name: 'gantry cp', words: [app, ':/tree'] });
  report.candidates(await inTurns([...curlPut(sink, folder, sources, { atOnce: manySmall }), cp], rounds), {
    'gantry cp': { over: [{ over: 'curl' }], memory },
  });
  sink.stop();
  for (const made of [app, parts]) rmSync(made, { recursive: true });
}

/** @param {string} folder */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/**
 * A certificate for this machine, made by itself.
 * @param {string} folder
 * @returns {Tls | undefined}
 */
function makeCertificate(folder) {
  const tls = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') };
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=bench'];
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1'];
  const words = ['req', '-x509', ...kind, ...names, '-keyout', tls.key, '-out', tls.cert];
  return spawnSync('openssl', words).status === 0 ? tls : undefined;
}
