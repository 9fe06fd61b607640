// What happens to modules on their way into the bundled command.
import { pathToFileURL } from "node:url"

/** The listener of platform-node could do web sockets, which nothing here does. */
export const noWebSockets = {
  name: "no web sockets",
  resolveId: (id) => (id === "ws" ? "\0ws" : undefined),
  load: (id) =>
    id === "\0ws" ? "export class WebSocket {}; export class WebSocketServer {}; export default {}" : undefined
}

/** What lists tell of a toolset is worked out here, once, and not at every start. */
export const outlines = {
  name: "outlines",
  load: {
    filter: { id: /[\\/]outline\.ts$/ },
    async handler(id) {
      const values = await import(pathToFileURL(id).href)
      const literal = (value) => `JSON.parse(${JSON.stringify(JSON.stringify(value))})`
      return {
        code: Object.entries(values)
          .map(([name, value]) => `export const ${name} = ${literal(value)}`)
          .join("\n"),
        moduleType: "js"
      }
    }
  }
}

/**
 * What is imported of Node is copied as it is, with its default: made by the bundler, each of its names would be a new getter
 * of what may be a hundred.
 */
export const plainImports = {
  name: "plain imports",
  transform: {
    filter: { id: /rolldown[\\/]runtime/ },
    handler(code) {
      const made = "export var __toESM ="
      if (!code.includes(made)) throw new Error("The bundler makes imports of Node in another way")
      const copied = "{ ...Object.getOwnPropertyDescriptors(mod), default: { value: mod, enumerable: true } }"
      return code.replace(made, `${made} (mod) => Object.create(Object.getPrototypeOf(mod), ${copied});\nvar byNames =`)
    }
  }
}

/**
 * What modules of effect do while they are loaded, and a start need not wait for, by their files: each text with what stands in
 * for it. Twice an error is made to see how V8 writes its stacks, which takes as long as all else of effect; a cutter of
 * characters takes 4 ms.
 */
const begunLater = new Map([
  ["Utils.js", [["if (limit === 0) return forced[InternalTypeId];", "return standard[InternalTypeId];"]]],
  ["internal/effect.js", [["if (limit === 0) return false;", "return true;"]]],
  [
    "cli/CliOutput.js",
    [
      ["const graphemeSegmenter = /*#__PURE__*/new Intl", "let made;\nconst segmenter = () => made ??= new Intl"],
      [" of graphemeSegmenter.segment(", " of segmenter().segment("]
    ]
  ]
])
export const later = {
  name: "later",
  transform: {
    filter: { id: [...begunLater.keys()].map((name) => `**/effect/dist/${name}`) },
    handler(code, id) {
      const [, name = ""] = id.replaceAll("\\", "/").split("/effect/dist/")
      return (begunLater.get(name) ?? []).reduce((text, [from, to]) => {
        if (!text.includes(from)) throw new Error(`effect's ${name} has no ${from} any more`)
        return text.replace(from, to)
      }, code)
    }
  }
}
