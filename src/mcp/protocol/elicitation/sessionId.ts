/** Tells that the client behind it shows forms: nothing else is known of a conversation, and nothing is kept of it. */
const prefix = "elicits-"

/** An id that nobody can guess. */
export const mint = () => `${prefix}${crypto.randomUUID()}`

/** A session id as it came in a header, if it is of this kind. */
export const read = (id: string | undefined): string | undefined =>
  id !== undefined && /^elicits-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : undefined
