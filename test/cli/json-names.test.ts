import { expect, test } from 'vitest';
import { outputSchemaOf, reference } from '../../src/cli/reference.ts';
import type { JsonSchema } from '../../src/cli/result-schema.ts';

/**
 * The names in gantry's own documents, by type: one name for one thing. A new field gets one of these names, or the table
 * gets a new one if it is a new thing. What the platform sent keeps its own names.
 */
const names: Record<string, string> = {
  string: `
    $schema advice app approveUrl archive at because branch build by calls category cause check
    code command commit condition confirm createdAt curl dashboard data date description effect
    email encoding endpoint endsAt estimate event evidence expiresAt failedBuild file fix flags folder forwardedTo
    found from function group hardware id input kind lastCallAt line localLimit lock loggedAt message
    method mount name option origin output path pipeline planCode platform platformOrigin problem profile
    profileOrigin project projectOrigin proof reason receivedAt redirectUrl region regionOrigin replaced requestId
    requirement restored results revision role run runtime script section serves serviceAccount
    servingSince setting severity sha256 shell sick signature since source startedAt startsAt status stillUsed
    stoppedBy storedIn stream summary target text title to token tokenOrigin type until unusedToken updatedAt url
    usage usedAt user value verdict version volume what when why within
  `,
  array: `
    added after anyOf apps arguments argv assumptions before builds changed choices commands
    days details differences entries examples exitCodes failed failures flags folders from frontier
    hours imported incidents indexes largest log logs next options paths problems profiles removed
    replaced requires resolvedAnew restartable selection settings skipped stale steps toCommit toDelete toSet unchanged
    unknown warnings weights written
  `,
  object: `
    $defs addresses after allows before categories coldStart commands deployment details environment
    error errors evidence failure figures fileChanges files groups headers health here json keep lastHour latest live
    location notStarted parts plan platform predictionError record replicas runTime send setup unknown waste
  `,
  boolean: `
    byDefault changed confirmed current deleted dirty drifted dryRun exists failed hasFiles hasToken holds isComplete
    isFolder laterSucceeded merged needsDeploy older opened public quick removed renewable required resetByNextDeploy retryable
    seldom sent unattended valid valueRequired variadic verified
  `,
  'number with a unit': `
    afterShare appMs beforeShare breaksCallsPerSecond budgetCents buildMs busySeconds bytes callsPerSecond
    centsPerHour centsPerMonth centsPerSecond centsPerThousand changeShare coldStartMs coldStartsPerMinute
    coldStartsShare compressedBytes cooldownSeconds copiedBytes costCents costShare durationMs errorShare
    firstByteMs heldMs holdsCallsPerSecond idleCents idleSeconds lineMs localMs maxCentsPerHour maxMs meanMs minCentsPerHour p50Ms p90Ms
    p90Share p95Ms p999Ms p99Ms packMs queueMs replicaSeconds resumedBytes retryAfterMs savesCents savesSeconds
    sizeGb totalCents uploadMs waitedMs watchedMs
  `,
  number: `
    byCrc32 calls chance code coldStarts column concurrency copied crc32 days debugPort deleted equal equalFiles errors
    events exitCode extra failed failedJobs failedRuns files foundRuns index inputs jobs length line listed maxReplicas
    minReplicas missing moreColdStarts new newFailures oldSecrets others pending pid port programExitCode queued refused replicas
    restarts runStatusCode running runs skipped smokeCalls statusCode succeeded to tried unattributed unchanged
    unfinished unread unverified updated value verifiedFiles
  `,
  any: `
    body coupons default error fix from summary to
  `,
};

const unit = /(Ms|Seconds|[Bb]ytes|Gb|Cents|Share|Per(Second|Minute|Hour|Month|Thousand))$/;
const table = Object.entries(names).flatMap(([type, words]) =>
  words
    .trim()
    .split(/\s+/)
    .map((name) => `${type} ${name}`),
);

test('every field of our own documents has its name from one table', async () => {
  const commands = (await reference()).commands.filter(({ output }) => output);
  const schemas = await Promise.all(commands.map(({ command }) => outputSchemaOf(command)));
  const used = schemas.flatMap(({ $defs }) => Object.values($defs).flatMap((schema) => [...fieldsOf(schema)]));
  expect([...new Set(used)].sort(), 'a new thing gets a name in the table above, and one that is gone none').toEqual(
    table.sort(),
  );
});

/** `number with a unit durationMs` of each field at any depth, unless the platform sent it. */
function* fieldsOf(schema: JsonSchema): Generator<string> {
  if (isForeign(schema)) return;
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (isForeign(field)) continue;
    for (const type of typesOf(field))
      yield `${type === 'number' && unit.test(name) ? 'number with a unit' : type} ${name}`;
    yield* fieldsOf(field);
  }
  const { items, additionalProperties: others } = schema;
  for (const part of [...(schema.anyOf ?? []), items, others]) if (typeof part === 'object') yield* fieldsOf(part);
}

function isForeign({ $comment = '' }: JsonSchema): boolean {
  return $comment.includes('passed through');
}

function typesOf({ anyOf, type, const: value }: JsonSchema): string[] {
  if (anyOf) return anyOf.flatMap(typesOf).filter((each) => each !== 'null');
  if (value !== undefined) return ['string'];
  return [type === 'integer' ? 'number' : (type ?? 'any')];
}
