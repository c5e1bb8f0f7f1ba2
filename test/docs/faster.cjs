// Time passes faster in the program that loads this (--require): its waits are shorter, and its clock of durations runs
// ahead. The wall clock stays, since the platform has the same.
const { syncBuiltinESMExports } = require('node:module');
const promises = require('node:timers/promises');

const factor = Number(process.env.FASTER);
const { setTimeout: wait } = promises;
const { uptime } = process;

promises.setTimeout = (ms = 1, ...rest) => wait(ms / factor, ...rest);
process.uptime = () => uptime() * factor;
syncBuiltinESMExports();
