import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { assert, describe, it } from "vitest"

import manifest from "../package.json" with { type: "json" }
import project from "../tsconfig.json" with { type: "json" }

const root = fileURLToPath(new URL("../src", import.meta.url))

/** One source file: its path below `src`, its text, and what it imports, types and lazy imports included. */
interface Source {
  readonly file: string
  readonly text: string
  /** The text without comments, strings and import lists. */
  readonly code: string
  readonly ours: ReadonlyArray<string>
  /** Those of them that are there when it runs: no types. */
  readonly run: ReadonlyArray<string>
  readonly foreign: ReadonlyArray<string>
}

const importOf = /(?:\bfrom|\bimport)\s*\(?\s*"([^"\s]+)"/g
/** The parts of a source that are no code; one pattern, or a comment's beginning inside a text would count as one. */
const notCode = new RegExp(
  [
    /^(?:import|export)\s(?:type\s)?(?:\*(?:\sas\s\w+)?|\{[^}]*\}|\w+)\sfrom\s"[^"]*"[^\n]*$/,
    /\/\*[^]*?\*\//,
    /\/\/[^\n]*/,
    /`(?:[^`\\]|\\.)*`/,
    /"(?:[^"\\\n]|\\.)*"/,
    /(?<=[=(,:[!&|?]\s*|^\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuyv]*/
  ]
    .map(({ source }) => source)
    .join("|"),
  "gm"
)

const typeImport = /^(?:import|export)\stype\s[^;"]*?\sfrom\s"[^"]*"/gms

const read = (file: string): Source => {
  const text = readFileSync(path.join(root, file), "utf8")
  const importsIn = (source: string) => [...source.matchAll(importOf)].map(([, from = ""]) => from)
  const ownIn = (source: string) =>
    importsIn(source)
      .filter((from) => from.startsWith("."))
      .map((from) => path.posix.join(path.posix.dirname(file), from))
  return {
    file,
    text,
    code: text.replace(notCode, " "),
    ours: ownIn(text),
    run: ownIn(text.replace(typeImport, "")),
    foreign: importsIn(text).filter((from) => !from.startsWith("."))
  }
}

const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((file) => file.split(path.sep).join("/"))
  .filter((file) => /\.tsx?$/.test(file))
  .toSorted()
  .map(read)

/** Floors of the building, from the ground up: an import leads down, or stays in its folder. */
const floors = [
  ["internal", "version.ts"],
  ["mcp"],
  ["changes"],
  ["engine", "marketplace"],
  ["index.ts", "ai"],
  ["cli", "page"],
  ["main.ts"]
]

const roomOf = (file: string) => file.split("/")[0] ?? ""
const floorOf = (file: string) => floors.findIndex((rooms) => rooms.includes(roomOf(file)))

/** Those inside `engine`. */
const engineFloors = [
  ["workflow"],
  ["client", "embedded"],
  ["nodes", "history"],
  ["upgrade"],
  ["tools"],
  ["operator", "api"],
  ["plans", "toolset"]
]

const engineRoomOf = (file: string) => (file.startsWith("engine/") ? file.split("/")[1] : undefined)
const engineFloorOf = (file: string) => engineFloors.findIndex((rooms) => rooms.includes(engineRoomOf(file) ?? ""))

/** Every import as an arrow, except those that a rule has nothing against. */
const arrows = (isWrong: (from: string, to: string) => boolean) =>
  sources.flatMap(({ file, ours }) => ours.filter((to) => isWrong(file, to)).map((to) => `${file} > ${to}`))

/** Everything that files import, directly and by detours, types included; without the files themselves. */
const reachedFrom = (isStart: (file: string) => boolean): ReadonlyArray<string> => {
  const imports = new Map(sources.map(({ file, ours }) => [file, ours]))
  const reached = new Set<string>()
  const open = [...imports.keys()].filter(isStart)
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const to of imports.get(file) ?? []) {
      if (!reached.has(to)) open.push(to)
      reached.add(to)
    }
  }
  return [...reached].filter((file) => !isStart(file)).toSorted()
}

const isBelow =
  (...folders: ReadonlyArray<string>) =>
  (file: string) =>
    folders.some((folder) => file === folder || file.startsWith(`${folder}/`))

/** A round trip along arrows, if there is one. */
const cycle = (graph: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyArray<string> => {
  const done = new Set<string>()
  const walk = (node: string, trail: ReadonlyArray<string>): ReadonlyArray<string> => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node]
    if (done.has(node)) return []
    for (const next of graph.get(node) ?? []) {
      const found = walk(next, [...trail, node])
      if (found.length > 0) return found
    }
    done.add(node)
    return []
  }
  return [...graph.keys()].map((node) => walk(node, [])).find((found) => found.length > 0) ?? []
}

/** A file beside the folders is a room of its own. */
const folderOf = (file: string) => (file.includes("/") ? path.posix.dirname(file) : file)

/** A folder and what lies inside it count as one. */
const areOne = (a: string, b: string) => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)

const graphOf = (name: (file: string) => string) => {
  const graph = new Map<string, Set<string>>()
  for (const { file, ours } of sources) {
    const targets = graph.get(name(file)) ?? new Set()
    for (const to of ours) if (!areOne(name(to), name(file))) targets.add(name(to))
    graph.set(name(file), targets)
  }
  return graph
}

describe("imports", () => {
  it("lead to files that exist", () => {
    const known = new Set(sources.map(({ file }) => file))
    assert.deepStrictEqual(
      arrows((_, to) => /\.tsx?$/.test(to) && !known.has(to)),
      []
    )
    assert.isAbove(sources.length, 50)
  })

  it("lead down, or stay in their folder", () => {
    assert.deepStrictEqual(
      arrows((from, to) => roomOf(from) !== roomOf(to) && floorOf(from) <= floorOf(to)),
      []
    )
  })

  it("lead down inside of engine, too, whose rooms all have a floor", () => {
    const within = sources.map(({ file }) => file).filter(isBelow("engine"))
    assert.deepStrictEqual(
      within.filter((file) => engineFloorOf(file) < 0),
      []
    )
    assert.deepStrictEqual(
      arrows((from, to) => {
        const [room, target] = [engineRoomOf(from), engineRoomOf(to)]
        if (room === undefined || target === undefined || room === target) return false
        return engineFloorOf(from) <= engineFloorOf(to)
      }),
      []
    )
  })

  it("go in no circle, between files or between folders", () => {
    assert.deepStrictEqual(cycle(graphOf((file) => file)), [])
    assert.deepStrictEqual(cycle(graphOf(folderOf)), [])
  })

  it("start in rooms that have a floor", () => {
    assert.deepStrictEqual([...new Set(sources.map(({ file }) => file).filter((file) => floorOf(file) < 0))], [])
  })

  it("keep the embedded engine apart, also by detours, from the client that it is to judge: it knows rules alone", () => {
    assert.isAbove(sources.filter(({ file }) => isBelow("engine/embedded")(file)).length, 20)
    const isRule = isBelow("internal", "engine/workflow")
    assert.deepStrictEqual(
      reachedFrom(isBelow("engine/embedded")).filter((file) => !isRule(file)),
      []
    )
  })

  it("keep the embedded marketplace apart, also by detours, from the client that it is to judge", () => {
    const isClient = (file: string) => /^marketplace\/client\/(?:MarketplaceAds|call)\.ts$/.test(file)
    assert.isAbove(sources.filter(({ file }) => isClient(file)).length, 1)
    assert.deepStrictEqual(reachedFrom(isBelow("marketplace/embedded")).filter(isClient), [])
  })

  it("keep the two upstreams apart, also by detours", () => {
    assert.deepStrictEqual(reachedFrom(isBelow("marketplace")).filter(isBelow("engine")), [])
    assert.deepStrictEqual(reachedFrom(isBelow("engine")).filter(isBelow("marketplace")), [])
  })

  it("keep the core of plans apart, also by detours, from every upstream", () => {
    assert.isAbove(sources.filter(({ file }) => isBelow("changes")(file)).length, 10)
    assert.deepStrictEqual(reachedFrom(isBelow("changes")).filter(isBelow("engine", "marketplace", "cli")), [])
  })

  it("reach the marketplace in its own place of the command, which test/toolsets.test.ts takes away", () => {
    const isOutside = (file: string) => !isBelow("marketplace", "cli/marketplace", "ai")(file)
    assert.deepStrictEqual(
      arrows((from, to) => isOutside(from) && !isOutside(to)),
      ["cli/toolsets/toolsets.ts > cli/marketplace/marketplace.ts"]
    )
  })

  const files = new Map(sources.map((source) => [source.file, source]))
  /** The modules that run when these run: themselves, and what they import but for types. */
  const runningWith = (isStart: (file: string) => boolean) => {
    const reached = new Set([...files.keys()].filter(isStart))
    for (const file of reached) for (const to of files.get(file)?.run ?? []) reached.add(to)
    return reached
  }
  const isReader = isBelow(
    ...["activeOwners", "checkWorkflow", "expressions", "instanceReferences"].map(
      (name) => `engine/nodes/check/${name}.ts`
    )
  )
  it.each([
    ["marketplace/plan", isBelow("marketplace/plan"), 15],
    ["engine/plans", (file: string) => /^engine\/plans\/\w+\/draft\w+\.ts$/.test(file), 3],
    ["engine/upgrade", isBelow("engine/upgrade"), 3],
    ["engine/nodes/check", (file: string) => isBelow("engine/nodes/check")(file) && !isReader(file), 12],
    ["engine/workflow", isBelow("engine/workflow"), 30]
  ])(
    "keep the planners and rules of %s pure: neither they nor what they call knows anything of effects",
    (_, isRule, least) => {
      assert.isAbove(sources.filter(({ file }) => isRule(file)).length, least - 1)
      const effects = [...runningWith(isRule)].filter((file) =>
        /\b(?:Effect|Layer|Context)\b/.test(files.get(file)?.code ?? "")
      )
      assert.deepStrictEqual(effects, [])
    }
  )

  it("take from node only in the command", () => {
    const isNode = (from: string) => from.startsWith("node:") || from.startsWith("@effect/platform-node")
    assert.deepStrictEqual(
      sources
        .filter(({ file, foreign }) => !isBelow("cli", "main.ts")(file) && foreign.some(isNode))
        .map(({ file }) => file),
      []
    )
  })

  it("bring in nothing from outside but effect, the parsers of the configuration file and of expressions, and what mail needs", () => {
    const isKnown = (from: string) =>
      /^(?:effect|jsonc-parser$|acorn$|jose$|nodemailer$|@effect\/platform-node|node:|workflow-tool-server\/package\.json)/.test(
        from
      )
    assert.deepStrictEqual(
      sources
        .filter(({ file }) => !isBelow("page")(file))
        .flatMap(({ foreign }) => foreign)
        .filter((from) => !isKnown(from)),
      []
    )
  })

  it("let the page, which runs in a browser, know rules and no program, and bring in preact alone", () => {
    const page = sources.filter(({ file }) => isBelow("page")(file))
    assert.isAbove(page.length, 15)
    assert.deepStrictEqual([...new Set(page.flatMap(({ foreign }) => foreign))].toSorted(), [
      "effect",
      "preact",
      "preact/hooks"
    ])
    assert.deepStrictEqual(
      sources.flatMap(({ file, ours }) => (isBelow("page")(file) ? [] : ours.filter(isBelow("page")))),
      []
    )
    const isRule = isBelow(
      "page",
      "engine/workflow",
      "internal/collections.ts",
      "internal/foreignText.ts",
      "internal/json/digest.ts",
      "internal/schema/JsonObject.ts",
      "internal/secrets"
    )
    assert.deepStrictEqual(
      page.flatMap(({ file, run }) => run.filter((to) => !isRule(to)).map((to) => `${file} > ${to}`)),
      []
    )
  })
})

describe("subpaths of the package", () => {
  it("are those of the sources that the tests import", () => {
    const built = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
      typeof target === "string" ? [] : [[subpath.replace(".", "workflow-tool-server"), target.default] as const]
    )
    assert.deepStrictEqual(
      built.map(([name, file]) => [name, [file.replace("./dist/lib/", "./src/").replace(/js$/, "ts")]]),
      Object.entries(project.compilerOptions.paths)
    )
  })
})

describe("sources", () => {
  const holding = (pattern: RegExp, isExempt: (file: string) => boolean = () => false) =>
    sources
      .filter(({ code, file }) => !isExempt(file) && pattern.test(code))
      .map(({ code, file }) => `${file}: ${pattern.exec(code)?.[0]}`)

  it("say the vendor's name where the wire needs it, and nowhere else", () => {
    const mayName = isBelow("engine/workflow/naming.ts", "engine/client/config/aliases.ts", "engine/embedded")
    assert.deepStrictEqual(
      sources.filter(({ file, text }) => !mayName(file) && /n8n/i.test(text)).map(({ file }) => file),
      []
    )
  })

  it("are looked at whole: nothing that a file declares is taken for a comment or a text", () => {
    const declared = /^(?:export )?(?:const|class|interface) \w+/gm
    assert.deepStrictEqual(
      sources.flatMap(({ code, file, text }) => {
        const kept = new Set(code.match(declared))
        return [...(text.match(declared) ?? [])].filter((name) => !kept.has(name)).map((name) => `${file}: ${name}`)
      }),
      []
    )
  })

  it("silence no compiler", () => {
    assert.deepStrictEqual(holding(/\bany\b|\bas\s+(?!const\b)\w|@ts-|(?<=[\w)\]])!(?=[.;,)\]\s])(?!=)/), [])
  })

  it("leave exceptions, promises, time and chance to Effect", () => {
    assert.deepStrictEqual(
      holding(
        /\btry\s*\{|\}\s*catch\b|\basync\b|(?<!\.)\bawait\b|\bnew Promise\b|\bPromise\.|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bset(?:Timeout|Interval)\b|\bthrow\b/,
        isBelow("main.ts", "page/readJson.ts", "page/browser.ts")
      ),
      []
    )
  })

  it("run no text as code", () => {
    assert.deepStrictEqual(holding(/(?<!\.)\beval\(|\bFunction\(|\bimport\((?!\s)/), [])
    assert.deepStrictEqual(
      sources.filter(({ foreign }) => foreign.includes("node:vm")).map(({ file }) => file),
      []
    )
  })

  it("write to standard output only what the protocol or the caller asked for", () => {
    assert.deepStrictEqual(holding(/(?<!\.)\bconsole\./), [])
  })

  it("stay short enough to be read", () => {
    assert.deepStrictEqual(
      sources.map(({ file, text }) => ({ file, lines: text.split("\n").length })).filter(({ lines }) => lines > 300),
      []
    )
  })
})
