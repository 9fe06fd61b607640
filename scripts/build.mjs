import { spawnSync } from "node:child_process"
import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

// Builds dist/: the library with its types for programs that embed the server, and the command in few files that load
// only what a start needs.
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))
process.chdir(root)
await rm("dist", { recursive: true, force: true })

const library = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "scripts/tsconfig.build.json"], {
  stdio: "inherit"
})
if (library.status !== 0) process.exit(1)

/** platform-node passes undici on with `export *`, which finds no names in a bundled CommonJS module: name them. */
const undici = {
  name: "undici",
  setup({ onLoad }) {
    onLoad({ filter: /platform-node[\\/]dist[\\/]Undici\.js$/ }, ({ path: file }) => ({
      contents: [
        'import undici from "undici"',
        "export const { Agent, ProxyAgent, FormData, getGlobalDispatcher } = undici",
        "export default undici"
      ].join("\n"),
      resolveDir: path.dirname(file)
    }))
  }
}

/** A list file of effect pulls all that it lists into the first chunk; importing each module itself loads half as much. */
const direct = {
  name: "direct",
  setup({ onLoad }) {
    const list = /^import \{([^}]*)\} from "(effect(?:\/[a-z-]+)?)"$/gm
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path: file }) => ({
      loader: "ts",
      contents: (await readFile(file, "utf8")).replace(list, (all, names, from) =>
        names
          .split(",")
          .map((name) => name.trim())
          .filter((name) => name !== "" && !name.startsWith("type "))
          .map((name) => `import * as ${name} from "${from}/${name}"`)
          .join(";")
      )
    }))
  }
}

const { metafile } = await build({
  entryPoints: ["src/main.ts"],
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
  plugins: [direct, undici],
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);'
  }
})
await chmod("dist/main.js", 0o755)
await writeFile("dist/THIRD-PARTY-LICENSES.txt", await licenses(Object.keys(metafile.inputs)))

/** The licence texts of every package that is part of the command. */
async function licenses(inputs) {
  const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//
  const folders = [...new Set(inputs.flatMap((input) => folder.exec(input)?.[1] ?? []))].sort()
  const texts = await Promise.all(
    folders.map(async (dir) => {
      const { name, version, license } = JSON.parse(await readFile(path.join(dir, "package.json"), "utf8"))
      const file = (await readdir(dir)).find((entry) => /^licen[cs]e/i.test(entry))
      return [`${name} ${version} (${license})`, ...(file ? [await readFile(path.join(dir, file), "utf8")] : [])].join(
        "\n\n"
      )
    })
  )
  return texts.join(`\n${"-".repeat(80)}\n`)
}
