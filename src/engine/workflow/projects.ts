import { Result, Schema } from "effect"

import { listed } from "../../internal/foreignText.ts"
import { open } from "../../internal/schema/JsonObject.ts"
import { nearest } from "../../internal/texts.ts"
import { inQuotes, isSameName } from "./names.ts"

/** A project of an instance; its type is `personal` or `team`. */
export const Project = open({ id: Schema.String, name: Schema.String, type: Schema.optionalKey(Schema.String) })
export type Project = typeof Project.Type

/** A folder of a project. */
export const Folder = open({
  id: Schema.String,
  name: Schema.String,
  parentFolderId: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type Folder = typeof Folder.Type

/** A variable of an instance, or of a project of it. */
export const Variable = open({
  id: Schema.String,
  key: Schema.String,
  value: Schema.optionalKey(Schema.NullOr(Schema.String)),
  project: Schema.optionalKey(Schema.NullOr(open({ id: Schema.String })))
})
export type Variable = typeof Variable.Type

/** Deepest folder whose path is made: folders that contain each other have no end. */
const deepest = 50

/** The names from the root of the project to each of its folders, with slashes between. */
export const folderPaths = (folders: ReadonlyArray<Folder>): ReadonlyArray<string> => {
  const byId = new Map(folders.map((one) => [one.id, one]))
  return folders.map((folder) => {
    const names = [folder.name]
    let { parentFolderId: parent } = folder
    while (typeof parent === "string" && names.length < deepest) {
      const above = byId.get(parent)
      if (above === undefined) break
      names.unshift(above.name)
      parent = above.parentFolderId
    }
    return names.join("/")
  })
}

/** Names that a refusal lists. */
const mostListed = 20

interface Choice {
  readonly id: string
  /** The names by which it may be called, the most telling one first. */
  readonly names: readonly [string, ...ReadonlyArray<string>]
}

/** The id of the only one that an id or a name means, or why there is none. */
const chosen = (kind: string, given: string, choices: ReadonlyArray<Choice>): Result.Result<string, string> => {
  if (choices.some(({ id }) => id === given)) return Result.succeed(given)
  const matches = choices.filter(({ names }) => names.some((name) => isSameName(name, given)))
  const [match, ...others] = matches
  if (match === undefined) {
    const names = choices.flatMap((choice) => choice.names)
    const guess = nearest(given, names)
    const all = listed(
      choices.map((choice) => inQuotes(choice.names[0])),
      mostListed
    )
    const hint =
      choices.length === 0
        ? "There is none"
        : guess === undefined
          ? `There are ${all}`
          : `Did you mean ${inQuotes(guess)}?`
    return Result.fail(`there is no ${kind} ${inQuotes(given)}. ${hint}`)
  }
  return others.length === 0
    ? Result.succeed(match.id)
    : Result.fail(
        `${inQuotes(given)} is the name of several ${kind}s. Give one of ${matches.map(({ id, names: [name] }) => `${id} (${name})`).join(", ")}`
      )
}

/** The id of the project of an id or a name, or why none is meant. */
export const projectNamed = (projects: ReadonlyArray<Project>, given: string): Result.Result<string, string> =>
  chosen(
    "project",
    given,
    projects.map(({ id, name }) => ({ id, names: [name] }))
  )

/** The id of the folder of an id, a path or a name, or why none is meant. */
export const folderNamed = (folders: ReadonlyArray<Folder>, given: string): Result.Result<string, string> => {
  const path = withoutEdges(given.split("/")).join("/")
  const paths = folderPaths(folders)
  const choices = folders.map(({ id, name }, place): Choice => ({ id, names: [paths[place] ?? name, name] }))
  const exact = choices.filter(({ names: [whole] }) => isSameName(whole, path))
  return chosen("folder", path, exact.length === 1 ? exact : choices)
}

/** Parts without the empty ones at their beginning and end. */
const withoutEdges = (parts: ReadonlyArray<string>) =>
  parts.slice(
    Math.max(
      0,
      parts.findIndex((part) => part !== "")
    ),
    parts.findLastIndex((part) => part !== "") + 1
  )
