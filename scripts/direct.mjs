import { readFile } from "node:fs/promises"

/** A list file of effect pulls all that it lists into the first chunk; importing each module itself loads half as much. */
export const direct = {
  name: "direct",
  setup({ onLoad }) {
    const list = /^import \{([^}]*)\} from "(effect(?:\/[a-z-]+)?)"$/gm
    onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, async ({ path: file }) => ({
      loader: file.endsWith("x") ? "tsx" : "ts",
      contents: (await readFile(file, "utf8")).replace(list, (all, names, from) =>
        names
          .split(",")
          .map((name) => name.trim())
          .filter((name) => name !== "" && !name.startsWith("type "))
          .map((name) => name.split(/\s+as\s+/))
          .map(([name, here = name]) => `import * as ${here} from "${from}/${name}"`)
          .join(";")
      )
    }))
  }
}
