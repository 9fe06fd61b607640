import { useEffect, useState } from "preact/hooks"

/** The place of the page: the words of the address behind its #, and what stands behind their question mark. */
export interface Route {
  readonly words: ReadonlyArray<string>
  readonly query: URLSearchParams
}

const read = (): Route => {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?")
  return {
    words: path
      .split("/")
      .filter((word) => word !== "")
      .map(decoded),
    query: new URLSearchParams(query)
  }
}

/** A word that is badly encoded is what it looks like. */
const decoded = (word: string): string => (/%(?![0-9a-f]{2})/i.test(word) ? word : unescaped(word))

const unescaped = (word: string): string => new URLSearchParams(`w=${word.replaceAll("+", "%2B")}`).get("w") ?? word

export const useRoute = (): Route => {
  const [route, setRoute] = useState(read)
  useEffect(() => {
    const follow = () => setRoute(read())
    addEventListener("hashchange", follow)
    return () => removeEventListener("hashchange", follow)
  }, [])
  return route
}

/** The address of a place on the page. */
export const href = (
  words: ReadonlyArray<string>,
  query: Readonly<Record<string, string | undefined>> = {}
): string => {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value]]
  )
  const search = new URLSearchParams(parameters).toString()
  return `#/${words.map(encodeURIComponent).join("/")}${search === "" ? "" : `?${search}`}`
}

export const go = (address: string) => {
  location.hash = address
}

/** Changes the address of a place without leaving it: what was typed into its filters. */
export const keepQuery = (words: ReadonlyArray<string>, query: Readonly<Record<string, string | undefined>>) => {
  history.replaceState(history.state, "", href(words, query))
}
