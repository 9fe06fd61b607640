// Everything in the repository that is made from the code: tables of the pages, and what clients see of each tool. `npm run docs`
// brings it up to date.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { Effect, Schema } from "effect"

import manifest from "../package.json" with { type: "json" }
import { flag, flagNames, spelling } from "../src/cli/configuration/flags.ts"
import { everything } from "../src/cli/tasks/call/completions.ts"
import { loadToolsets } from "../src/cli/toolsets/toolsets.ts"
import { skills } from "../src/engine/operator/skills.ts"
import { forAnyServer, skillFile } from "../src/mcp/Skill.ts"
import type { Tool } from "../src/mcp/Tool.ts"
import { plot } from "../test/bench/plot.ts"
import { type PeerResult, Results } from "../test/bench/results.ts"
import { readTries } from "../test/engines/tries.ts"
import { installLinks, repositoryUrl as repository, serverJson } from "./distribution.ts"
import { engineDifferences, engineRows } from "./engines.ts"
import { optionRows } from "./options.ts"

export const root = fileURLToPath(new URL("..", import.meta.url))

const results = Schema.decodeUnknownSync(Schema.fromJsonString(Results))(
  readFileSync(path.join(root, "test/bench/results.json"), "utf8")
)

/** What a generated part needs of a tool; the services that it works on do not matter. */
type Described = Omit<Tool, "call">

/** All that the command offers. */
const {
  toolsets
}: { readonly toolsets: ReadonlyArray<{ readonly name: string; readonly tools: ReadonlyArray<Described> }> } =
  await Effect.runPromise(Effect.scoped(loadToolsets(everything)))

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const effectOf = ({ annotations: { destructiveHint, readOnlyHint } }: Described) =>
  readOnlyHint ? "reads" : destructiveHint ? "changes" : "adds or runs"

const toolTable = (tools: ReadonlyArray<Described>) =>
  table(
    ["tool", "", "what it does"],
    tools
      .filter(({ isListed }) => isListed !== false)
      .map((tool) => [`\`${tool.name}\``, effectOf(tool), tool.description])
  )

const flagTable = table(
  ["flag", "variable", "what it does"],
  flagNames.map((name) => {
    const { help, variable } = flag(name)
    return [`\`${spelling(name)}\``, `\`${variable}\``, help]
  })
)

const optionTable = (isWanted: (option: string) => boolean) =>
  table(
    ["option", "what it is for", "expected", "otherwise", "in a file that merely lies here"],
    optionRows.filter(([option = ""]) => isWanted(option))
  )
const isOfPlans = (option: string) => /^`(?:plans|promotion)\b/.test(option)

const { measured, peers, upgrades = [] } = results
const titleOf = ({ name, version }: PeerResult) =>
  name === manifest.name ? "this server" : version === "" ? name : `${name} ${version}`

/** A row for each figure, with a column for each server of this kind, from the last `npm run bench -- --peers -- --keep`. */
const peerRows = (names: ReadonlyArray<string>, servers: ReadonlyArray<PeerResult>) =>
  names.map((name) => [name, ...servers.map(({ figures }) => figures[name]?.toLocaleString("en") ?? "")])

const bestKnown = peers.filter(({ name }) => name === manifest.name || name === "n8n-mcp")
const whyTable = table(
  ["", ...bestKnown.map(titleOf), "check it"],
  [
    [
      "eight everyday jobs on two instances",
      "27 calls, 23 kB",
      "197 calls, 1,191 kB",
      "[the jobs](docs/comparison.md)"
    ],
    [
      "list of tools for such jobs",
      "at most 13 kB, once (`--tools daily`)",
      "43 kB for each instance",
      "[this test](test/mcp/protocol/selection.test.ts), `npm run bench -- --peers`"
    ],
    ...peerRows(
      ["start to tools/list, ms", "get_workflow of 12 nodes, µs of CPU", "peak memory, list of 250 × 200 nodes, MiB"],
      bestKnown
    ).map((row) => [...row, "`npm run bench -- --peers`"])
  ]
)

const peerTable = table(
  [`measured on ${measured}`, ...peers.map(titleOf)],
  peerRows([...new Set(peers.flatMap(({ figures }) => Object.keys(figures)))], peers)
)

const upgradeTable =
  upgrades.length === 0
    ? "No run of the benchmark has kept any yet."
    : table(
        [`measured on ${measured}`, "", "promised at most"],
        upgrades.map(({ figure, goal, unit, what }) => [
          what,
          `${figure.toLocaleString("en")} ${unit}`,
          `${goal.toLocaleString("en")} ${unit}`
        ])
      )

const tries = readTries()

const links = installLinks()

/** The generated parts of a page, by the name in their markers: `<!-- made: tools -->` … `<!-- /made -->`. */
const parts: ReadonlyMap<string, string> = new Map([
  ...toolsets.map(({ name, tools }) => [`tools of ${name}`, toolTable(tools)] as const),
  ["flags", flagTable],
  ["options", optionTable((option) => !isOfPlans(option))],
  ["options of plans", optionTable(isOfPlans)],
  ["why", whyTable],
  ["peers", peerTable],
  ["upgrades", upgradeTable],
  ["engines", table(["minor", "how it stands", "the contract", "what was read of it"], engineRows(tries))],
  ["engine differences", engineDifferences(tries)],
  ["links", `[Add to VS Code](${links.vscode}), [add to Cursor](${links.cursor})`],
  ["badges", `[![CI](${repository}/actions/workflows/ci.yml/badge.svg)](${repository}/actions/workflows/ci.yml)`],
  ["clone", `\`\`\`sh\ngit clone ${repository}\ncd ${manifest.name}\n\`\`\``]
])

const pages = ["README.md", ...readdirSync(path.join(root, "docs")).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md")
)

const part = /<!-- made: ([^>]+?) -->\n\n[^]*?\n\n<!-- \/made -->/g

const withParts = (text: string): string =>
  text.replace(part, (_, name: string) => `<!-- made: ${name} -->\n\n${parts.get(name)}\n\n<!-- /made -->`)

/** What a client is told of a tool. A change of it shows in the review of a change. */
const snapshot = ({ annotations, description, inputSchema, name, outputSchema, title }: Described) =>
  `${JSON.stringify({ name, title, description, annotations, inputSchema: inputSchema(), outputSchema: outputSchema?.() }, null, 2)}\n`

/** The map of the pages as programs read it: its titles, questions and addresses. */
const llms = (map: string): string =>
  [
    `# ${manifest.name}`,
    `> ${manifest.description}`,
    ...[...map.matchAll(/^## .*\n\n(?:- .*\n?)+/gm)].map(([text]) => text.trim())
  ].join("\n\n")

/** Every generated file, as it should be, by its path below the root. */
export const generated = (): ReadonlyMap<string, string> =>
  new Map([
    ["docs/speed.svg", plot(results)],
    ["docs/llms.txt", `${llms(readFileSync(path.join(root, "docs/README.md"), "utf8"))}\n`],
    ["packaging/server.json", `${JSON.stringify(serverJson(), undefined, 2)}\n`],
    ...skills.map((skill) => [`skills/${skill.name}/SKILL.md`, skillFile(forAnyServer(skill))] as const),
    ...pages.map((page) => [page, withParts(readFileSync(path.join(root, page), "utf8"))] as const),
    ...toolsets.flatMap(({ name, tools }) =>
      tools.map((tool) => [`test/snapshots/${name}/${tool.name}.json`, snapshot(tool)] as const)
    )
  ])

if (import.meta.main) {
  const files = generated()
  const snapshots = path.join(root, "test/snapshots")
  for (const file of readdirSync(snapshots, { recursive: true, encoding: "utf8" })) {
    const name = path.posix.join("test/snapshots", file.split(path.sep).join("/"))
    if (name.endsWith(".json") && !files.has(name)) rmSync(path.join(root, name))
  }
  for (const [name, text] of files) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
  }
}
