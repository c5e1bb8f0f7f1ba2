import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** Of a process and its descendants. */
export interface ProcessUsage {
  /** CPU time since its start. */
  cpuMs: number;
  memoryBytes: number;
}

/** By process id. Processes that have ended are missing, and on Windows all are. */
export async function readProcessUsage(pids: readonly number[]): Promise<Map<number, ProcessUsage>> {
  if (pids.length === 0 || process.platform === 'win32') return new Map();
  if (process.platform !== 'linux') return readFromPs(pids);
  return new Map(pids.flatMap((pid) => toEntry(pid, readFromProc(pid))));
}

function toEntry(pid: number, usage: ProcessUsage | undefined): [number, ProcessUsage][] {
  return usage ? [[pid, usage]] : [];
}

/** Linux counts CPU time in hundredths of a second. */
const tickMs = 10;

function readFromProc(pid: number): ProcessUsage | undefined {
  try {
    // CPU times are fields 14 to 17: its own, and those of children that have ended.
    const ticks = statOf(pid)
      .slice(11, 15)
      .reduce((sum, field) => sum + Number(field), 0);
    const [, kilobytes = '0'] = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    const own = { cpuMs: ticks * tickMs, memoryBytes: Number(kilobytes) * 1024 };
    return childrenOf(pid).map(readFromProc).reduce<ProcessUsage>(addUsage, own);
  } catch {
    // It has ended.
    return undefined;
  }
}

/** A process and its descendants, on Linux. Throws if one of them has ended. */
export function processTree(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(processTree)];
}

/** The processes of a group, on Linux: also those whose parent has ended. */
export function processGroup(leader: number): number[] {
  const isMember = (pid: number) => {
    try {
      return Number(statOf(pid)[2]) === leader;
    } catch {
      // It has ended.
      return false;
    }
  };
  return readdirSync('/proc').map(Number).filter(isMember);
}

/** From field 3 on: the name of the program before it, in parentheses, may have spaces. */
function statOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  });
}

function addUsage(one: ProcessUsage, other: ProcessUsage | undefined): ProcessUsage {
  if (!other) return one;
  return { cpuMs: one.cpuMs + other.cpuMs, memoryBytes: one.memoryBytes + other.memoryBytes };
}

/** Each app process leads a process group, which has its children. */
async function readFromPs(pids: readonly number[]): Promise<Map<number, ProcessUsage>> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pgid=,time=,rss=']).catch(() => ({ stdout: '' }));
  return sumByGroup(stdout, pids);
}

/** Lines of a group, a CPU time and a size in KiB: `123  1:02.03  20480`. */
export function sumByGroup(lines: string, groups: readonly number[]): Map<number, ProcessUsage> {
  const sums = new Map<number, ProcessUsage>();
  for (const line of lines.split('\n')) {
    const [group = '', time = '', kilobytes = ''] = line.trim().split(/\s+/);
    if (!groups.includes(Number(group))) continue;
    const usage = { cpuMs: parseCpuTime(time), memoryBytes: Number(kilobytes) * 1024 };
    sums.set(Number(group), addUsage(usage, sums.get(Number(group))));
  }
  return sums;
}

/** `[[days-]hours:]minutes:seconds`, with or without a fraction. */
function parseCpuTime(text: string): number {
  const [clock = '', days = '0'] = text.split('-').reverse();
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1000;
}
