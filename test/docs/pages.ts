import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** Everything that is written for users, by its path in the repository. */
export const pages: ReadonlyMap<string, string> = new Map(
  [
    "README.md",
    ...readdirSync(path.join(root, "docs")).map((name) => `docs/${name}`),
    "CHANGELOG.md",
    ...["CONTRIBUTING", "RELEASING", "SECURITY"].map((name) => `.github/${name}.md`),
    ...readdirSync(path.join(root, "examples")).map((name) => `examples/${name}/README.md`)
  ]
    .filter((name) => name.endsWith(".md"))
    .map((name) => [name, readFileSync(path.join(root, name), "utf8")])
)

/** One fenced block. Behind its language stands what it is where that does not show, such as the tool of arguments. */
export interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly of: string
  readonly text: string
}

const fence = /^( *)```([a-z]*)(?: +(\S+))?\n([^]*?)^\1```$/gm

export const blocks: ReadonlyArray<Block> = [...pages].flatMap(([page, whole]) =>
  [...whole.matchAll(fence)].map(({ index, 1: indent = "", 2: language = "", 3: of = "", 4: text = "" }) => ({
    page,
    line: whole.slice(0, index).split("\n").length,
    language,
    of,
    text: text.replaceAll(new RegExp(`^${indent}`, "gm"), "")
  }))
)

/** The blocks of these languages, each with its place in front, for the titles of tests. */
export const blocksIn = (...languages: ReadonlyArray<string>) =>
  blocks
    .filter(({ language, page }) => languages.includes(language) && !page.startsWith("."))
    .map((block) => [`${block.page}:${block.line}`, block] as const)

/** A page without its fenced blocks. */
export const proseOf = (page: string): string => page.replaceAll(fence, "")
