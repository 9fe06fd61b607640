import type { Scene, SceneLabel, SceneNode, SceneNote, SceneWire } from "./model.ts"
import { fit, round, wrap } from "./text.ts"

/** An element of a drawing; texts are text, whatever they hold. */
export interface Element {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string | number>>
  readonly children: ReadonlyArray<Element | string>
}

const element = (
  tag: string,
  attributes: Element["attributes"],
  children: ReadonlyArray<Element | string> = []
): Element => ({ tag, attributes, children })

/** The drawing of a scene. Every node is a group whose `data-node` is its place in the scene. */
export const svgOf = (scene: Scene): Element =>
  element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      class: scene.nodes.some(({ fate }) => fate !== undefined) ? "drawing of-run" : "drawing",
      viewBox: [scene.x, scene.y, scene.width, scene.height].map(round).join(" "),
      width: round(scene.width),
      height: round(scene.height),
      role: "group",
      "aria-label": `Workflow ${scene.name}, ${count(scene.nodes.length, "node")}`
    },
    [
      element("g", { "aria-hidden": "true" }, scene.notes.map(note)),
      element("g", { "aria-hidden": "true" }, [...scene.wires.map(wire), ...scene.labels.map(label)]),
      element("g", {}, scene.nodes.map(node)),
      ...(scene.nodes.length === 0
        ? [element("text", { class: "empty", x: scene.x + 24, y: scene.y + 62 }, ["This workflow has no nodes yet"])]
        : [])
    ]
  )

/** A node in words: those that are drawn on it, as they are drawn, so that it can be called by them; then what these leave out. */
const spoken = (node: SceneNode, drawn: ReadonlyArray<string>): string => {
  const { fate, isDisabled, isPinned, kind, name, role, runText, words } = node
  const whole = [
    fate === "failed" ? "failed" : fate === "ran" ? "ran" : fate === "idle" ? "not reached" : "",
    fate === "failed" || fate === "ran" ? runText : "",
    name,
    kind,
    words,
    role === "trigger" ? "trigger" : role === "missing" ? "connected, but not there" : "",
    isDisabled ? "disabled" : "",
    isPinned ? "pinned data" : ""
  ]
  return [...new Set([...drawn, ...whole])].filter((part) => part !== "").join(", ")
}

const textOf = (one: Element | string): string => (typeof one === "string" ? one : one.children.map(textOf).join(""))

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`

const note = ({ colour, height, lines, width, x, y }: SceneNote): Element =>
  element("g", { class: `note tint-${colour}`, transform: `translate(${round(x)} ${round(y)})` }, [
    element("rect", { width: round(width), height: round(height), rx: 6 }),
    ...lines.map((line, at) => element("text", { x: 12, y: 22 + at * 16 }, [line]))
  ])

const wire = ({ fate, isPart, path }: SceneWire): Element =>
  element("path", {
    class: ["wire", ...(isPart ? ["of-part"] : []), ...(fate === undefined ? [] : [`is-${fate}`])].join(" "),
    d: path
  })

const label = ({ isPart, text, x, y }: SceneLabel): Element =>
  element("text", { class: isPart ? "label of-part" : "label", x: round(x), y: round(y) }, [text])

const node = (one: SceneNode, place: number): Element => {
  const { fate, height, isDisabled, look, role, width, x, y } = one
  const classes = [
    "node",
    `in-${look.group}`,
    `as-${role}`,
    ...(fate === undefined ? [] : [`is-${fate}`]),
    ...(isDisabled ? ["is-disabled"] : [])
  ]
  const isPart = role === "part" || role === "missing"
  const tile = isPart ? 28 : 36
  const top = (height - tile) / 2
  const left = isPart ? 43 : 54
  const [titles, badges, lines] = [captions(one, left), badgesOf(one), runLines(one)]
  return element(
    "g",
    {
      class: classes.join(" "),
      transform: `translate(${round(x)} ${round(y)})`,
      "data-node": place,
      role: "img",
      "aria-label": spoken(one, [...[...titles, ...badges].map(textOf), lines.map(textOf).join(" ")])
    },
    [
      element("rect", { class: "card", width, height, rx: isPart ? height / 2 : 10 }),
      element("rect", {
        class: "tile",
        x: isPart ? 8 : 10,
        y: round(top),
        width: tile,
        height: tile,
        rx: isPart ? 14 : 8
      }),
      element("path", {
        class: "sign",
        transform: isPart ? `translate(13 ${round(top + 5)}) scale(.75)` : `translate(16 ${round(top + 6)})`,
        d: look.sign
      }),
      // The blanks keep the words of one text from those of the next where all are read as one.
      ...[...titles, ...badges, ...lines].flatMap((text) => [text, " "]),
      ...signs(one)
    ]
  )
}

const captions = ({ height, kind, name, role, words, width }: SceneNode, left: number): ReadonlyArray<Element> => {
  const isPart = role === "part" || role === "missing"
  const size = isPart ? 11.5 : 13
  const room = width - left - (isPart ? 12 : 8)
  const second = fit(words === "" ? kind : words, room, 10.5)
  return [
    element("text", { class: "name", x: left, y: round(height / 2 - 3) }, [fit(name, room, size)]),
    element("text", { class: "words", x: left, y: round(height / 2 + 12) }, [second])
  ]
}

const badgesOf = ({ isDisabled, isPinned, width }: SceneNode): ReadonlyArray<Element> =>
  isDisabled ? [badge(width - 8, 0, "off")] : isPinned ? [badge(width - 8, 0, "pinned")] : []

const runLines = ({ fate, height, runText, width }: SceneNode): ReadonlyArray<Element> =>
  fate === "failed"
    ? wrap(runText, width + 40, 11, 2).map((line, at) =>
        element("text", { class: "told", x: 2, y: height + 16 + at * 14 }, [line])
      )
    : fate === "ran"
      ? [element("text", { class: "told", x: width / 2, y: height + 14 }, [fit(runText, width + 30, 11)])]
      : []

const signs = ({ fate, width }: SceneNode): ReadonlyArray<Element> =>
  fate === "failed" || fate === "ran"
    ? [
        element("circle", { class: "fate", cx: width - 2, cy: 2, r: 8 }),
        element("path", {
          class: "fate-sign",
          transform: `translate(${width - 2} 2)`,
          d: fate === "ran" ? "M-3.4 .2-1 2.6 3.6-2.4" : "M0-4v4.6M0 3.4v.2"
        })
      ]
    : []

const badge = (right: number, y: number, text: string): Element => {
  const width = text.length * 6 + 12
  return element("g", { class: "badge", transform: `translate(${right - width} ${y - 8})` }, [
    element("rect", { width, height: 16, rx: 8 }),
    element("text", { x: width / 2, y: 11.5 }, [text])
  ])
}

const light = `--paper:#fff;--card:#fff;--line:#c3c9d4;--ink:#1c2330;--soft:#5b6577;--good:#15803d;--bad:#c62828;--wire:#9aa4b5;
--trigger:#7c3aed;--branch:#b45309;--code:#475569;--data:#2563eb;--ai:#0f766e;--web:#0369a1;--message:#be185d;--store:#4d7c0f;--flow:#6d5b00;--other:#57534e`

const dark = `--paper:#12161d;--card:#1c222c;--line:#3a4454;--ink:#e8ecf3;--soft:#a3aec0;--good:#4ade80;--bad:#ff8a80;--wire:#66728a;
--trigger:#b794f6;--branch:#f0a94b;--code:#a9b6c9;--data:#7fb0ff;--ai:#4fd1c0;--web:#5cc0f2;--message:#f48fbb;--store:#a5cf5a;--flow:#d9c24a;--other:#b8b2aa`

/**
 * The style sheet of drawings, light and dark, for the page that shows one. An attribute `data-theme` around a drawing chooses one
 * of both; without it, the reader's preference counts.
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
