const light = `--paper:#fff;--card:#fff;--line:#c3c9d4;--ink:#1c2330;--soft:#5b6577;--good:#15803d;--bad:#c62828;--wire:#9aa4b5;
--trigger:#7c3aed;--branch:#b45309;--code:#475569;--data:#2563eb;--ai:#0f766e;--web:#0369a1;--message:#be185d;--store:#4d7c0f;--flow:#6d5b00;--other:#57534e`

const dark = `--paper:#12161d;--card:#1c222c;--line:#3a4454;--ink:#e8ecf3;--soft:#a3aec0;--good:#4ade80;--bad:#ff8a80;--wire:#66728a;
--trigger:#b794f6;--branch:#f0a94b;--code:#a9b6c9;--data:#7fb0ff;--ai:#4fd1c0;--web:#5cc0f2;--message:#f48fbb;--store:#a5cf5a;--flow:#d9c24a;--other:#b8b2aa`

/**
 * How drawings look, in light and in dark; whoever shows one lays this beside it. Around it, `data-theme` says which of
 * both, where that is not what the reader prefers everywhere.
 */
export const drawingStyle = `
.drawing{${light};
font-family:Inter,"Segoe UI",system-ui,-apple-system,"Helvetica Neue",Arial,sans-serif;color:var(--ink)}
@media (prefers-color-scheme:dark){.drawing{${dark}}}
[data-theme=light] .drawing{${light}}
[data-theme=dark] .drawing{${dark}}
.drawing .wire{fill:none;stroke:var(--wire);stroke-width:1.75}
.drawing .wire.of-part{stroke-dasharray:4 4}
.drawing .wire.is-ran{stroke:var(--good);stroke-width:2.25}
.drawing .wire.is-idle{opacity:.5}
.drawing .label{font-size:10px;fill:var(--soft);paint-order:stroke;stroke:var(--paper);stroke-width:3px}
.drawing .label.of-part{text-anchor:middle}
.drawing .card{fill:var(--card);stroke:var(--line);stroke-width:1.25}
.drawing .as-trigger .card{stroke:var(--trigger)}
.drawing .as-missing .card{stroke-dasharray:4 4;fill:none}
.drawing .tile{fill:var(--group);opacity:.14}
.drawing .sign{fill:none;stroke:var(--group);stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}
.drawing .name{font-size:13px;font-weight:600;fill:var(--ink)}
.drawing .words{font-size:10.5px;fill:var(--soft)}
.drawing .as-part .name,.drawing .as-missing .name{font-size:11.5px}
.drawing .in-trigger{--group:var(--trigger)}.drawing .in-branch{--group:var(--branch)}.drawing .in-code{--group:var(--code)}
.drawing .in-data{--group:var(--data)}.drawing .in-ai{--group:var(--ai)}.drawing .in-web{--group:var(--web)}
.drawing .in-message{--group:var(--message)}.drawing .in-store{--group:var(--store)}.drawing .in-flow{--group:var(--flow)}
.drawing .in-other{--group:var(--other)}
.drawing .is-disabled>.card{stroke-dasharray:3 4}.drawing .is-disabled>:not(.badge){opacity:.55}.drawing .is-disabled>.tile{opacity:.08}
.drawing .is-ran>.card{stroke:var(--good);stroke-width:1.5}
.drawing .is-failed>.card{stroke:var(--bad);stroke-width:2.5}
.drawing .is-idle>.card{stroke-opacity:.6}.drawing .is-idle>.sign{opacity:.5}.drawing .is-idle>.tile{opacity:.07}
.drawing .told{font-size:11px;fill:var(--good);text-anchor:middle}
.drawing .is-failed .told{fill:var(--bad);text-anchor:start;font-weight:600}
.drawing .fate{fill:var(--good)}.drawing .is-failed .fate{fill:var(--bad)}
.drawing .fate-sign{fill:none;stroke:var(--paper);stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.drawing .badge rect{fill:var(--soft)}.drawing .badge text{font-size:10px;font-weight:600;fill:var(--paper);text-anchor:middle}
.drawing .note rect{fill:var(--tint);fill-opacity:.16;stroke:var(--tint);stroke-opacity:.5}
.drawing .note text{font-size:12px;fill:var(--ink)}
.drawing .tint-1{--tint:#eab308}.drawing .tint-2{--tint:#f97316}.drawing .tint-3{--tint:#ef4444}.drawing .tint-4{--tint:#22c55e}
.drawing .tint-5{--tint:#3b82f6}.drawing .tint-6{--tint:#a855f7}.drawing .tint-7{--tint:#94a3b8}
.drawing .empty{font-size:14px;fill:var(--soft)}
`
