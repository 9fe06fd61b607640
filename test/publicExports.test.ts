import { readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { assert, it } from "vitest"

import project from "../tsconfig.json" with { type: "json" }

const root = fileURLToPath(new URL("..", import.meta.url))

/** The exports of a module: names, and the file with the name there that each stands for; `*` for a namespace. */
const exportsOf = (file: string): ReadonlyMap<string, string> => {
  const text = readFileSync(path.join(root, file), "utf8").replaceAll(/\/\*[^]*?\*\/|^\/\/.*$/gm, "")
  const at = (written = "") => path.posix.join(path.posix.dirname(file), written)
  const named = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from "(.+)"/gm)].flatMap(([, names = "", from]) =>
    [...names.matchAll(/(?:type )?(\w+)(?: as (\w+))?/g)].map(
      ([, name = "", as = name]) => [as, exportsOf(at(from)).get(name) ?? `${at(from)}#${name}`] as const
    )
  )
  const spaces = [...text.matchAll(/^export \* as (\w+) from "(.+)"/gm)]
  const all = [...text.matchAll(/^export \* from "(.+)"/gm)].flatMap(([, from]) => [...exportsOf(at(from))])
  const own = [...text.matchAll(/^export (?:const|class|interface|type) (\w+)/gm)]
  return new Map([
    ...named,
    ...spaces.map(([, name = "", from]) => [name, `${at(from)}#*`] as const),
    ...all,
    ...own.map(([, name = ""]) => [name, `${file}#${name}`] as const)
  ])
}

const subpaths = Object.entries(project.compilerOptions.paths).map(
  ([subpath, [file = ""]]) => [subpath, exportsOf(path.posix.normalize(file))] as const
)
const all = subpaths.flatMap(([subpath, names]) => [...names].map(([name, thing]) => ({ subpath, name, thing })))

it("gives a name one meaning in all subpaths", () => {
  assert.isAbove(all.length, 150)
  const others = all.filter((one) => all.some(({ name, thing }) => name === one.name && thing !== one.thing))
  assert.deepStrictEqual(others, [])
})

it("exports nothing both by itself and in a namespace", () => {
  const inside = all
    .filter(({ thing }) => thing.endsWith("#*"))
    .flatMap(({ thing }) => [...exportsOf(thing.slice(0, -2)).values()])
  assert.isAbove(inside.length, 50)
  assert.deepStrictEqual(
    all.filter(({ thing }) => inside.includes(thing)),
    []
  )
})
