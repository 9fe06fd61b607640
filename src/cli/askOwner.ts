import { connect } from "node:net"

import { Effect } from "effect"

import { transportCode } from "../internal/http/transportCode.ts"

/** Longer than a process that is at work takes to answer, in milliseconds. */
const patience = 2000

/** Codes of a socket that nobody listens to; with any other, somebody may. */
const nobody = new Set(["ECONNREFUSED", "ENOENT"])

/** Asks at the socket of a claim how far it has come. Whoever lives but does not say so holds it. */
export const askOwner = (address: string) =>
  Effect.callback<"held" | "waiting" | "gone">((resume) => {
    let said = ""
    const socket = connect({ path: address, timeout: patience })
      .setEncoding("utf8")
      .on("data", (text: string) => (said += text))
      .on("end", () => resume(Effect.succeed(said === "held" ? "held" : "waiting")))
      .on("timeout", () => resume(Effect.succeed("held")))
      .on("error", (error) => resume(Effect.succeed(nobody.has(transportCode(error) ?? "") ? "gone" : "held")))
    return Effect.sync(() => socket.destroy())
  })
