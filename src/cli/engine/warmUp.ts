// A socket as Node's client of HTTP wants it, which is connected to nothing.
import { Socket } from "node:net"

import { Context, Effect, Layer, Redacted, References } from "effect"

import { Instances } from "../../engine/client/Instances.ts"
import { EngineConfig, type Environment } from "../../engine/config/EngineConfig.ts"
import { getWorkflow } from "../../engine/tools/workflows/reads.ts"
import { HttpClients } from "../../internal/http/HttpClients.ts"
import { nodeHttpClient } from "../upstream/nodeHttpClient.ts"

/**
 * Reads a workflow of an engine that does not exist, over a connection that is not one. What Node and V8 initialise once, two
 * thirds of the time of a first call, is then ready when a client calls. A second warm-up gains nothing. Nobody who watches,
 * records or paces calls notices it.
 */
export const warmUp = Effect.suspend(() => {
  const call = Effect.provide(getWorkflow.call({ id: "1" }), stage)
  return Effect.updateContext(call, unwatched)
})

const unwatched: (context: Context.Context<never>) => Context.Context<never> = () =>
  Context.make(References.TracerEnabled, false)

/** A name that no resolver knows, so that nobody can be reached even by mistake. */
const nobody: Environment = {
  host: "http://warm-up.invalid",
  apiKey: Redacted.make("none"),
  readOnly: true,
  allowInsecureHttp: true,
  requestsPerSecond: 90,
  concurrency: 1,
  headers: {}
}

const stage = Instances.layer.pipe(
  Layer.provide([
    Layer.succeed(EngineConfig, { defaultEnv: "warm-up", environments: new Map([["warm-up", nobody]]) }),
    Layer.succeed(HttpClients, { make: (options) => nodeHttpClient(options, () => new Echo()) })
  ])
)

/** Answers everything with a workflow. */
class Echo extends Socket {
  constructor() {
    super()
    setImmediate(() => this.emit("connect"))
  }
  override _read() {}
  override _write(_chunk: unknown, _encoding: unknown, done: () => void) {
    this.push(answer)
    done()
  }
}

const workflow = JSON.stringify({
  id: "1",
  name: "Warm-up",
  active: false,
  nodes: [{ id: "1", name: "Start", type: "start", typeVersion: 1, position: [0, 0], parameters: {} }],
  connections: {},
  settings: {},
  tags: [],
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z"
})

const answer = [
  "HTTP/1.1 200 OK",
  "content-type: application/json; charset=utf-8",
  `content-length: ${workflow.length}`,
  "connection: keep-alive",
  "",
  workflow
].join("\r\n")
