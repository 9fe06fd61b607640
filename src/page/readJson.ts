/** A text as JSON; nothing where it is none. What Effect has for it would be a seventh of the page. */
export const readJson = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
