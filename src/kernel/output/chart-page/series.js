// How a series is drawn: bars, or lines. Part of page.js.

/**
 * @param {string} ink
 * @param {number} index
 * @returns {Partial<uPlot.Series>}
 */
function bar(ink, index) {
  return {
    paths: /** @type {uPlot.Series.BarsPathBuilderFactory} */ (uPlot.paths.bars)({ size: [0.86, 64], align: 1 }),
    fill: index === 0 ? ink : (plot) => hatching(plot, ink),
    stroke: ink,
    width: index === 0 ? 0 : 1,
    points: { show: false },
  };
}

/**
 * Hatching, so that failures can be distinguished without color.
 * @param {uPlot} plot
 * @param {string} ink
 */
function hatching(plot, ink) {
  const tile = document.createElement('canvas');
  const size = 6 * devicePixelRatio;
  tile.width = tile.height = size;
  const pen = /** @type {CanvasRenderingContext2D} */ (tile.getContext('2d'));
  pen.fillStyle = color('--card');
  pen.fillRect(0, 0, size, size);
  pen.strokeStyle = ink;
  pen.lineWidth = size / 2.4;
  for (const from of [-size, 0, size]) {
    pen.beginPath();
    pen.moveTo(from - 1, size + 1);
    pen.lineTo(from + size + 1, -1);
    pen.stroke();
  }
  return plot.ctx.createPattern(tile, 'repeat') ?? ink;
}

/**
 * @param {string} ink
 * @param {number} index
 * @param {Panel['series'][number]['values']} values
 * @returns {Partial<uPlot.Series>}
 */
function line(ink, index, values) {
  const alone = [...values.keys()].filter(
    (at) => (values[at] ?? null) !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null,
  );
  return {
    stroke: ink,
    width: 2,
    dash: dashes[index] ?? [],
    // A single value between two gaps has no line, so it needs a point.
    points: { show: true, size: 5, fill: ink, filter: (plot) => (values.length * 10 < plot.width ? null : alone) },
  };
}

/** @param {string} name */
function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
