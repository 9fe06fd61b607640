import { Option, Predicate, Schema } from "effect"

import { listed } from "../../internal/foreignText.ts"
import { isSameJson } from "../../internal/json/digest.ts"
import { JsonObject } from "../../internal/schema/JsonObject.ts"
import { ListItem } from "../workflow/models.ts"
import { type NewCommit, ourselves, somebody, unknownAuthor } from "./git/fastImport.ts"
import { type HistoryEventOf, shortItem } from "./HistoryEvent.ts"
import { messageOf } from "./message.ts"
import { folderOf, listFile } from "./paths.ts"

/** The commit for a list, none if nothing changed; the ledger's lists are updated. */
export const commitsOfList = (
  event: HistoryEventOf<"Listed">,
  lists: Map<string, string>
): ReadonlyArray<NewCommit> => {
  const { all, at, instance, list, origin, table } = event
  const file = listFile(instance, list, table)
  const before = itemsIn(file, lists.get(file) ?? "")
  const after = listAfter(before, event)
  const text = textOf(file, after)
  if (text === (lists.get(file) ?? textOf(file, []))) return []
  const isFirst = all !== undefined && !lists.has(file)
  lists.set(file, text)
  const what = `${table === undefined ? list.replace("-", " ") : `rows of ${table.name}`} on ${instance}`
  const left = new Set(after.map(({ id }) => id))
  const dropped = list === "data-tables" ? before.filter(({ id }) => !left.has(id)) : []
  const remove = dropped.map(({ id }) => listFile(instance, "rows", { id: String(id) }))
  for (const path of remove) lists.delete(path)
  return [
    {
      author:
        all === undefined
          ? (origin?.client ?? "an unknown client")
          : isFirst
            ? ourselves
            : isOfLines(file)
              ? unknownAuthor
              : somebody,
      at: Math.floor(at / 1000),
      message: messageOf({
        at,
        subject:
          all === undefined
            ? `${origin?.tool ?? "a change"}: ${what}`
            : `${isFirst ? "First seen" : isOfLines(file) ? "Changed since the last backup" : "Changed elsewhere"}: ${what}`,
        lines: [{ file, change: list === "rows" ? rowDifference(before, after) : difference(before, after) }],
        origin
      }),
      remove,
      write: new Map([[file, text]])
    }
  ]
}

const listAfter = (
  before: ReadonlyArray<JsonObject>,
  { all, gone, list, put }: HistoryEventOf<"Listed">
): ReadonlyArray<JsonObject> => {
  const kept = all ?? before.filter(({ id }) => id !== gone && id !== put?.id)
  const previous = before.find(({ id }) => id === put?.id)
  const items = put === undefined ? kept : [...kept, { ...previous, ...put }]
  const short = items.map((item) => shortItem(list, item))
  return list === "rows"
    ? short.toSorted((a, b) => Number(a.id) - Number(b.id))
    : short.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

const keyOf = (item: JsonObject) => `${nameIn(item)}\n${String(item.id)}`

/** The text of a list. An item has a line of its own in a file of lines, so that a change of it is one line. */
const textOf = (file: string, items: ReadonlyArray<JsonObject>): string =>
  isOfLines(file) ? items.map((item) => `${JSON.stringify(item)}\n`).join("") : `${JSON.stringify(items, null, 2)}\n`

const isOfLines = (file: string) => file.endsWith(".jsonl")

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(ListItem)))
const decodeLine = Schema.decodeUnknownOption(Schema.fromJsonString(JsonObject))

/** The items of a list in its text. */
export const itemsIn = (file: string, text: string): ReadonlyArray<JsonObject> =>
  isOfLines(file)
    ? text.split("\n").flatMap((line) => Option.toArray(decodeLine(line)))
    : Option.getOrElse(decode(text), () => [])

/** Most names in a line. */
const most = 20

const difference = (before: ReadonlyArray<JsonObject>, after: ReadonlyArray<JsonObject>): string => {
  const former = new Map(before.map((item) => [keyOf(item), item]))
  const present = new Set(after.map(keyOf))
  const words = [
    ...before.filter((item) => !present.has(keyOf(item))).map((item) => `− ${nameIn(item)}`),
    ...after.filter((item) => !former.has(keyOf(item))).map((item) => `+ ${nameIn(item)}`),
    ...after.flatMap((item) => {
      const one = former.get(keyOf(item))
      return one === undefined || isSameJson(one, item) ? [] : [`changed ${nameIn(item)}`]
    })
  ]
  return listed(words, most)
}

/** The numbers of rows that came, went and changed. */
const rowDifference = (before: ReadonlyArray<JsonObject>, after: ReadonlyArray<JsonObject>): string => {
  const former = new Map(before.map((row) => [row.id, row]))
  const added = after.filter(({ id }) => !former.has(id)).length
  const left = after.length - added
  const changed = after.filter((row) => former.has(row.id) && !isSameJson(former.get(row.id), row)).length
  return `${after.length} rows: ${added} added, ${before.length - left} deleted, ${changed} changed`
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
