import { render } from "preact"

import { drawingStyle } from "../../engine/workflow/drawing/style.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { numberOf, objectOf, textOf } from "../json.ts"
import { connect } from "./host.ts"
import { type Shown, View } from "./View.tsx"

const style = new CSSStyleSheet()
style.replaceSync(drawingStyle)
document.adoptedStyleSheets = [style]

let given: JsonObject = {}
let shown: Shown = {}

const show = (more: Shown) => {
  shown = { ...shown, ...more }
  render(<View {...shown} />, document.body)
}

const follow = (context: JsonObject) => {
  const theme = textOf(context.theme)
  if (theme !== "light" && theme !== "dark") return
  document.documentElement.dataset.theme = theme
  document.documentElement.style.colorScheme = theme
}

const host = connect({
  "ui/notifications/tool-input": (params) => {
    given = objectOf(params.arguments)
  },
  "ui/notifications/tool-result": (result) => {
    const answer = objectOf(result.structuredContent)
    const instance = textOf(given.instance)
    const place = instance === "" ? {} : { instance }
    show({ answer })
    const call = (name: string, args: object, then: (answer: JsonObject) => void) =>
      host.request("tools/call", { name, arguments: { ...args, ...place } }, (called) => {
        const found = objectOf(called?.structuredContent)
        if (called?.isError !== true && Object.keys(found).length > 0) then(found)
      })
    call("get_workflow", { id: answer.id }, (workflow) => show({ workflow }))
    const execution = numberOf(objectOf(answer.execution).id) || Number(textOf(objectOf(answer.execution).id))
    if (execution > 0) {
      call("get_execution", { id: execution, includeData: true, items: 3 }, (run) => show({ execution: run }))
    }
  },
  "ui/notifications/host-context-changed": follow
})

const about = {
  protocolVersion: "2026-01-26",
  appInfo: { name: "workflow-tool-server", version: "1" },
  appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] }
}
host.request("ui/initialize", about, (answer) => {
  follow(objectOf(answer?.hostContext))
  host.notify("ui/notifications/initialized", {})
})
new ResizeObserver(() => {
  const { height, width } = document.documentElement.getBoundingClientRect()
  host.notify("ui/notifications/size-changed", { width: Math.ceil(width), height: Math.ceil(height) })
}).observe(document.documentElement)
show({})
