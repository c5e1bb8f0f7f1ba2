/** The only style sheet of pages without charts; their content security policy has its hash. */
export const dashboardStyle = `
:root { color-scheme: light dark; --ink: #1d2430; --quiet: #5b6675; --page: #fff; --card: #f5f7fa; --edge: #d8dee6;
  --good: #1a7f37; --bad: #c62828; --busy: #9a6700; --link: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --quiet: #9aa6b5; --page: #11151b; --card: #1a2029;
  --edge: #313a47; --good: #4cc26d; --bad: #ff7b72; --busy: #d9a53b; --link: #8ab4f8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 4rem; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0; } .quiet { color: var(--quiet); } a { color: var(--link); }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .8rem .3rem 0;
  border-bottom: 1px solid var(--edge); vertical-align: top; } th { color: var(--quiet); font-weight: 500; }
.facts th { width: 11rem; } .good { color: var(--good); } .bad { color: var(--bad); } .busy { color: var(--busy); }
pre { background: var(--card); border: 1px solid var(--edge); padding: .8rem; max-height: 32rem; overflow: auto;
  white-space: pre-wrap; margin: 0; font: 13px/1.45 ui-monospace, monospace; }
th, .number { white-space: nowrap; } .bar { height: .8rem; } .number { text-align: right; font-variant-numeric: tabular-nums; } .head { margin-bottom: .5rem; }
form { margin: .5rem 0; } label { display: block; margin: .6rem 0; color: var(--quiet); } summary { cursor: pointer; }
input, textarea { display: block; width: 100%; padding: .4rem .5rem; background: var(--card); color: var(--ink);
  border: 1px solid var(--edge); font: 13px/1.45 ui-monospace, monospace; } input[size] { width: auto; }
button { padding: .4rem 1rem; background: var(--card); color: var(--ink); border: 1px solid var(--edge); font: inherit;
  cursor: pointer; } button:hover { border-color: var(--link); }
svg { display: block; width: 100%; height: auto; background: var(--card); border: 1px solid var(--edge); }
.app { fill: var(--link); }
.queue { fill: var(--quiet); } .start { fill: var(--busy); } .queue-text { color: var(--quiet); }
.start-text { color: var(--busy); } .app-text { color: var(--link); }
`;

/** What pages with charts have besides, in the colors of those. */
export const chartedStyle = `
:root { --good: #1a7f37; } @media (prefers-color-scheme: dark) { :root { --good: #4cc26d; } }
a { color: var(--p50); } .good { color: var(--good); } .bad { color: var(--failed); } .busy { color: var(--p90); }
header, section { overflow-wrap: anywhere; } main ~ section > h2 { margin-bottom: .5rem; }
table.plain:not(.u-legend) :is(th, td) { position: static; text-align: left; vertical-align: top; white-space: normal; }
table.plain:not(.u-legend) th { white-space: nowrap; } .facts th { width: 11rem; }
@media (max-width: 40rem) { table.facts:not(.u-legend) :is(th, td) { display: block; padding-left: 0; }
  table.facts:not(.u-legend) th { border: 0; padding-bottom: 0; } }
pre { max-height: 32rem; margin: 0; overflow: auto; white-space: pre-wrap; font: 13px/1.45 ui-monospace, monospace; }
`;
