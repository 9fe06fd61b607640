import { randomBytes } from "node:crypto"
import path from "node:path"

import { Effect, FileSystem } from "effect"

import { describe, FileError, refuseLink } from "./fileProblems.ts"
import { claimsIn } from "./lockClaims.ts"
import { isForeignAndUncertain, thisMachine } from "./thisMachine.ts"

/** This process in a folder: others that have its name can ask whether it still lives. */
export interface ProcessClaim {
  /** Names the machine, the process and, as numbers of processes come again, this very claim. */
  readonly entry: string
  readonly machine: string
  /** Whether the process of a claim lives; of another machine that shares the disk, nobody knows. */
  readonly stateOf: (entry: string) => Effect.Effect<"alive" | "gone" | "unknown", never, FileSystem.FileSystem>
}

/** Claims a folder for this process until the scope closes, and removes the claims of dead ones; `onAsked` runs whenever somebody asks. */
export const claimFor = Effect.fnUntraced(function* (folder: string, onAsked: () => void = () => {}) {
  const fileSystem = yield* FileSystem.FileSystem
  const failed = Effect.mapError(
    (error: { readonly message: string }) => new FileError({ message: describe(folder, error) })
  )
  yield* refuseLink(folder)
  yield* failed(fileSystem.makeDirectory(folder, { recursive: true, mode: 0o700 }))
  const machine = yield* thisMachine
  const { ask, make } = yield* failed(claimsIn(folder))
  const entry = `server-${machine}-${process.pid}-${randomBytes(6).toString("hex")}`
  const state = () => {
    onAsked()
    return "held" as const
  }
  yield* failed(make(entry, state))

  const stateOf: ProcessClaim["stateOf"] = Effect.fnUntraced(function* (other) {
    if (other === entry) return "alive"
    const [, there] = claimName.exec(other) ?? []
    if (there === undefined) return "gone"
    if (there !== machine) return (yield* isForeignAndUncertain(folder, machine, there)) ? "unknown" : "gone"
    return (yield* ask(other)) === "gone" ? "gone" : "alive"
  })

  for (const other of yield* failed(fileSystem.readDirectory(folder))) {
    if (claimName.test(other) && (yield* stateOf(other)) === "gone") {
      yield* Effect.ignore(fileSystem.remove(path.join(folder, other), { force: true }))
    }
  }
  return { entry, machine, stateOf } satisfies ProcessClaim
})

const claimName = /^server-([0-9a-z]+)-\d+-[0-9a-f]{12}$/

/** The number of the process that made a claim. */
export const processIn = (entry: string): string => /^server-[0-9a-z]+-(\d+)-/.exec(entry)?.[1] ?? "unknown"
