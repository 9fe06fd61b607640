interface Block {
  readonly type: string
}

/** The text blocks of an answer; any other kind is shown by its name, so that a test that wants text fails. */
export const texts = (content: ReadonlyArray<Block>) =>
  content.map((block) => ({
    type: block.type,
    text: "text" in block && typeof block.text === "string" ? block.text : block.type
  }))

/** The JSON in the one text that a resource consists of. */
export const onlyJson = (contents: ReadonlyArray<object>): unknown => {
  const [only, ...others] = contents
  if (only === undefined || others.length > 0 || !("text" in only)) throw new Error("not one text")
  return JSON.parse(String(only.text))
}
