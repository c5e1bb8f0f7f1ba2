/** The one document on stdout, if it is one. @param {Buffer} stdout @returns {any} */
export function jsonOf(stdout) {
  try {
    return JSON.parse(stdout.toString('utf8'));
  } catch {
    return undefined;
  }
}
