import { Context, Effect } from "effect"

import type { Instances } from "../../engine/client/Instances.ts"
import { TemporaryCopyJournal } from "../../engine/operator/run/TemporaryCopyJournal.ts"
import { TestFolder } from "../../engine/operator/tests/TestFolder.ts"
import type { Launch } from "../configuration/Launch.ts"
import { eraseNoted, temporaryCopyFiles, temporaryCopyFolder } from "./temporaryCopyFiles.ts"
import { testFiles, testFolder } from "./testFiles.ts"

/**
 * The services of the tools, with the folders kept for them. Meanwhile, temporary copies left by killed processes are deleted.
 */
export const withFolders = Effect.fnUntraced(function* <R>(launch: Launch, context: Context.Context<R | Instances>) {
  const folder = temporaryCopyFolder(launch)
  if (folder !== undefined) yield* Effect.forkScoped(Effect.provideContext(eraseNoted(folder), context))
  const noting = folder === undefined ? context : Context.add(context, TemporaryCopyJournal, temporaryCopyFiles(folder))
  const tests = testFolder(launch)
  return tests === undefined ? noting : Context.add(noting, TestFolder, testFiles(tests, launch))
})
