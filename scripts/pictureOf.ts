import { drawingStyle, type Element } from "../src/engine/workflow/drawing/svg.ts"

/** A drawing as a picture that stands for itself, in light and in dark: the text of an SVG file. */
export const pictureOf = (drawing: Element): string => {
  const { attributes, children, tag } = drawing
  const paper = { tag: "rect", attributes: paperOf(attributes), children: [] }
  const style = { tag: "style", attributes: {}, children: [`${drawingStyle}.drawing .paper{fill:var(--paper)}`] }
  return markup({ tag, attributes: { ...attributes, role: "img" }, children: [style, paper, ...children] })
}

const paperOf = ({ viewBox }: Element["attributes"]): Element["attributes"] => {
  const [x = 0, y = 0, width = 0, height = 0] = String(viewBox).split(" ")
  return { class: "paper", x, y, width, height, rx: 12 }
}

const markup = ({ attributes, children, tag }: Element): string => {
  const words = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
  const inside = children.map((child) => (typeof child === "string" ? escaped(child) : markup(child))).join("")
  return inside === "" ? `<${tag}${words.join("")}/>` : `<${tag}${words.join("")}>${inside}</${tag}>`
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (char) => entities[char] ?? "")
