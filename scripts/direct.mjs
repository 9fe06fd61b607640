import { readFile } from "node:fs/promises"

const list = /^import \{([^}]*)\} from "(effect(?:\/[a-z-]+)?)"$/gm

/** A list file of effect pulls all that it lists into the first chunk; importing each module itself loads half as much. */
const toModules = (code) =>
  code.replace(list, (all, names, from) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type "))
      .map((name) => name.split(/\s+as\s+/))
      .map(([name, here = name]) => `import * as ${here} from "${from}/${name}"`)
      .join(";")
  )

const ours = /[\\/]src[\\/].*\.tsx?$/

/** As a plugin of rolldown. */
export const directInRolldown = {
  name: "direct",
  transform: { filter: { id: ours }, handler: toModules }
}

/** As a plugin of esbuild. */
export const direct = {
  name: "direct",
  setup({ onLoad }) {
    onLoad({ filter: ours }, async ({ path: file }) => ({
      loader: file.endsWith("x") ? "tsx" : "ts",
      contents: toModules(await readFile(file, "utf8"))
    }))
  }
}
