import path from "node:path"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { Layer, Struct } from "effect"

import * as GitHistory from "../../engine/history/git/GitHistory.ts"
import { HistorySpool } from "../../engine/history/git/Spool.ts"
import type { Launch } from "../configuration/Launch.ts"
import { stateFolder } from "../files/homeFolders.ts"
import { spoolIn } from "./historySpool.ts"

/** The history of workflows in the folder that the configuration names. */
export const history = ({ config = "" }: Pick<Launch, "config">, settings: NonNullable<Launch["history"]>) => {
  const { besideConfiguration, directory } = settings
  const state = stateFolder()
  const beside = path.resolve(path.dirname(config))
  return GitHistory.layer({
    directory: path.resolve(besideConfiguration ? path.dirname(config) : "", directory),
    environment: Struct.pick(process.env, ["PATH", "HOME", "XDG_CONFIG_HOME", "SystemRoot"])
  }).pipe(
    Layer.provide(Layer.succeed(HistorySpool, spoolIn(state === undefined ? [beside] : [state, beside]))),
    Layer.provide(NodeServices.layer)
  )
}
