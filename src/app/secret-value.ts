/** Ordinary values (`LOG_LEVEL=WARNING`) are not hidden: that makes logs unreadable. */
export function isSecretVariable(name: string, value: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => secretWords.has(word)) || hasCredentials(value) || value.split(/[^\w+]|_/).some(isRandom);
}

/** Words of names such as `API_KEY`, `githubToken` and `DB_PASS`. Not `tokens`, which are counted. */
const secretWords = new Set(
  'apikey auth cookie credential credentials dsn key keys passphrase passwd password pass pwd salt secret secrets token'.split(
    ' ',
  ),
);

/** `postgres://user:password@host/name`, a private key, a JWT. */
function hasCredentials(value: string): boolean {
  return /^[a-z][\w+.-]*:\/\/[^/@\s]*:[^/@\s]+@|-----BEGIN [A-Z ]*PRIVATE KEY|^eyJ[\w-]+\./i.test(value);
}

/** As of a generator: long, of letters and digits, each about as likely as another. */
function isRandom(word: string): boolean {
  if (word.length < 20 || !/\d/.test(word) || !/[a-z]/i.test(word)) return false;
  const counts = new Map<string, number>();
  for (const character of word) counts.set(character, (counts.get(character) ?? 0) + 1);
  const shares = [...counts.values()].map((count) => count / word.length);
  return shares.reduce((bits, share) => bits - share * Math.log2(share), 0) > leastBits;
}

/** The least bits of each character: hexadecimal digits have up to 4, words about 3. */
const leastBits = 3.2;
