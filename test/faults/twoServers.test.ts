import { spawnSync } from "node:child_process"
import { readdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { directory, useCommand } from "../cli/built.ts"
import { operatorCommand, watched } from "../engine/plans/process.ts"
import { served } from "../engine/plans/served.ts"

useCommand()

const node = (name: string) => ({
  name,
  type: "engine-nodes-base.set",
  typeVersion: 3.4,
  position: [0, 0],
  parameters: {}
})
const readParameters = Schema.decodeUnknownSync(
  Schema.Struct({ nodes: Schema.Array(Schema.Struct({ parameters: Schema.Record(Schema.String, Schema.Unknown) })) })
)

const nothing: ReadonlyArray<string> = []

/** An engine of generation 1, slow enough for two to meet, one workflow, and servers of it that begin in folders of their own. */
const slowEngine = Effect.fnUntraced(function* (see: (method: string, path: string) => unknown = () => sleep(3)) {
  const { apiKey, host } = yield* served("1.82.3")
  const way = yield* Effect.acquireRelease(
    Effect.promise(() => watched(host, see)),
    ({ close }) => Effect.promise(close)
  )
  const state = yield* Effect.promise(() => directory())
  const serverNamed = async (instance: string, { at = "127.0.0.1", state: other = state, within = nothing } = {}) => {
    const engine_host = way.host.replace("127.0.0.1", at)
    const environments = { [instance]: { engine_host, engine_api_key: apiKey } }
    return operatorCommand(await directory({ ".config.json": { environments } }), { XDG_STATE_HOME: other }, within)
  }
  const locks = async () => {
    const folder = path.join(state, "workflow-tool-server", `locks-${process.getuid?.()}`)
    return (await readdir(folder).catch(() => [])).filter((file) => file.endsWith(".lock"))
  }
  return { serverNamed, state, locks }
})
type Server = ReturnType<typeof operatorCommand>

const nodes = Array.from({ length: 10 }, (_, index) => node(`Node ${index}`))

/** Lets servers set one field after the other of one workflow, all at once, and names the fields that are not there afterwards. */
const lostEdits = async (servers: readonly [Server, Server], count: number) => {
  const [{ call: ofFirst }] = servers
  const { id } = await ofFirst("create_workflow", { name: "Shared", nodes })
  await Promise.all(
    servers.map(async ({ call }, side) => {
      for (let index = side; index < count; index += servers.length) {
        const set = { op: "set", node: `Node ${index % nodes.length}`, path: `field${index}`, value: index }
        await call("edit_workflow", { id, operations: [set] })
      }
    })
  )
  const shown = readParameters(await ofFirst("get_workflow", { id }))
  const fields = Object.assign({}, ...shown.nodes.map(({ parameters }) => parameters))
  return Array.from({ length: count }, (_, index) => index).filter((index) => fields[`field${index}`] !== index)
}

const canUnshare = spawnSync("unshare", ["-pf", "--mount-proc", "true"]).status === 0

describe("servers of one user on one machine", () => {
  it.live("lose none of 200 edits that two make at once, which call the engine by two names", () =>
    Effect.gen(function* () {
      const { locks, serverNamed } = yield* slowEngine()
      yield* Effect.promise(async () => {
        const servers = [await serverNamed("production"), await serverNamed("live", { at: "localhost" })] as const
        assert.deepStrictEqual(await lostEdits(servers, 200), [])
        assert.deepStrictEqual(await locks(), [])
        for (const { leave } of servers) await leave()
      })
    })
  )

  it.live.runIf(canUnshare)(
    "lose no edit where each has the number that the other one has, in a namespace of its own",
    () =>
      Effect.gen(function* () {
        const { serverNamed } = yield* slowEngine()
        yield* Effect.promise(async () => {
          const within = ["unshare", "-pf", "--kill-child", "--mount-proc"]
          const servers = [
            await serverNamed("production", { within }),
            await serverNamed("production", { within })
          ] as const
          assert.deepStrictEqual(await lostEdits(servers, 60), [])
          for (const { child } of servers) child.kill("SIGKILL")
        })
      })
  )

  it.live("go on where one is killed in the midst of a change", () =>
    Effect.gen(function* () {
      let atPut: (() => void) | undefined
      const { locks, serverNamed } = yield* slowEngine((method) => (method === "PUT" ? atPut?.() : undefined))
      yield* Effect.promise(async () => {
        const [doomed, other] = [await serverNamed("production"), await serverNamed("production")]
        const { id } = await doomed.call("create_workflow", { name: "Shared", nodes })
        const set = (field: string) => ({ id, operations: [{ op: "set", node: "Node 0", path: field, value: 1 }] })
        await other.call("edit_workflow", set("before"))
        atPut = () => {
          atPut = undefined
          doomed.child.kill("SIGKILL")
        }
        void doomed.call("edit_workflow", set("killed")).catch(String)
        await doomed.ended
        assert.lengthOf(await locks(), 1)
        // A lock that is not taken over refuses the change in the end.
        await other.call("edit_workflow", set("after"))
        assert.deepStrictEqual(await locks(), [])
        await other.leave()
      })
    })
  )

  it.live("say so where their locks have no folder, once, and change what they are asked to", () =>
    Effect.gen(function* () {
      const { serverNamed, state } = yield* slowEngine()
      yield* Effect.promise(async () => {
        const file = path.join(state, "file")
        await writeFile(file, "")
        const { call, ended, leave } = await serverNamed("production", { state: file })
        const { id } = await call("create_workflow", { name: "Shared", nodes })
        for (const name of ["One", "Two"]) assert.include(await call("update_workflow", { id, name }), { name })
        await leave()
        const { stderr } = await ended
        assert.lengthOf(stderr.split("are not locked against other servers of this user"), 2)
        assert.include(stderr, file)
      })
    })
  )
})
