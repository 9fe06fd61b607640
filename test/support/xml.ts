/** An element of an XML document. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** The text of its own, without that of its elements. */
  readonly text: string
  readonly elements: ReadonlyArray<XmlElement>
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

/** The characters that XML 1.0 knows. */
const isCharacter = (code: number) =>
  code === 9 ||
  code === 10 ||
  code === 13 ||
  (code >= 0x20 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd) ||
  (code >= 0x10000 && code <= 0x10ffff)

const name = /[A-Za-z_][\w.-]*/y

/** Reads what we write of XML 1.0: elements, attributes and text. Whatever is not well-formed is an error. */
export const readXml = (document: string): XmlElement => {
  for (const character of document) {
    const code = character.codePointAt(0) ?? 0
    if (!isCharacter(code)) throw new Error(`U+${code.toString(16)} has no place in XML`)
  }
  let at = 0
  const failed = (what: string): never => {
    throw new Error(`${what} at ${at}: ${document.slice(at, at + 30)}`)
  }
  const take = (text: string) => {
    if (!document.startsWith(text, at)) failed(`expected ${text}`)
    at += text.length
  }
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const [found] = pattern.exec(document) ?? []
    if (found === undefined) return failed(`expected ${pattern.source}`)
    at += found.length
    return found
  }
  const skip = () => match(/[ \n\t\r]*/y)
  const decoded = (text: string) => {
    if (text.includes("]]>")) failed("]]> in text")
    return text.replace(/&([^;]*;?)/g, (_, reference: string) => {
      const [, hex, digits, entity] = /^(?:#x([\da-f]+)|#(\d+)|(\w+));$/i.exec(reference) ?? []
      if (entity !== undefined) return entities[entity] ?? failed(`unknown entity ${entity}`)
      const code = hex === undefined ? Number(digits) : Number.parseInt(hex, 16)
      return isCharacter(code) ? String.fromCodePoint(code) : failed(`bad reference ${reference}`)
    })
  }

  const element = (): XmlElement => {
    take("<")
    const tag = match(name)
    const attributes: Record<string, string> = {}
    for (;;) {
      const space = skip()
      if (document.startsWith("/>", at)) {
        at += 2
        return { name: tag, attributes, text: "", elements: [] }
      }
      if (document[at] === ">") break
      if (space === "") failed("expected a blank")
      const attribute = match(name)
      if (Object.hasOwn(attributes, attribute)) failed(`${attribute} twice`)
      take('="')
      // A parser takes line ends and tabs in attributes for blanks.
      attributes[attribute] = decoded(match(/[^"<]*/y).replace(/[\n\t\r]/g, " "))
      take('"')
    }
    take(">")
    const elements: Array<XmlElement> = []
    let text = ""
    for (;;) {
      text += decoded(match(/[^<]*/y).replace(/\r\n?/g, "\n"))
      if (document.startsWith("</", at)) {
        at += 2
        take(tag)
        take(">")
        return { name: tag, attributes, text, elements }
      }
      elements.push(element())
    }
  }

  take('<?xml version="1.0" encoding="UTF-8"?>')
  skip()
  const root = element()
  skip()
  if (at !== document.length) failed("expected the end")
  return root
}
