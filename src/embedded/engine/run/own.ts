/** An entry of a table by a name that somebody else chose. */
export const own = <A>(table: Readonly<Record<string, A>>, name: unknown): A | undefined =>
  Object.hasOwn(table, String(name)) ? table[String(name)] : undefined
