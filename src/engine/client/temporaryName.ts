/**
 * What a workflow that exists for one run is called: of what it is a copy, whose, and since when. Its form stays: copies
 * that an earlier version has left on engines are found by it.
 */
export const temporaryName = (original: string, mark: string, since: string): string =>
  `Temporary run of ${shortened(original)} (workflow-tool-server run ${mark} ${since})`

/** Engines of generation 2 take 128 characters for all of it. */
const room = 44

const shortened = (name: string): string =>
  name.length <= room ? name : `${name.slice(0, room - 1).replace(/[\uD800-\uDBFF]$/, "")}…`

/** By what lists are searched for such names. */
export const temporaryWords = "(workflow-tool-server run "

const form = /^Temporary run of .*\(workflow-tool-server run ([a-z\d-]{8,40}) (\d{4}-\d\d-\d\dT[\d:.]+Z)\)$/s

/** The mark in the name of a workflow that exists for one run, and since when it does, in milliseconds. */
export const readTemporaryName = (name: unknown): { readonly mark: string; readonly since: number } | undefined => {
  const [, mark, since] = (typeof name === "string" ? form.exec(name) : null) ?? []
  return mark === undefined || since === undefined ? undefined : { mark, since: Date.parse(since) }
}
