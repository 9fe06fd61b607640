import { Clock, Effect, Predicate } from "effect"

import { within } from "../../client/Deadline.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { Instances } from "../../client/Instances.ts"
import { isMissing } from "../../client/isMissing.ts"
import { firstPages } from "../../client/listAll.ts"
import { eraseWorkflow } from "../../tools/workflows/delete.ts"
import { WorkflowId } from "../../workflow/models.ts"
import { readTemporaryName, temporaryWords } from "../../workflow/naming.ts"
import { LeftCopy } from "./LeftCopy.ts"
import type { TemporaryCopyEntry } from "./TemporaryCopyJournal.ts"

/** No run takes this long, so nobody can be using an older copy. */
const oldest = 60 * 60 * 1000

const maxPages = 20

/** The temporary copies of an instance, whoever made them. */
const temporaryCopies = Effect.fnUntraced(function* (name: string) {
  const engine = yield* EngineClient
  const { matches } = yield* firstPages(
    (query) => engine.listWorkflows({ ...query, name, excludePinnedData: true }),
    { pages: maxPages },
    (page) =>
      page.flatMap((one) => {
        const read = readTemporaryName(one.name)
        if (read === undefined || !Predicate.isString(one.id)) return []
        return [{ id: WorkflowId.make(one.id), name: String(one.name), since: read.since }]
      })
  )
  return matches
})

/** Deletes a temporary copy; where that fails, it is switched off at least, so that nobody can run it any more. */
export const eraseTemporaryCopy = ({ id, name }: { readonly id: WorkflowId; readonly name: string }) =>
  Effect.catch(
    erased(id),
    Effect.fnUntraced(function* ({ message }) {
      const engine = yield* EngineClient
      const isOff = yield* Effect.isSuccess(switchedOff(engine.deactivateWorkflow(id)))
      return yield* new LeftCopy({ id, name, instance: engine.instance, problem: message, isOff })
    })
  )

/** The deletion may have taken all the time that there was. */
const switchedOff = within("10 seconds")

/** Somebody else may have deleted it meanwhile, which has to be proven: it would go on running. */
const erased = (id: WorkflowId) =>
  Effect.catchIf(Effect.asVoid(eraseWorkflow(id)), isMissing, (error) =>
    EngineClient.use((engine) => engine.provenAbsent([id])).pipe(
      Effect.flatMap(({ absent }) => (absent.has(id) ? Effect.void : Effect.fail(error)))
    )
  )

/** Deletes the temporary copy of this name, if there is one; the name is unique. */
export const eraseNamed = Effect.fnUntraced(function* (name: string) {
  for (const copy of yield* temporaryCopies(markIn(name))) if (copy.name === name) yield* eraseTemporaryCopy(copy)
})

/** Engines find names by part, and take wildcards: search for the mark alone. */
const markIn = (name: string): string => readTemporaryName(name)?.mark ?? name

/** Deletes temporary copies that nobody can be using any more; one that cannot be deleted is tried again next time. */
export const eraseOld = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const old = (yield* temporaryCopies(temporaryWords)).filter(({ since }) => now - since > oldest)
  yield* Effect.forEach(old, (copy) => Effect.ignore(eraseTemporaryCopy(copy)))
  return old.length
})

/** Deletes a temporary copy that a former process left on an instance. */
export const eraseLeft = Effect.fnUntraced(function* ({ instance, name }: TemporaryCopyEntry) {
  const engine = yield* (yield* Instances).resolve(instance)
  yield* Effect.provideService(eraseNamed(name), EngineClient, engine)
})
