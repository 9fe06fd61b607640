import { Option, Predicate, Schema } from "effect"

import { listed } from "../../internal/foreignText.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { ListItem } from "../workflow/models.ts"
import { type NewCommit, ourselves, somebody } from "./git/fastImport.ts"
import { type HistoryEventOf, shortItem } from "./HistoryEvent.ts"
import { messageOf } from "./message.ts"
import { credentialsFile, folderOf, tagsFile } from "./paths.ts"

/** The file of a list. */
export const fileOf = ({ instance, list }: HistoryEventOf<"Listed">): string =>
  list === "tags" ? tagsFile(instance) : credentialsFile(instance)

/** The commit for a list, none if nothing changed; the ledger's lists are updated. */
export const commitsOfList = (
  event: HistoryEventOf<"Listed">,
  lists: Map<string, string>
): ReadonlyArray<NewCommit> => {
  const file = fileOf(event)
  const before = itemsIn(lists.get(file) ?? "")
  const after = listAfter(before, event)
  const text = `${JSON.stringify(after, null, 2)}\n`
  if (text === (lists.get(file) ?? "[]\n")) return []
  const { all, at, instance, list, origin } = event
  const isFirst = all !== undefined && !lists.has(file)
  lists.set(file, text)
  const what = `${list} on ${instance}`
  return [
    {
      author: all === undefined ? (origin?.client ?? "an unknown client") : isFirst ? ourselves : somebody,
      at: Math.floor(at / 1000),
      message: messageOf({
        at,
        subject:
          all === undefined
            ? `${origin?.tool ?? "a change"}: ${what}`
            : `${isFirst ? "First seen" : "Changed elsewhere"}: ${what}`,
        lines: [{ base: file.replace(/\.json$/, ""), change: difference(before, after) }],
        origin
      }),
      remove: [],
      write: new Map([[file, text]])
    }
  ]
}

const listAfter = (
  before: ReadonlyArray<JsonObject>,
  { all, gone, put }: HistoryEventOf<"Listed">
): ReadonlyArray<JsonObject> => {
  const kept = all ?? before.filter(({ id }) => id !== gone && id !== put?.id)
  const previous = before.find(({ id }) => id === put?.id)
  const items = put === undefined ? kept : [...kept, { ...previous, ...put }]
  return items.map(shortItem).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

const keyOf = (item: JsonObject) => `${nameIn(item)}\n${String(item.id)}`

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(ListItem)))
const itemsIn = (text: string) => Option.getOrElse(decode(text), (): ReadonlyArray<JsonObject> => [])

/** Most names in a line. */
const most = 20

const difference = (before: ReadonlyArray<JsonObject>, after: ReadonlyArray<JsonObject>): string => {
  const has = (items: ReadonlyArray<JsonObject>, item: JsonObject) =>
    items.some(({ id, name }) => id === item.id && name === item.name)
  const words = [
    ...before.filter((item) => !has(after, item)).map((item) => `− ${nameIn(item)}`),
    ...after.filter((item) => !has(before, item)).map((item) => `+ ${nameIn(item)}`)
  ]
  return listed(words, most)
}

const nameIn = ({ id, name }: JsonObject) => (Predicate.isString(name) ? name : String(id))

/** The commit that ends a backup. */
export const commitOfBackup = ({ at, instance, words }: HistoryEventOf<"BackedUp">): NewCommit => ({
  author: ourselves,
  at: Math.floor(at / 1000),
  message: messageOf({ at, subject: `backup: ${words} on ${instance}`, lines: [], backupOf: folderOf(instance) }),
  remove: [],
  write: new Map()
})
