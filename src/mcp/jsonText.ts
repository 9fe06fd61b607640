/** Maximum nesting of accepted JSON. */
const deepest = 200

/** The findings about a JSON text before it is parsed, from one pass that allocates no objects. */
interface Inspection {
  /** The reason for its refusal, if it is refused. */
  readonly problem: string | undefined
  /** The text of `id` in the outermost object, so that a refusal can refer to the request. */
  readonly id: string | undefined
}

/** More names and items than any message has in its outermost levels, which contain only names of params and arguments. */
const mostMembers = 10_000
const outermost = 3

/** Characters of an id that is read before the text is parsed. */
const longestId = 1000

const number = /^-?\d{1,20}$/
const protoName = /^(?:_|\\u005[fF]){2}(?:[proto]|\\u00[0-9a-fA-F]{2}){5}(?:_|\\u005[fF]){2}$/

/** Checks a text for what makes it dangerous or slow to parse; whether it is valid JSON is left to the parser. */
export const inspect = (text: string): Inspection => {
  let depth = 0
  let members = 0
  let problem: string | undefined
  let id: string | undefined
  const widest = text.trimStart().startsWith("[") ? outermost + 1 : outermost
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      const end = endOfString(text, at)
      if (mayBeOfInterest(text, at, end, depth)) {
        const content = text.slice(at + 1, end)
        if (id === undefined && depth === 1 && content === "id") id = valueBehind(text, end + 1)
        else if (isProto(content) && isName(text, end + 1)) problem ??= "no field may be named __proto__"
      }
      at = end
    } else if (character === "," && depth <= widest && ++members > mostMembers) {
      problem ??= `more than ${mostMembers} fields`
    } else if (character === "[" || character === "{") {
      if (++depth > deepest) problem ??= `nested deeper than ${deepest} levels`
    } else if (character === "]" || character === "}") depth--
  }
  return { problem, id }
}

const longestProto = 9 * "\\u005f".length

const mayBeOfInterest = (text: string, start: number, end: number, depth: number) => {
  const length = end - start - 1
  return (depth === 1 && length === 2) || (length >= 9 && length <= longestProto && /[_\\]/.test(text[start + 1] ?? ""))
}

const isProto = (content: string) =>
  content === "__proto__" || (protoName.test(content) && JSON.parse(`"${content}"`) === "__proto__")

/** The place of the next character that is no blank. */
const behindBlanks = (text: string, from: number): number => {
  let at = from
  while (/\s/.test(text[at] ?? "")) at++
  return at
}

const isName = (text: string, behind: number) => text[behindBlanks(text, behind)] === ":"

const valueBehind = (text: string, behind: number): string | undefined => {
  const colon = behindBlanks(text, behind)
  if (text[colon] !== ":") return undefined
  const start = behindBlanks(text, colon + 1)
  const isText = text[start] === '"'
  const end = isText
    ? endOfString(text, start) + 1
    : start + (/^[-\d]{0,21}/.exec(text.slice(start, start + 21))?.[0].length ?? 0)
  const next = text[behindBlanks(text, end)]
  const value = text.slice(start, end)
  if (end - start > longestId + 2 || (next !== "," && next !== "}")) return undefined
  return isText || number.test(value) ? value : undefined
}

const endOfString = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

const isEscaped = (text: string, at: number): boolean => {
  let slashes = 0
  while (text[at - 1 - slashes] === "\\") slashes++
  return slashes % 2 === 1
}
