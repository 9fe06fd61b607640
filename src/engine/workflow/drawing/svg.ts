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

/** A node in words: for those who listen. */
export const spoken = ({ fate, isDisabled, isPinned, kind, name, role, told, words }: SceneNode): string =>
  [
    name,
    role === "trigger" ? `${kind}, trigger` : role === "missing" ? "connected, but not there" : kind,
    role === "missing" ? "" : words,
    isDisabled ? "disabled" : "",
    isPinned ? "pinned data" : "",
    fate === "failed" ? `failed: ${told}` : fate === "ran" ? `ran: ${told}` : fate === "idle" ? "not reached" : ""
  ]
    .filter((part) => part !== "")
    .join(", ")

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
  return element(
    "g",
    {
      class: classes.join(" "),
      transform: `translate(${round(x)} ${round(y)})`,
      "data-node": place,
      role: "img",
      "aria-label": spoken(one)
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
      ...captions(one, left),
      ...marks(one)
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

const marks = ({ fate, height, isDisabled, isPinned, told, width }: SceneNode): ReadonlyArray<Element> => [
  ...(isDisabled ? [badge(width - 8, 0, "off")] : isPinned ? [badge(width - 8, 0, "pinned")] : []),
  ...(fate === "failed"
    ? wrap(told, width + 40, 11, 2).map((line, at) =>
        element("text", { class: "told", x: 2, y: height + 16 + at * 14 }, [line])
      )
    : fate === "ran"
      ? [element("text", { class: "told", x: width / 2, y: height + 14 }, [fit(told, width + 30, 11)])]
      : []),
  ...(fate === "failed" || fate === "ran"
    ? [
        element("circle", { class: "fate", cx: width - 2, cy: 2, r: 8 }),
        element("path", {
          class: "fate-sign",
          transform: `translate(${width - 2} 2)`,
          d: fate === "ran" ? "M-3.4 .2-1 2.6 3.6-2.4" : "M0-4v4.6M0 3.4v.2"
        })
      ]
    : [])
]

const badge = (right: number, y: number, text: string): Element => {
  const width = text.length * 6 + 12
  return element("g", { class: "badge", transform: `translate(${right - width} ${y - 8})` }, [
    element("rect", { width, height: 16, rx: 8 }),
    element("text", { x: width / 2, y: 11.5 }, [text])
  ])
}
