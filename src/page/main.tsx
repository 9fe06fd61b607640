import { render } from "preact"

import { drawingStyle } from "../engine/workflow/drawing/svg.ts"
import { App } from "./App.tsx"
import { showSafeTexts } from "./safeTexts.ts"
import { startView } from "./view/startView.tsx"

const style = new CSSStyleSheet()
style.replaceSync(drawingStyle)
document.adoptedStyleSheets = [style]
showSafeTexts()

// One file for both: most of it is the drawing, which both show.
if (document.documentElement.dataset.view === undefined) render(<App />, document.body)
else startView()
