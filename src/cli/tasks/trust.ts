import { Console, Effect } from "effect"

import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { visibleJson } from "../../internal/foreignText.ts"
import type { Options } from "../configuration/flags.ts"
import { needingTrust } from "../configuration/folderRules.ts"
import { readConfiguration } from "../configuration/readLaunch.ts"
import { parseFile } from "../configuration/readSettings.ts"
import { recordTrust, shownSettings } from "../configuration/trust.ts"

/** Shows what the configuration file of the working folder sets beside its instances, and then trusts it as it is. */
export const trust = Effect.fnUntraced(function* ({ config }: Pick<Options, "config">) {
  const file = (yield* readConfiguration(config)) ?? (yield* new ConfigurationError({ message: nothingHere }))
  const settings = needingTrust(yield* parseFile(file))
  const lines = shownSettings(settings).map((line) => `  ${visibleJson(line)}`)
  yield* Console.log(
    [`${file.name} sets${lines.length === 0 ? " nothing that needs trust.\n" : ""}`, ...lines].join("\n")
  )
  if (lines.length > 0) {
    yield* recordTrust(file)
    yield* Console.log("It is trusted from now on, as long as it stays as it is and where it is.\n")
  }
})

const nothingHere = "There is no .config.json in this folder that could be trusted"
