import { execFile } from "node:child_process"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { promisify } from "node:util"

import { Effect } from "effect"

import { directory } from "../../cli/built.ts"
import { operatorCommand } from "../plans/process.ts"
import { served } from "../plans/served.ts"

const execute = promisify(execFile)

/** A folder with a configuration for one engine, whose history lies in it as `history`. */
export const home = Effect.fnUntraced(function* () {
  const { apiKey, host } = yield* served("2.41.1")
  const environments = { production: { engine_host: host, engine_api_key: apiKey, allowInsecureHttp: true } }
  const cwd = yield* Effect.promise(() => directory({ ".config.json": { environments, history: "history" } }))
  return { cwd, history: path.join(cwd, "history"), host, apiKey, state: path.join(cwd, "state") }
})

/** The command with the operator's tools, whose spool lies in the folder too; programs are looked for in `search`. */
export const serverIn = (
  { cwd, home, state }: { readonly cwd: string; readonly state: string; readonly home?: string },
  search?: string
) =>
  operatorCommand(cwd, {
    XDG_STATE_HOME: state,
    ...(home === undefined ? {} : { HOME: home }),
    ...(search === undefined ? {} : { PATH: search })
  })

/** Where programs are found if `git` is one that begins with these lines of shell. */
export const fakeGit = (cwd: string, lines: string) => {
  const bin = path.join(cwd, "bin")
  mkdirSync(bin, { recursive: true })
  const file = path.join(bin, "git")
  writeFileSync(file, `#!/bin/sh\nPATH=\${PATH#*:}\nreal=$(command -v git)\n${lines}\nexec "$real" "$@"\n`)
  chmodSync(file, 0o755)
  return `${bin}:${process.env["PATH"]}`
}

/** Plain git, by a person without a name who has set things. */
export const person = async (folder: string, ...args: ReadonlyArray<string>) => {
  const { stdout } = await execute("git", ["-C", folder, ...args], {
    env: {
      PATH: process.env["PATH"],
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_AUTHOR_NAME: "Ann",
      GIT_COMMITTER_NAME: "Ann",
      EMAIL: "ann@example.test"
    },
    maxBuffer: 64 * 1024 * 1024
  })
  return stdout
}

const start = { name: "Start", type: "engine-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0] }

/** The arguments of a call that makes a workflow. */
export const draft = (name: string) => ({ name, nodes: [start], connections: {} })
