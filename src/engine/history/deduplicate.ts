import { type HistoryEvent, idsIn } from "./HistoryEvent.ts"
import { keyOf } from "./paths.ts"
import { stampOf } from "./record.ts"

/** Drops what was read before unchanged: while nothing can be recorded, lists would fill memory and disk. */
export const makeDeduplicate = () => {
  const seen = new Map<string, string>()
  return (events: ReadonlyArray<HistoryEvent>): ReadonlyArray<HistoryEvent> =>
    events.flatMap((event): ReadonlyArray<HistoryEvent> => {
      if (event._tag !== "Seen") {
        for (const id of idsIn(event)) seen.delete(keyOf(event.instance, id))
        return [event]
      }
      const { gone, instance } = event
      const workflows = event.workflows.filter((workflow) => {
        const key = keyOf(instance, String(workflow.id))
        const stamp = JSON.stringify([stampOf(workflow), Object.keys(workflow).toSorted()])
        const isNew = seen.get(key) !== stamp
        seen.set(key, stamp)
        return isNew
      })
      for (const id of gone) seen.delete(keyOf(instance, id))
      return workflows.length + gone.length === 0 ? [] : [{ ...event, workflows }]
    })
}
