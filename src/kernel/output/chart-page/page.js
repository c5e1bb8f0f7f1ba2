// Draws the panels of a chart in a browser. chart-page.ts writes it into the page, after uPlot, with series.js and
// value-texts.js: one script.

/** @typedef {import('../chart/model.ts').Chart} Chart */
/** @typedef {import('../chart/model.ts').Panel} Panel */

/** @type {Chart} */
const chart = JSON.parse(document.getElementById('chart')?.textContent ?? '');
const host = /** @type {HTMLElement} */ (document.getElementById('panels'));
const seconds = chart.axis ? [...chart.times] : starts(chart.times.map((time) => time / 1000));
/** The end of the last step: a bar covers its whole step. */
const end = chart.axis
  ? (seconds.at(-1) ?? 0)
  : 2 * (seconds.at(-1) ?? 0) - (seconds.at(-2) ?? (seconds.at(-1) ?? 0) - 60);
const x = seconds.length > 0 && !chart.axis ? [...seconds, end] : seconds;
/** From this ratio of highest to lowest value on, the scale is logarithmic, as on a terminal. */
const logarithmicRatio = 100;
const dashes = [[], [8, 4], [2, 3]];
/** `dashes` in the legend. */
const borders = ['solid', 'dashed', 'dotted'];
const inks = { bars: ['--bar', '--bad'], lines: ['--link', '--busy', '--high'] };
/** @type {Record<Panel['unit'], (value: number) => string>} */
const texts = { count: number, ms: duration, cores: amount, GB: amount, USD: dollars, '%': percent };
const heights = { bars: 200, lines: 260 };

/** 24-hour times, with the date where a day begins. The first value is the least distance of ticks, in seconds. */
const clockTexts = [
  [31_536_000, '{YYYY}', null, null, null, null, null, null, 1],
  [2_419_200, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [86_400, '{MMM} {D}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{MMM} {D}', null, '\n{MMM} {D}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{MMM} {D}', null, '\n{MMM} {D}', null, null, null, 1],
];

const clock = uPlot.fmtDate('{YYYY}-{MM}-{DD} {HH}:{mm}');

const sections = chart.panels.map((panel, index) => ({ panel, ...createSection(panel, index) }));
/** @type {uPlot[]} */
let plots = [];

const hint = 'Hover over a chart to read its values. Drag to zoom in, double-click to reset.';
host.prepend(Object.assign(document.createElement('p'), { className: 'hint quiet', textContent: hint }));
draw();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
new ResizeObserver(() => {
  for (const plot of plots) plot.setSize({ width: widthOf(plot.root.parentElement), height: plot.height });
}).observe(host);

/**
 * Widens a shortened first step: uPlot makes all bars as narrow as the narrowest step.
 * @param {number[]} times
 */
function starts([first, second, third, ...more]) {
  if (first === undefined || second === undefined || third === undefined)
    return [first, second].filter((time) => time !== undefined);
  return [Math.min(first, second - (third - second)), second, third, ...more];
}

/**
 * A section of the page for one panel.
 * @param {Panel} panel
 * @param {number} index
 */
function createSection(panel, index) {
  const section = document.createElement('section');
  section.id = `panel-${index}`;
  const head = section.appendChild(document.createElement('div'));
  head.className = 'head';
  head.appendChild(document.createElement('h2')).textContent = panel.title;
  head.appendChild(document.createElement('small')).textContent = remark(panel);
  const reset = head.appendChild(document.createElement('button'));
  reset.type = 'button';
  reset.textContent = 'Reset zoom';
  reset.hidden = true;
  reset.addEventListener('click', showAll);
  const field = section.appendChild(document.createElement('div'));
  field.className = panel.kind;
  const empty = panel.series.every(({ values }) => values.every((value) => !value));
  if (empty) section.appendChild(document.createElement('p')).textContent = 'No data in this time range.';
  host.append(section);
  return { field, reset, empty };
}

/** @param {Panel} panel */
function remark(panel) {
  const steps = panel.kind === 'bars' ? [`per ${chart.step}`] : [];
  const over = chart.axis ? `by ${chart.axis.title}` : chart.zone;
  return [...steps, ...(isLogarithmic(panel) ? ['on a logarithmic scale'] : []), over].join(', ');
}

function draw() {
  for (const plot of plots) plot.destroy();
  plots = sections
    .filter(({ empty }) => !empty)
    .map((section) => new uPlot(options(section), data(section.panel), section.field));
}

function showAll() {
  for (const plot of plots) plot.setScale('x', { min: x[0] ?? 0, max: end });
}

/** @param {HTMLElement | null} field */
function widthOf(field) {
  return Math.max(160, field?.clientWidth ?? 0);
}

/**
 * @param {Panel} panel
 * @returns {uPlot.AlignedData}
 */
function data(panel) {
  // A bar of 0 would show as a line, and a logarithmic scale cannot show 0.
  const omitsZero = panel.kind === 'bars' || isLogarithmic(panel);
  const rows = panel.series.map(({ values }) => [
    ...values.map((value) => (value === 0 && omitsZero ? null : value)),
    ...(chart.axis ? [] : [null]),
  ]);
  return /** @type {uPlot.AlignedData} */ ([x, ...rows]);
}

/** @param {Panel} panel */
function isLogarithmic({ unit, series }) {
  const known = series.flatMap(({ values }) => values.filter((value) => value !== null && value > 0));
  const [low, high] = known.reduce(
    ([min, max], value) => [Math.min(min, value ?? 0), Math.max(max, value ?? 0)],
    [Number.MAX_VALUE, 0],
  );
  return unit === 'ms' && high / low >= logarithmicRatio;
}

/**
 * @param {(typeof sections)[number]} section
 * @returns {uPlot.Options}
 */
function options({ panel, field, reset }) {
  const text = texts[panel.unit];
  const quantity = chart.axis && texts[chart.axis.unit];
  const logarithmic = isLogarithmic(panel);
  const font = '12px system-ui, sans-serif';
  const axis = { stroke: color('--quiet'), font, grid: { stroke: color('--edge'), width: 1 } };
  return {
    width: widthOf(field),
    height: heights[panel.kind],
    tzDate: localTime,
    cursor: {
      sync: { key: 'charts' },
      y: false,
      points: { size: 7 },
      drag: { x: true, y: false, dist: 5 },
      dataIdx: (_, __, nearest, time) => ((x[nearest] ?? 0) > time ? Math.max(0, nearest - 1) : nearest),
    },
    legend: {
      markers: {
        width: 2,
        fill: (_, at) => (panel.kind === 'bars' ? inkOf(panel, at - 1) : 'none'),
        dash: (_, at) => borders[panel.kind === 'bars' ? 0 : at - 1] ?? '',
      },
    },
    hooks: {
      setScale: [
        (plot, scale) => {
          if (scale === 'x') reset.hidden = plot.scales.x?.min === x[0] && plot.scales.x?.max === end;
        },
      ],
    },
    scales: {
      x: { time: !chart.axis, range: (_, min, max) => [min ?? 0, max ?? 60] },
      y: logarithmic ? { distr: 3 } : { range: (_, __, max) => [0, roomAbove(max)] },
    },
    axes: [
      {
        ...axis,
        ticks: { stroke: color('--edge'), size: 5 },
        values: quantity ? (_, ticks) => ticks.map((tick) => quantity(tick)) : clockTexts,
        space: 64,
      },
      {
        ...axis,
        ticks: { show: false },
        size: 68,
        grid: { ...axis.grid, filter: (_, ticks) => (logarithmic ? ticks.map(powersOfTen) : ticks) },
        values: (_, ticks) => ticks.map((tick) => (tick === null ? null : text(tick))),
      },
    ],
    series: [
      {
        label: chart.axis?.title ?? 'time',
        value: (_, at) => (at === null ? 'all' : quantity ? quantity(at) : clock(localTime(at))),
      },
      ...panel.series.map((series, index) => ({
        label: series.name,
        /** @type {uPlot.Series.Value} */
        value: (_, __, ___, at) =>
          at === null ? overall(panel, series.values, text) : valueText(series.values[at], text),
        ...(panel.kind === 'bars' ? bar(inkOf(panel, index), index) : line(inkOf(panel, index), index, series.values)),
      })),
    ],
  };
}

/**
 * @param {Panel} panel
 * @param {number} index
 */
function inkOf({ kind }, index) {
  return color(inks[kind][index] ?? '--quiet');
}

/** @param {number | null} tick */
function powersOfTen(tick) {
  const power = Math.log10(tick ?? 0);
  return Math.abs(power - Math.round(power)) < 1e-9 ? tick : null;
}

/** @param {number | null} max */
function roomAbove(max) {
  return max ? max * 1.08 : 1;
}

/** @param {number} time */
function localTime(time) {
  return uPlot.tzDate(new Date(time * 1000), chart.zone);
}
