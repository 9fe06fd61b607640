import { Effect } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { mapSliced, type Sliced } from "../../../internal/Sliced.ts"
import type { RecordedWorkflow, Ledger } from "../commits.ts"
import { type HistoryEvent, idsIn } from "../HistoryEvent.ts"
import { recordAt, weightAt } from "../layout.ts"
import { idAt, keyAt, keyOf, listFile } from "../paths.ts"
import type { NewCommit } from "./fastImport.ts"
import type { GitError } from "./Git.ts"
import { type Files, type Repository, weightOfPath } from "./Repository.ts"

/** The places of the workflows of a commit, by `keyOf`. */
type Places = ReadonlyMap<string, Omit<RecordedWorkflow, "record">>

/** The content of a commit; files written since they were listed have no object name here. */
interface Held {
  readonly tip: string
  readonly places: Places
  readonly files: Files
}

/** The part of the ledger that is in the repository. */
type Recorded = Pick<Ledger, "lists" | "workflows">

/** Remembers what the newest commit contains, so that git need not list all files for each commit. */
export const make = (repository: Repository) => {
  let held: Held | undefined

  const list = Effect.fnUntraced(function* (tip: string) {
    const files = yield* repository.files(tip)
    const places = held?.tip === tip ? held.places : yield* inSlices(() => placesOf([...files.keys()]))
    held = { tip, places, files }
    return held
  })

  /** The content of a commit, as far as the events are about it. */
  const recordedAt = Effect.fnUntraced(function* (
    tip: string,
    events: ReadonlyArray<HistoryEvent>
  ): Effect.fn.Return<Recorded, GitError> {
    const { files: names, places } = held?.tip === tip ? held : yield* list(tip)
    const keys = events.flatMap((event) => idsIn(event).map((id) => keyOf(event.instance, id)))
    const wanted = [...new Set(keys)].flatMap((key) => {
      const place = places.get(key)
      return place === undefined ? [] : [[key, place] as const]
    })
    const lists = events.flatMap((event) =>
      event._tag === "Listed" ? [listFile(event.instance, event.list, event.table)] : []
    )
    const paths = [...wanted.flatMap(([, place]) => place.paths), ...new Set(lists)]
    const isUnknown = paths.filter((path) => !names.has(path)).length > mostUnknown
    const files = yield* repository.read(tip, paths, isUnknown ? (yield* list(tip)).files : names)
    // What a person has broken by hand is written anew.
    const records = yield* inSlices(() =>
      mapSliced(
        wanted,
        ([key, place]) => [key, { ...place, record: recordAt(place.base, files) ?? {} }] as const,
        ([, { base }]) => weightAt(base, files)
      )
    )
    return {
      workflows: new Map(records),
      lists: new Map([...files].filter(([file]) => lists.includes(file)))
    }
  })

  /** Advances past commits that have changed the workflows of `before` into those of `after`. */
  const advance = (tip: string, commits: ReadonlyArray<NewCommit>, { after, before }: Advance) => {
    const places = new Map(held?.places)
    for (const key of before.keys()) places.delete(key)
    for (const [key, { base, paths }] of after) places.set(key, { base, paths })
    const files = new Map(held?.files)
    for (const path of commits.flatMap(({ remove, write }) => [...remove, ...write.keys()])) files.delete(path)
    held = { tip, places, files }
  }

  const knows = (instance: string, id: string) => held?.places.has(keyOf(instance, id)) ?? false
  return { advance, knows, recordedAt }
}

interface Advance {
  readonly before: Ledger["workflows"]
  readonly after: Ledger["workflows"]
}

/** Most files that git looks up by path, which takes long in large folders. */
const mostUnknown = 50

function* placesOf(paths: ReadonlyArray<string>): Sliced<Places> {
  const places = new Map<string, Omit<RecordedWorkflow, "record">>()
  for (const path of paths) {
    yield weightOfPath
    const id = idAt(path)
    const [folder = "", , ...deeper] = path.split("/")
    if (id === undefined) continue
    const { base = "", paths = [] } = places.get(keyAt(folder, id)) ?? {}
    const isMain = deeper.length === 0 && path.endsWith(".json")
    places.set(keyAt(folder, id), { base: isMain ? path.slice(0, -".json".length) : base, paths: [...paths, path] })
  }
  return places
}
