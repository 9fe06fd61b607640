import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"

import { Schema } from "effect"
import * as Yaml from "effect/encoding/Yaml"
import { afterAll, assert, describe, it } from "vitest"

import manifest from "../package.json" with { type: "json" }
import { root } from "./docs/pages.ts"

const Texts = Schema.Record(Schema.String, Schema.Unknown)
const Step = Schema.Struct({
  uses: Schema.optionalKey(Schema.String),
  run: Schema.optionalKey(Schema.String),
  env: Schema.optionalKey(Texts)
})
const Job = Schema.Struct({
  permissions: Texts,
  "timeout-minutes": Schema.Int,
  env: Schema.optionalKey(Texts),
  needs: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)])),
  steps: Schema.Array(Step)
})
type Job = typeof Job.Type
const Workflow = Schema.Struct({ permissions: Texts, jobs: Schema.Record(Schema.String, Job) })

const release = ".github/workflows/release.yml"
const files = [".github/workflows/ci.yml", release, "docs/promotion-workflow.yml"]
const textOf = (file: string) => readFileSync(path.join(root, file), "utf8")
const jobsOf = (file: string) => Schema.decodeUnknownSync(Workflow)(Yaml.parse(textOf(file))).jobs

describe("the workflows of GitHub", () => {
  it.each(files)("%s takes every action by the commit that was looked at", (file) => {
    const actions = textOf(file).match(/uses: .*/g) ?? []
    assert.isNotEmpty(actions)
    for (const action of actions) assert.match(action, /^uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it.each(files)("%s gives no job more than it names, and no key to more than one step", (file) => {
    const { permissions } = Schema.decodeUnknownSync(Workflow)(Yaml.parse(textOf(file)))
    assert.deepStrictEqual(permissions, {})
    for (const { env = {}, permissions: granted, steps } of Object.values(jobsOf(file))) {
      assert.notMatch(JSON.stringify([env, granted]), /secrets\.|write-all/)
      // A text that somebody else chose comes in as a variable, never as a part of the command.
      for (const { run = "" } of steps) assert.notInclude(run, "${{")
    }
  })

  it("offer users a promotion that installs what a lock file names, before any key is there", () => {
    const text = textOf("docs/promotion-workflow.yml")
    assert.notMatch(text, /\bnpx\b|npm exec|npm install (?!--save-exact workflow-tool-server$)/m)
    for (const { steps } of Object.values(jobsOf("docs/promotion-workflow.yml"))) {
      const withKeys = steps.filter(({ env }) => JSON.stringify(env ?? {}).includes("ENGINE_API_KEY"))
      assert.deepStrictEqual(
        withKeys.map(({ run = "" }) => run.includes("node_modules/.bin/workflow-tool-server promote")),
        [true]
      )
      assert.isBelow(
        steps.findIndex(({ run = "" }) => run.startsWith("npm ci") && run.endsWith("--ignore-scripts")),
        steps.indexOf(withKeys[0] ?? {})
      )
    }
  })
})

const tag = `v${manifest.version}`
const publisher = '#!/bin/sh\nprintf \'mcp-publisher %s\\n\' "$*" >> "$CALLS"\n'

/** Programs that reach other machines, or take long: each writes down its words, and answers as `THERE` says. */
const outside = `
called() { printf '%s\\n' "$*" >> "$CALLS"; }
is() { [[ " $THERE " == *" $1 "* ]]; }
npm() {
  called npm "$@"
  case "$1 \${2:-}" in
    "ci "*) mkdir -p dist/maps; echo {} > dist/sbom.cdx.json; echo {} > dist/maps/main.js.map ;;
    "pack "*) : > "release/workflow-tool-server-\${TAG#v}.tgz" ;;
    "run bundle:desktop") : > "\${@: -1}" ;;
    "view "*) if is npm; then echo "\${TAG#v}"; else return 1; fi ;;
  esac
}
npx() { called npx "$@"; }
node() { if [[ "$2" == process.versions* ]]; then echo node; else command node "$@"; fi; }
docker() { called docker "$@"; if is image; then echo sha256:1; else return 1; fi; }
gh() {
  called gh "$@"
  if [ "$1 $2" = "release view" ]; then
    if is release; then echo false; elif is draft; then echo true; else return 1; fi
  fi
}
curl() {
  called curl "$@"
  if [[ "$*" == */servers/* ]]; then is registry; else cp publisher-made.tar.gz publisher.tar.gz; fi
}
if [ -n "\${TRUSTED:-}" ]; then sha256sum() { if [ "$1" = --check ]; then cat > /dev/null; else command sha256sum "$@"; fi; }; fi
`

/** The state of things when a release begins, or goes on. */
interface World {
  readonly there?: ReadonlyArray<"draft" | "image" | "npm" | "registry" | "release">
  /** Whether the downloaded publisher passes for the one that was looked at. */
  readonly isTrusted?: boolean
  readonly tag?: string
  readonly file?: string
  /** The exit code of a promotion. */
  readonly code?: number
}

const folder = mkdtempSync(path.join(tmpdir(), "release-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the commands of one job in an empty folder, as a runner does, and tells what they called. */
const run = (
  name: string,
  { code = 0, file = release, isTrusted = true, tag: wanted = tag, there = [] }: World = {}
) => {
  const cwd = mkdtempSync(path.join(folder, `${name}-`))
  const calls = path.join(cwd, "calls")
  writeFileSync(calls, "")
  writeFileSync(path.join(cwd, "mcp-publisher"), publisher, { mode: 0o700 })
  cpSync(path.join(root, "package.json"), path.join(cwd, "package.json"))
  mkdirSync(path.join(cwd, "packaging"))
  cpSync(path.join(root, "packaging/server.json"), path.join(cwd, "packaging/server.json"))
  spawnSync("bash", ["-c", "tar czf publisher-made.tar.gz mcp-publisher && rm mcp-publisher"], { cwd })
  const job: Job | undefined = jobsOf(file)[name]
  const installed = path.join(cwd, ".github/promotion/node_modules/.bin")
  mkdirSync(installed, { recursive: true })
  const promotes = `#!/bin/sh\necho "keys: $ENGINE_API_KEY_STAGING $ENGINE_API_KEY_PRODUCTION"\nexit ${code}\n`
  writeFileSync(path.join(installed, "workflow-tool-server"), promotes, { mode: 0o700 })
  // What an earlier job of the same run has left.
  if (name !== "build") {
    mkdirSync(path.join(cwd, "release"))
    writeFileSync(path.join(cwd, `release/workflow-tool-server-${manifest.version}.tgz`), "")
  }
  const variables = (env: Readonly<Record<string, unknown>> = {}) =>
    Object.entries(env).map(([key, value]) => [key, String(value).replaceAll(/[$]{{ *(?:\w+\.)*(\w+) *}}/g, "$1")])
  const output = path.join(cwd, "output")
  let status = 0
  for (const { env, run: text } of job?.steps ?? []) {
    if (text === undefined || status !== 0) continue
    const step = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", `${outside}${text}`], {
      cwd,
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        CALLS: calls,
        THERE: there.join(" "),
        TRUSTED: isTrusted ? "yes" : "",
        TAG: wanted,
        GITHUB_REPOSITORY: "Some-Owner/workflow-tool-server",
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: path.join(cwd, "summary"),
        ...Object.fromEntries([...variables(job?.env), ...variables(env)])
      }
    })
    status = step.status ?? 1
  }
  return {
    status,
    calls: readFileSync(calls, "utf8").split("\n").slice(0, -1),
    read: (file: string) => readFileSync(path.join(cwd, file), "utf8")
  }
}

describe("the commands of the workflows", () => {
  it("pack all that will be published, with its checksums", () => {
    const { calls, read, status } = run("build")
    assert.strictEqual(status, 0)
    assert.includeMembers(calls, ["npm ci", "npm run check", "npm test"])
    assert.deepStrictEqual(read("release/SHA256SUMS").match(/\S+$/gm), [
      `maps-${tag}.tar.gz`,
      ...["cdx.json", "mcpb", "tgz"].map((kind) => `workflow-tool-server-${manifest.version}.${kind}`)
    ])
  })

  it("stop at a tag that is not the version", () => {
    const { calls, status } = run("build", { tag: "v0.0.1" })
    assert.deepStrictEqual([status, calls], [1, []])
  })

  it("try the tarball in an empty folder, on the Node that the job is for", () => {
    const { calls, status } = run("nodes")
    assert.strictEqual(status, 0)
    assert.deepStrictEqual(calls.slice(1), [
      `npm install ../release/workflow-tool-server-${manifest.version}.tgz`,
      "npx --no workflow-tool-server call list_workflows --embedded --json"
    ])
  })

  const publish = `npm publish --provenance --access public ./release/workflow-tool-server-${manifest.version}.tgz`

  it("publish the package that was tried, once", () => {
    assert.include(run("npm").calls, publish)
    const again = run("npm", { there: ["npm"] })
    assert.strictEqual(again.status, 0)
    assert.notInclude(again.calls, publish)
  })

  it("ask for the image before it is built, under a name that a registry takes", () => {
    const digest = (world: World) => {
      const { read, status } = run("image", world)
      assert.strictEqual(status, 0)
      assert.include(read("output"), "image=ghcr.io/some-owner/workflow-tool-server\n")
      return /^digest=(.*)$/m.exec(read("output"))?.[1]
    }
    assert.deepStrictEqual([digest({}), digest({ there: ["image"] })], ["", "sha256:1"])
  })

  it("show a release only when it is whole, go on with a draft, and leave alone what is published", () => {
    const asks = `gh release view ${tag} --json isDraft --jq .isDraft`
    const create = `gh release create ${tag} --draft --verify-tag --title ${tag} --generate-notes`
    const upload = `gh release upload ${tag} --clobber release/workflow-tool-server-${manifest.version}.tgz`
    const show = `gh release edit ${tag} --draft=false`
    assert.deepStrictEqual(run("github").calls, [asks, create, upload, show])
    assert.deepStrictEqual(run("github", { there: ["draft"] }).calls, [asks, upload, show])
    assert.deepStrictEqual(run("github", { there: ["release"] }).calls, [asks])
  })

  it("enter the version into the registry of MCP servers once, with the publisher that was looked at", () => {
    const { calls, status } = run("registry")
    assert.strictEqual(status, 0)
    assert.match(
      calls[0] ?? "",
      new RegExp(`/servers/io\\.github\\.[\\w-]+%2Fworkflow-tool-server/versions/${manifest.version}$`)
    )
    assert.deepStrictEqual(calls.slice(2), [
      "mcp-publisher login github-oidc",
      "mcp-publisher publish packaging/server.json"
    ])
    assert.lengthOf(run("registry", { there: ["registry"] }).calls, 1)
    const other = run("registry", { isTrusted: false })
    assert.notStrictEqual(other.status, 0)
    assert.notMatch(other.calls.join("\n"), /^mcp-publisher/m)
  })

  const promotion = "docs/promotion-workflow.yml"

  it("show the plan of a promotion as a comment where something would change, and fail where it failed", () => {
    const planned = run("plan", { file: promotion, code: 2 })
    assert.strictEqual(planned.status, 0)
    assert.deepStrictEqual(planned.calls, [
      "npm ci --prefix .github/promotion --ignore-scripts",
      "gh pr comment number --body-file comment.md --edit-last --create-if-none"
    ])
    assert.strictEqual(planned.read("comment.md"), "keys: ENGINE_API_KEY_STAGING ENGINE_API_KEY_PRODUCTION_READ\n")
    assert.deepStrictEqual(run("plan", { file: promotion, code: 1 }).status, 1)
    const applied = run("apply", { file: promotion })
    assert.strictEqual(applied.read("summary"), "keys: ENGINE_API_KEY_STAGING ENGINE_API_KEY_PRODUCTION\n")
  })

  it("run in stages, each after those whose result it needs", () => {
    const needs = Object.entries(jobsOf(release)).map(([name, job]) => [name, job.needs])
    assert.deepStrictEqual(needs, [
      ["build", undefined],
      ["nodes", "build"],
      ["npm", "nodes"],
      ["image", "nodes"],
      ["github", ["npm", "image"]],
      ["registry", "github"]
    ])
  })
})
