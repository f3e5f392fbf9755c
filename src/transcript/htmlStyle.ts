/** The looks of an exported page: one column of prose, calls set back, light or dark as the reader's system is. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fdfdfc; --raised: #f3f3f0; --line: #dcdcd6; --text: #1f2022; --quiet: #5c5f66; --accent: #20609f; --bad: #b3261e;
  --mono: ui-monospace, "Cascadia Code", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #17181a; --raised: #202225; --line: #36393e; --text: #e3e4e6; --quiet: #a0a4ab; --accent: #84b9ee; --bad: #ff9d94;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 52rem; background: var(--ground); color: var(--text);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere;
}
a { color: var(--accent); }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
h1 { margin: 0 0 1rem; font-size: 1.7rem; line-height: 1.25; }
header dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .6rem 1.5rem; margin: 0; font-size: .85rem; }
dt { color: var(--quiet); }
dd { margin: 0; }
.left-out { margin: 1.25rem 0 0; color: var(--quiet); font-size: .85rem; }
.turn { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: .75rem; }
h2 { display: flex; flex-wrap: wrap; gap: .1rem .9rem; margin: 0 0 1rem; font-size: .85rem; font-weight: 400; color: var(--quiet); }
h2 a { font-weight: 600; text-decoration: none; }
.prompt { margin: 0 0 1rem; border-inline-start: 3px solid var(--accent); border-radius: 4px; background: var(--raised); padding: .6rem 1rem; }
.prompt h3 { margin: 0; font-size: .75rem; font-weight: 600; color: var(--quiet); }
.answer { margin: 1rem 0; }
.prose :is(h1, h2, h3, h4, h5, h6) {
  display: block; margin: 1.4em 0 .5em; font-family: inherit; font-size: 1.05rem; font-weight: 650;
  line-height: 1.3; color: inherit;
}
.prose h1 { font-size: 1.3rem; }
.prose h2 { font-size: 1.15rem; }
.prose > :first-child { margin-top: 0; }
.prose > :last-child { margin-bottom: 0; }
pre, code { font-family: var(--mono); font-size: .85em; }
code { border-radius: 3px; background: var(--raised); padding: .1em .3em; }
pre { margin: .5rem 0; border: 1px solid var(--line); border-radius: 5px; background: var(--raised); padding: .6rem .8rem; line-height: 1.45; overflow-x: auto; white-space: pre-wrap; tab-size: 4; }
.prose pre { white-space: pre; overflow-wrap: normal; }
.prompt pre, .prompt code { background: var(--ground); }
pre code, .prompt pre code { background: none; padding: 0; font-size: 1em; }
blockquote { margin: 1rem 0; border-inline-start: 3px solid var(--line); padding-inline-start: 1rem; color: var(--quiet); }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: .92em; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: start; }
hr { border: 0; border-top: 1px solid var(--line); }
.picture, .address { border-bottom: 1px dotted var(--quiet); }
.references { display: flex; flex-wrap: wrap; gap: .4rem; margin: .6rem 0 0; padding: 0; list-style: none; font-size: .9rem; }
.tool { margin: .4rem 0; border: 1px solid var(--line); border-radius: 5px; font-size: .92rem; }
.tool > summary { display: flex; align-items: baseline; gap: .6rem; padding: .3rem .75rem; }
.tool > summary::before { content: "▸"; color: var(--quiet); }
.tool[open] > summary::before { content: "▾"; }
.tool > summary::-webkit-details-marker { display: none; }
.tool > summary b { flex: none; max-width: 60%; font-weight: 600; }
summary { cursor: pointer; }
.hint { flex: 0 1 auto; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; background: none; color: var(--quiet); }
.tool > summary .failed { color: var(--bad); }
.tool > div { border-top: 1px solid var(--line); padding: .5rem .75rem .75rem; }
h4 { margin: .6rem 0 .2rem; font-size: .8rem; font-weight: 600; color: var(--quiet); }
h5 { margin: .4rem 0 0; font: .8rem var(--mono); color: var(--quiet); }
.short { display: flex; align-items: baseline; gap: .6rem; margin: .4rem 0; }
.short h5 { margin: 0; }
.none { margin: .2rem 0; color: var(--quiet); font-style: italic; }
.tool pre { max-height: 32rem; overflow: auto; }
.marker { margin: 1rem 0; color: var(--quiet); font-size: .88rem; }
.marker > p { display: flex; align-items: center; gap: .8rem; margin: 0; text-align: center; }
.marker > p::before, .marker > p::after { content: ""; flex: 1 1 1rem; border-top: 1px solid var(--line); }
.marker details { margin-top: .4rem; }
.ended { color: var(--bad); font-size: .9rem; }
@media print {
  body { max-width: none; padding: 0; }
  .tool pre { max-height: none; }
}
`;
