// The home of the user's entry in the system is that of the suite's machine too (own-machine.ts): a program without HOME
// looks there.
const os = require('node:os');
const { syncBuiltinESMExports } = require('node:module');
const { GANTRY_TEST_HOME: homedir } = process.env;
const { userInfo } = os;
/** @type {any} */ (os).userInfo = (/** @type {any} */ options) => ({ ...userInfo(options), homedir });
syncBuiltinESMExports();
