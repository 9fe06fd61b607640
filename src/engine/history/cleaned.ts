import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { type HistoryEvent, shortItem } from "./HistoryEvent.ts"
import { recordOf, withoutSecrets } from "./record.ts"

/** An event as it may be kept: without owners, values of lists and this server's secrets. */
export const cleaned =
  (secrets: ReadonlyArray<string>) =>
  (event: HistoryEvent): HistoryEvent => {
    const clean = (record: JsonObject) => withoutSecrets(recordOf(record), secrets)
    const short = (item: JsonObject) => withoutSecrets(shortItem(item), secrets)
    if (event._tag === "Seen") return { ...event, workflows: event.workflows.map(clean) }
    if (event._tag === "Wrote") {
      const { after, before } = event
      return {
        ...event,
        ...(before === undefined ? {} : { before: clean(before) }),
        after: after._tag === "Present" ? { ...after, seen: clean(after.seen) } : after
      }
    }
    if (event._tag === "BackedUp") return event
    const { all, put } = event
    return {
      ...event,
      ...(all === undefined ? {} : { all: all.map(short) }),
      ...(put === undefined ? {} : { put: short(put) })
    }
  }
