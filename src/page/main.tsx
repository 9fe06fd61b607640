import { options, render } from "preact"

import { drawingStyle } from "../engine/workflow/drawing/svg.ts"
import { visible } from "../internal/foreignText.ts"
import { maskText } from "../internal/secrets/maskSecrets.ts"
import { App } from "./App.tsx"
import { startView } from "./view/startView.tsx"

/** Shows every text of the page without what has the form of a secret, and with everything in it to be seen. */
const showSafeTexts = () => {
  options.vnode = (node) => {
    // A node that is a text has it in place of its properties.
    const text: unknown = node.props
    if (typeof text === "string") Object.assign(node, { props: visible(maskText(text)) })
  }
}

const style = new CSSStyleSheet()
style.replaceSync(drawingStyle)
document.adoptedStyleSheets = [style]
showSafeTexts()

// One file for both: most of it is the drawing, which both show.
if (document.documentElement.dataset.view === undefined) render(<App />, document.body)
else startView()
