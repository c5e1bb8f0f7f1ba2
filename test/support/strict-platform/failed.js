/** An error as the specification has it (spec 2.16). @param {number} status @param {string} message @returns {import('./types.ts').Answer} */
export function failed(status, message) {
  return { status, json: { message } };
}
