import { type Happening, idsIn } from "./Happening.ts"
import { keyOf } from "./paths.ts"
import { stampOf } from "./record.ts"

/** Leaves out what was read before in the same form: while nothing can be recorded, lists would fill memory and disk. */
export const freshOnly = () => {
  const seen = new Map<string, string>()
  return (happenings: ReadonlyArray<Happening>): ReadonlyArray<Happening> =>
    happenings.flatMap((happening): ReadonlyArray<Happening> => {
      if (happening._tag !== "Seen") {
        for (const id of idsIn(happening)) seen.delete(keyOf(happening.instance, id))
        return [happening]
      }
      const { gone, instance } = happening
      const workflows = happening.workflows.filter((workflow) => {
        const key = keyOf(instance, String(workflow.id))
        const stamp = JSON.stringify([stampOf(workflow), Object.keys(workflow).toSorted()])
        const isNew = seen.get(key) !== stamp
        seen.set(key, stamp)
        return isNew
      })
      for (const id of gone) seen.delete(keyOf(instance, id))
      return workflows.length + gone.length === 0 ? [] : [{ ...happening, workflows }]
    })
}
