/** @typedef {import('./types.ts').Plan} Plan @typedef {import('./types.ts').Outcome} Outcome */

/**
 * All that is known of one seed.
 * @param {Plan} plan @param {Outcome[]} outcomes @param {import('../support/strict-platform/types.ts').Seen[][]} log @param {string} folder
 */
export function report({ steps, local, volume, outside, world, facts, copies, ...rest }, outcomes, log, folder) {
  const { apps: _apps, runs: _runs, logs: _logs, ...small } = world;
  const lines = [`  folder ${folder}`, `  plan ${JSON.stringify({ ...rest, world: small, facts }).slice(0, 2000)}`];
  for (const entry of [...local, ...outside]) lines.push(`  local ${JSON.stringify(entry)}`);
  for (const entry of volume) lines.push(`  volume ${JSON.stringify(entry)}`);
  if (copies) lines.push(`  copies ${JSON.stringify(copies).slice(0, 4000)}`);
  for (const [index, outcome] of outcomes.entries()) {
    const step = steps[index];
    lines.push(`  -- step ${index + 1}: ${JSON.stringify(step)}`);
    for (const { point, nth, method, path, fault, status } of log[index] ?? []) {
      lines.push(
        `     ${method} ${point}#${nth} ${path.slice(0, 100)} -> ${status ?? '-'}${fault ? ` (${fault})` : ''}`,
      );
    }
    lines.push(`     fired ${JSON.stringify(outcome.fired)}`);
    for (const { args, code, signal, sent, ms, stdout, stderr } of outcome.ended) {
      lines.push(`     ${JSON.stringify(args)}: code ${code} signal ${signal} sent ${sent} after ${ms} ms`);
      lines.push(`     stdout ${JSON.stringify(stdout.toString('utf8').slice(0, 1500))}`);
      for (const line of stderr.slice(0, 3000).split('\n')) lines.push(`     | ${line}`);
    }
    for (const [path, { kind, size, mark }] of outcome.after.disk) {
      if (kind !== 'folder') lines.push(`     disk ${JSON.stringify(path)} ${kind} ${size} ${mark.slice(0, 8)}`);
    }
    for (const [path, { size, mark }] of outcome.after.volume) {
      lines.push(`     volume ${JSON.stringify(path)} ${size} ${mark.slice(0, 8)}`);
    }
  }
  return lines.join('\n');
}
