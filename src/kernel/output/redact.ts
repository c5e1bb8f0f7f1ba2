import { hideCookies, hideHeaders, hideProperties, hideSchemes, hideUserInfo } from './hide-credentials.ts';
import { hideParameters, hideSignatures } from './hide-signatures.ts';
import { hideTokens } from './hide-tokens.ts';
import type { KnownSecrets } from './known-secrets.ts';

/**
 * Hides credentials: the secrets of this run, and whatever looks like a bearer token, the value of a header such as
 * `Authorization`, `X-Auth-Token` or `Cookie`, a password in a URL or the query of a signed link. Every step reads the
 * text once, so hostile text costs linear time.
 */
export function redact(text: string, known?: KnownSecrets): string {
  const unknown = known ? known.hideIn(text) : text;
  if (!suspicious.test(unknown)) return unknown;
  const steps = [
    hideHeaders,
    hideCookies,
    hideTokens,
    hideSchemes,
    hideProperties,
    hideUserInfo,
    hideParameters,
    hideSignatures,
  ];
  return steps.reduce((safe, step) => step(safe), unknown);
}

/** Whether {@link redact} could change the text. True for some harmless texts, but never false for a secret. */
export function mayHoldSecret(text: string, known: KnownSecrets): boolean {
  return suspicious.test(text) || known.isIn(text);
}

/** What every pattern of these steps begins with or contains. An alternation of literals cannot backtrack. */
const suspicious =
  /eyJ|cookie|session|bearer|basic|authorization|@|api.?key|sig|credential|token|secret|passw|access(?:key)?id|(?:access|functions|private|subscription)-?key|key-pair-id|auth|sv(?:=|%)|stringtosign|(?:amz|goog)-/i;
