// @ts-check
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { ModelHub } from '../chaos/model-hub.js';

/** Runs a command with a hub that has the models of the documents. */
const hub = await ModelHub.start({
  'Qwen/Qwen3-0.6B': {
    files: {
      'config.json': Buffer.from('{"model_type": "qwen3"}\n'),
      'tokenizer.json': randomBytes(300_000),
      'model.safetensors': randomBytes(6_000_000),
    },
    inGit: ['config.json'],
  },
  'org/gated': { files: { 'model.safetensors': randomBytes(10_000) }, token: 'hf_of_the_docs' },
});
const [program = '', ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...hub.env } });
const [code] = await once(child, 'exit');
hub.close();
process.exitCode = code ?? 1;
