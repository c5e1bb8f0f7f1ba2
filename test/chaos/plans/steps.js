import { drawFault } from '../faults.js';

/** @typedef {import('../draw.js').Draw} Draw @typedef {import('../types.ts').Step} Step */
/** @typedef {import('../types.ts').Command} Command @typedef {import('../types.ts').Moment} Moment */

/**
 * A disturbed run or two of one command, then the same command while nothing goes wrong.
 * @param {Draw} draw
 * @param {{
 *   command: Command, points: readonly string[], mayKill?: boolean, mayDouble?: boolean,
 *   meddle?: (draw: Draw) => import('../types.ts').Meddling[],
 *   between?: import('../types.ts').Meddling[], mayRunOutOfFiles?: boolean,
 * }} what
 * @returns {Step[]}
 */
export function drawSteps(draw, { command, points, mayKill = true, mayDouble = false, meddle, between, ...rest }) {
  const count = draw.weighted([
    [8, 1],
    [2, 2],
  ]);
  const steps = Array.from({ length: count }, (_, index) => {
    const isDouble = mayDouble && index === 0 && draw.chance(0.2);
    const faults = isDouble ? drawDelays(draw, points) : draw.chance(0.75) ? drawFaults(draw, points) : [];
    const isCalm = isDouble || faults.length > 0;
    const signal = mayKill && draw.chance(isCalm ? 0.15 : 0.5) ? drawSignal(draw, points) : undefined;
    const limit = rest.mayRunOutOfFiles && draw.chance(0.05) ? { fileLimit: draw.pick([4, 16, 64, 1024]) } : {};
    const disturbed = { ...command, ...limit, ...(signal ? { signal } : {}) };
    return {
      commands: isDouble ? [disturbed, drawSecond(draw, command, points)] : [disturbed],
      faults,
      meddling: meddle && draw.chance(0.25) ? meddle(draw) : [],
      isClean: false,
    };
  });
  return [
    ...steps,
    { commands: [command], faults: [], meddling: [], isClean: true, ...(between && { before: between }) },
  ];
}

/**
 * Two commands at a time mostly meet nothing worse than slow answers: then both have to end well, or one is refused.
 * @param {Draw} draw @param {readonly string[]} points
 */
function drawDelays(draw, points) {
  if (draw.chance(0.25)) return drawFaults(draw, points);
  const slow = () => ({
    point: draw.pick(points),
    what: 'slow',
    from: 1,
    times: draw.int(1, 6),
    ms: draw.int(50, 400),
  });
  return Array.from({ length: draw.int(0, 2) }, slow);
}

/** The same command once more, at once or while the first one is at work. @param {Draw} draw @param {Command} command @param {readonly string[]} points */
function drawSecond(draw, command, points) {
  const signal = draw.chance(0.1) ? { signal: drawSignal(draw, points) } : {};
  return { ...command, ...signal, ...(draw.chance(0.5) ? { start: drawMoment(draw, points) } : {}) };
}

/** @param {Draw} draw @param {readonly string[]} points */
function drawFaults(draw, points) {
  const count = draw.weighted([
    [7, 1],
    [2, 2],
    [1, 3],
  ]);
  return Array.from({ length: count }, () => drawFault(draw, points));
}

/** @param {Draw} draw @param {readonly string[]} points @returns {NonNullable<Command['signal']>} */
function drawSignal(draw, points) {
  const name = draw.weighted(
    /** @type {const} */ ([
      [5, 'SIGKILL'],
      [2, 'SIGINT'],
      [1, 'SIGTERM'],
      [2, 'SIGHUP'],
    ]),
  );
  return { name, when: drawMoment(draw, points) };
}

/** @param {Draw} draw @param {readonly string[]} points @returns {Moment} */
export function drawMoment(draw, points) {
  if (draw.chance(0.1)) return { delayMs: draw.int(20, 400) };
  return {
    point: draw.pick(points),
    nth: draw.weighted([
      [5, 1],
      [3, 2],
      [2, draw.int(3, 10)],
    ]),
    phase: draw.pick(/** @type {const} */ (['arrived', 'answered'])),
    delayMs: draw.chance(0.5) ? 0 : draw.int(1, 40),
  };
}
