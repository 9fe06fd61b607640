import { render } from "preact"

import { drawingStyle } from "../engine/workflow/drawing/style.ts"
import { App } from "./App.tsx"

const style = new CSSStyleSheet()
style.replaceSync(drawingStyle)
document.adoptedStyleSheets = [style]
render(<App />, document.body)
