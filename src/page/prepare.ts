import { options } from "preact"

import { drawingStyle } from "../engine/workflow/drawing/svg.ts"
import { visible } from "../internal/foreignText.ts"
import { maskText } from "../internal/secrets/maskSecrets.ts"

/** A text of others without what has the form of a secret, and with everything in it to be seen. */
export const safeText = (text: string): string => visible(maskText(text))

/** Attributes that people read or hear. */
const spoken = ["aria-label", "title", "placeholder"] as const

/** Gives the document the style of drawings, and lets every text that is rendered be a safe one. */
export const prepare = () => {
  const style = new CSSStyleSheet()
  style.replaceSync(drawingStyle)
  document.adoptedStyleSheets = [style]
  options.vnode = (node) => {
    // A node that is a text has it in place of its properties.
    const props: unknown = node.props
    if (typeof props === "string") Object.assign(node, { props: safeText(props) })
    else if (typeof node.type === "string" && typeof props === "object" && props !== null) {
      for (const name of spoken) {
        const text: unknown = Reflect.get(props, name)
        if (typeof text === "string") Reflect.set(props, name, safeText(text))
      }
    }
  }
}
