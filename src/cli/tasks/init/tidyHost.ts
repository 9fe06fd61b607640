import { withoutEnd } from "../../../internal/texts.ts"

/** Pages of the engine's editor, whose address people copy. */
const editorPage = /\/(?:home|workflow|workflows|settings|signin|setup|projects|executions|credentials)(?:\/.*|$)/s

/** The base address in what people paste: without the editor's page or the API's path, and with a scheme. */
export const tidyHost = (written: string): string => {
  const trimmed = written.trim()
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::|\/|$)/i.test(trimmed)
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `${isLocal ? "http" : "https"}://${trimmed}`
  const [address = ""] = whole.split(/[?#]/, 1)
  const base = withoutEnd(address, "/")
    .replace(/\/api\/v1(?:\/.*|$)/is, "")
    .replace(editorPage, "")
  return withoutEnd(base, "/")
}
