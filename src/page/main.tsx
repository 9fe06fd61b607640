import { render } from "preact"

import { App } from "./App.tsx"
import { prepare } from "./prepare.ts"

prepare()
render(<App />, document.body)
