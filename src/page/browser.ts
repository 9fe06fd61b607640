/** The clock, timers and promises of the browser, which the page uses in place of Effect's: a runtime would be half of it. */

export const now = (): number => Date.now()

/** Does something after so many milliseconds, unless it is cancelled. */
export const after = (milliseconds: number, act: () => void): (() => void) => {
  const timer = setTimeout(act, milliseconds)
  return () => clearTimeout(timer)
}

/** Does something every so many milliseconds, until it is cancelled. */
export const every = (milliseconds: number, act: () => void): (() => void) => {
  const timer = setInterval(act, milliseconds)
  return () => clearInterval(timer)
}

export const resolved = <A>(value: A): Promise<A> => Promise.resolve(value)

/** The values of all, in their order. */
export const together = <const A extends ReadonlyArray<unknown>>(
  all: A
): Promise<{ readonly [at in keyof A]: Awaited<A[at]> }> => Promise.all(all)
