/**
 * The name of a workflow that exists for one run: of which workflow it is a copy, who made it, and when. Its form must not
 * change: copies left by earlier versions are found by it.
 */
export const temporaryName = (original: string, mark: string, since: string): string =>
  `Temporary run of ${shortened(original)} (workflow-tool-server run ${mark} ${since})`

/** Engines of generation 2 allow 128 characters in total. */
const room = 44

const shortened = (name: string): string =>
  name.length <= room ? name : `${name.slice(0, room - 1).replace(/[\uD800-\uDBFF]$/, "")}…`

/** The search term for such names. */
export const temporaryWords = "(workflow-tool-server run "

const form = /^Temporary run of .*\(workflow-tool-server run ([a-z\d-]{8,40}) (\d{4}-\d\d-\d\dT[\d:.]+Z)\)$/s

/** The mark in the name of a workflow that exists for one run, and when it was created, in milliseconds. */
export const readTemporaryName = (name: unknown): { readonly mark: string; readonly since: number } | undefined => {
  const [, mark, since] = (typeof name === "string" ? form.exec(name) : null) ?? []
  return mark === undefined || since === undefined ? undefined : { mark, since: Date.parse(since) }
}
