import { Clock, Data, Effect, Predicate } from "effect"

import { quotedText } from "../../../internal/foreignText.ts"
import { within } from "../../client/Deadline.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { Instances } from "../../client/Instances.ts"
import { isMissing } from "../../client/isMissing.ts"
import { firstPages } from "../../client/listAll.ts"
import { eraseWorkflow } from "../../tools/workflows/delete.ts"
import { WorkflowId } from "../../workflow/models.ts"
import { readTemporaryName, temporaryWords } from "../../workflow/naming.ts"
import type { TemporaryCopyEntry } from "./TemporaryCopyJournal.ts"

/** The age in milliseconds from which a copy is in no use any more: no run takes this long. */
const oldest = 60 * 60 * 1000

const maxPages = 20

/** The temporary copies of an instance, whoever made them. */
const temporaryCopies = Effect.fnUntraced(function* (name: string) {
  const engine = yield* EngineClient
  const { matches: copies } = yield* firstPages(
    (query) => engine.listWorkflows({ ...query, name, excludePinnedData: true }),
    { pages: maxPages },
    (page) =>
      page.flatMap((one) => {
        const read = readTemporaryName(one.name)
        if (read === undefined || !Predicate.isString(one.id)) return []
        return [{ id: WorkflowId.make(one.id), name: String(one.name), since: read.since }]
      })
  )
  return copies
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

/** Gives the deactivation a time of its own: the deletion may have taken all of the call's. */
const switchedOff = within("10 seconds")

/** Deletes a workflow that may be deleted already, which has to be proven: otherwise it would go on running. */
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

/** The mark in the name of a copy, by which it is searched: engines match names by part, and take wildcards. */
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

/** A temporary copy that could not be deleted. */
export class LeftCopy extends Data.TaggedError("LeftCopy")<{
  readonly id: string
  readonly name: string
  readonly instance: string
  /** The reason of the failed deletion. */
  readonly problem: string
  readonly isOff: boolean
}> {
  override get message() {
    const { id, instance, isOff, name, problem } = this
    return (
      `The temporary copy ${id} could not be deleted (${problem}). It is left on instance ${instance} as ${quotedText(name)}, ` +
      `${isOff ? "switched off" : "and may still be active, as it could not be switched off either"}: delete it with ` +
      "delete_workflow once the API key may do that, or in the engine UI."
    )
  }
}

/** Fails where the engine tells that the key may not make, run and remove a temporary copy, or not read its run. */
export const mayRemove = EngineClient.use(({ requireRights }) =>
  requireRights(
    [
      "POST /workflows",
      "POST /workflows/{}/activate",
      "POST /workflows/{}/deactivate",
      "DELETE /workflows/{}",
      "GET /executions",
      "GET /executions/{}"
    ],
    ", which a run takes for its temporary copy"
  )
)
