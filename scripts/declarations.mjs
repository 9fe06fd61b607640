// Keeps of the compiler's declarations those that a program can reach from a subpath, each file's in their order.
import { readdir, readFile, rm, writeFile } from "node:fs/promises"
import path from "node:path"

const start = /^(?:export|declare|import|interface|type)\b/
const declared =
  /^(?:export )?(?:declare )?(?:abstract )?(?:const|let|class|function|interface|type|namespace|enum) ([\w$]+)/
const from = /^(?:export|import) (?:type )?(?:\* as ([\w$]+)|\*|\{([^}]*)\})(?: from "([^"]+)")?;$/m
const inline = /\bimport\("(\.[^"]+)"\)\.(\w+)/g

/** The names in braces: as the other module has them, and as they are called here. */
const namesIn = (list) =>
  list
    .split(",")
    .map((name) => name.trim().replace(/^type /, ""))
    .filter((name) => name !== "")
    .map((name) => {
      const [there, here = there] = name.split(" as ")
      return { there, here }
    })

/** What stands between two lines that begin something new, with the comment before it. */
const split = (text) => {
  const parts = []
  let comment = ""
  let isComment = false
  for (const line of text.split(/\r?\n/)) {
    if (isComment || line.startsWith("/**")) {
      comment += `${line}\n`
      isComment = !line.includes("*/")
    } else if (start.test(line)) {
      parts.push({ comment, text: `${line}\n` })
      comment = ""
    } else if (parts.length > 0) {
      parts.at(-1).text += `${comment}${line}\n`
      comment = ""
    }
  }
  return parts
}

const statement = (file, part) => {
  const [, all, list, module] = from.exec(part.text) ?? []
  const [, name] = declared.exec(part.text) ?? []
  return {
    ...part,
    isExport: part.text.startsWith("export"),
    name,
    all,
    names: list === undefined ? undefined : namesIn(list),
    module: module?.startsWith(".") ? fileOf(file, module) : undefined,
    isFrom: all !== undefined || module !== undefined || list !== undefined,
    /** Of what it imports by name, what somebody wants. */
    wanted: new Set()
  }
}
const fileOf = (file, module) => path.join(path.dirname(file), module.replace(/\.[jt]s$/, ".d.ts"))

/** Walks from the exports of some files through all that they need. */
const reach = async (entries) => {
  const files = new Map()
  const kept = new Set()
  const whole = new Set()
  const read = async (file) => {
    if (!files.has(file))
      files.set(
        file,
        split(await readFile(file, "utf8")).map((part) => statement(file, part))
      )
    return files.get(file)
  }

  const keepAll = async (file) => {
    if (whole.has(file)) return
    whole.add(file)
    for (const one of (await read(file)).filter(({ isExport }) => isExport)) {
      if (one.names) for (const { here } of one.names) await keep(file, here)
      else await keepOne(file, one)
    }
  }

  /** Keeps what a file exports, or only declares, under a name; tells whether there is such a thing. */
  const find = async (file, name) => {
    const statements = await read(file)
    const own = statements.filter((one) => one.name === name || (one.isExport && one.all === name))
    for (const one of own) await keepOne(file, one)
    const lists = statements.filter(({ isExport, names }) => isExport && names?.some(({ here }) => here === name))
    for (const one of lists) await keepNamed(file, one, name)
    if (own.length > 0 || lists.length > 0) return true
    for (const one of statements.filter(({ all, isExport, isFrom, names }) => isExport && isFrom && !all && !names)) {
      if (await find(one.module, name)) {
        kept.add(one)
        return true
      }
    }
    return false
  }
  const keep = async (file, name) => {
    if (!(await find(file, name))) throw new Error(`${file} declares no ${name}`)
  }

  const keepNamed = async (file, one, name) => {
    kept.add(one)
    if (one.wanted.has(name)) return
    one.wanted.add(name)
    const { there } = one.names.find(({ here }) => here === name)
    if (one.module) await keep(one.module, there)
    else if (one.isExport) await keepLocal(file, new Set([there]))
  }

  const keepOne = async (file, one) => {
    if (kept.has(one)) return
    kept.add(one)
    if (one.isExport && one.isFrom) {
      if (one.module) await keepAll(one.module)
      return
    }
    for (const [, module, name] of one.text.matchAll(inline)) await keep(fileOf(file, module), name)
    await keepLocal(file, new Set(one.text.match(/[\w$]+/g)), one.text)
  }

  /** What a file itself declares or imports under some names; of what it imports whole, the members that a text names. */
  const keepLocal = async (file, words, text = "") => {
    for (const other of await read(file)) {
      if (other.name && words.has(other.name)) await keepOne(file, other)
      if (other.isExport || !other.isFrom) continue
      for (const { here } of other.names ?? []) if (words.has(here)) await keepNamed(file, other, here)
      if (!words.has(other.all)) continue
      kept.add(other)
      const members = text.matchAll(new RegExp(`\\b${other.all.replaceAll("$", "\\$")}\\.(\\w+)`, "g"))
      if (other.module) for (const [, member] of members) await keep(other.module, member)
    }
  }

  for (const file of entries) await keepAll(file)
  return [...files].map(([file, statements]) => ({ file, statements: statements.filter((one) => kept.has(one)) }))
}

/** One statement with the names that are wanted, in tabs, with the modules' names at run time. */
const print = ({ comment, names, text, wanted }) => {
  const list = names
    ?.filter(({ here }) => wanted.has(here))
    .map(({ here, there }) => (here === there ? here : `${there} as ${here}`))
  const said = (word) => new RegExp(`[{,]\\s*type ${word.replaceAll("$", "\\$")}\\b`).test(text)
  const short = list
    ? text.replace(/\{[^}]*\}/, `{ ${list.map((name) => (said(name) ? `type ${name}` : name)).join(", ")} }`)
    : text
  return `${comment}${short}`
    .replace(/^(?: {4})+/gm, (indent) => "\t".repeat(indent.length / 4))
    .replace(/(\bfrom |\bimport\(|^import )"(\.[^"]+?)\.ts"/gm, '$1"$2.js"')
}

/** Cuts the declarations in a folder down to what the entries need. */
export const keepReachable = async (folder, entries) => {
  const reached = (await reach(entries)).filter(({ statements }) => statements.length > 0)
  const kept = new Set(reached.map(({ file }) => file))
  for (const { file, statements } of reached) {
    // Without this line, what a file only declares for itself would be exported, too.
    const closed = statements.some(({ isExport, isFrom }) => !isExport && !isFrom) ? "export {};\n" : ""
    await writeFile(file, statements.map(print).join("") + closed)
  }
  for (const name of await readdir(folder, { recursive: true })) {
    const file = path.join(folder, name)
    if (file.endsWith(".d.ts") && !kept.has(file)) await rm(file)
  }
  for (const name of (await readdir(folder, { recursive: true })).reverse()) {
    const isEmpty = path.extname(name) === "" && (await readdir(path.join(folder, name))).length === 0
    if (isEmpty) await rm(path.join(folder, name), { recursive: true })
  }
}
