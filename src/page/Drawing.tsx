import { h, type VNode } from "preact"
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"

import type { Scene } from "../engine/workflow/drawing/model.ts"
import { type Element as Drawn, svgOf } from "../engine/workflow/drawing/svg.ts"
import { nextNode } from "./nextNode.ts"

interface Props {
  readonly scene: Scene
  /** The place of the selected node in the scene. */
  readonly selected: number | undefined
  readonly onSelect: (place: number) => void
}

const smallest = 0.1

/** Below this a drawing opens with a part of itself, rather than with words that nobody can read. */
const smallestReadable = 0.7

/** A workflow to look at and to walk through: one stop of the Tab key, from where the arrow keys lead on. */
export const Drawing = ({ onSelect, scene, selected }: Props) => {
  const frame = useRef<HTMLDivElement>(null)
  const [zoom, setZoom] = useState(1)
  const drawing = useMemo(() => svgOf(scene), [scene])
  const children = useMemo(() => drawing.children.map((child) => vnodeOf(child)), [drawing])
  const zoomToFit = (smallest: number) => {
    const room = frame.current?.clientWidth ?? scene.width
    setZoom(Math.min(1, Math.max(smallest, room / scene.width)))
  }
  useLayoutEffect(() => zoomToFit(smallestReadable), [scene])
  useLayoutEffect(() => {
    const node = nodeAt(frame.current, selected)
    for (const other of frame.current?.querySelectorAll(".is-selected") ?? []) other.classList.remove("is-selected")
    node?.classList.add("is-selected")
    makeStop(frame.current, node)
    if (node !== undefined) node.scrollIntoView({ block: "nearest", inline: "nearest" })
  }, [selected, scene, zoom])

  const choose = (event: Event) => {
    const place = placeOf(event.target)
    if (place !== undefined) onSelect(place)
  }
  const walk = (event: KeyboardEvent) => {
    const place = placeOf(event.target)
    if (place === undefined) return
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault()
      onSelect(place)
      return
    }
    const next = nextNode(scene.nodes, place, event.key)
    const node = nodeAt(frame.current, next)
    if (node === undefined) return
    event.preventDefault()
    makeStop(frame.current, node)
    node.focus()
    node.scrollIntoView({ block: "nearest", inline: "nearest" })
  }
  const { height, width, ...attributes } = drawing.attributes
  return (
    <div class="canvas">
      <div class="row tools" role="toolbar" aria-label="Size of the drawing">
        <button type="button" onClick={() => setZoom((now) => Math.max(smallest, now / 1.25))} aria-label="Smaller">
          −
        </button>
        <output aria-live="polite">{Math.round(zoom * 100)} %</output>
        <button type="button" onClick={() => setZoom((now) => Math.min(2.5, now * 1.25))} aria-label="Larger">
          +
        </button>
        <button type="button" onClick={() => zoomToFit(smallest)}>
          Fit
        </button>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- what is clicked are the nodes inside */}
      <div ref={frame} class="frame" onClick={choose} onKeyDown={walk} onPointerDown={drag}>
        {h("svg", { ...attributes, width: Number(width) * zoom, height: Number(height) * zoom }, children)}
      </div>
    </div>
  )
}

const vnodeOf = (drawn: Drawn | string): VNode | string => {
  if (typeof drawn === "string") return drawn
  const { attributes, children, tag } = drawn
  const inside = children.map((child) => vnodeOf(child))
  if (!Object.hasOwn(attributes, "data-node")) return h(tag, attributes, inside)
  return h(tag, { ...attributes, role: "button", tabindex: attributes["data-node"] === 0 ? 0 : -1 }, inside)
}

const placeOf = (target: EventTarget | null): number | undefined => {
  const place = target instanceof Element ? target.closest("[data-node]")?.getAttribute("data-node") : null
  return place === null || place === undefined ? undefined : Number(place)
}

const nodeAt = (frame: HTMLElement | null, place: number | undefined): SVGElement | undefined => {
  const element = place === undefined ? null : frame?.querySelector(`[data-node="${place}"]`)
  return element instanceof SVGElement ? element : undefined
}

/** The node at which the Tab key stops. */
const makeStop = (frame: HTMLElement | null, node: Element | undefined) => {
  if (node === undefined) return
  for (const other of frame?.querySelectorAll('[data-node][tabindex="0"]') ?? []) other.setAttribute("tabindex", "-1")
  node.setAttribute("tabindex", "0")
}

/** The paper is drawn along with the pointer. */
const drag = (event: PointerEvent) => {
  const frame = event.currentTarget
  if (!(frame instanceof HTMLElement) || event.button !== 0 || event.pointerType !== "mouse") return
  if (placeOf(event.target) !== undefined) return
  const [x, y] = [event.clientX + frame.scrollLeft, event.clientY + frame.scrollTop]
  const move = (now: PointerEvent) => frame.scrollTo(x - now.clientX, y - now.clientY)
  addEventListener("pointermove", move)
  addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true })
}
