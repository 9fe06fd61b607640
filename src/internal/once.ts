/** Makes a value when it is first needed, and keeps it. */
export const once = <A>(make: () => A): (() => A) => {
  let value: { readonly made: A } | undefined
  return () => (value ??= { made: make() }).made
}
