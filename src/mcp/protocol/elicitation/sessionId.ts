/** Marks a session whose client shows forms: nothing else is known or kept of a session. */
const prefix = "elicits-"

/** An unguessable id. */
export const mint = () => `${prefix}${crypto.randomUUID()}`

/** A session id from a header, if it is of this kind. */
export const read = (id: string | undefined): string | undefined =>
  id !== undefined && /^elicits-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : undefined
