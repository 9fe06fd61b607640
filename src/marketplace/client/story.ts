import { labelOf } from "./operations.ts"

/** What could not be done and why, in a sentence: the message of an error without its advice. */
export const storyOf = ({ detail, operation }: { readonly operation: string; readonly detail: string }): string =>
  `Could not ${labelOf(operation)}: ${asSentence(detail)}`

const asSentence = (text: string): string => {
  const line = text.trim().replaceAll(/\s*\n\s*/g, "; ")
  return /[.!?…]$/.test(line) ? line : `${line}.`
}

/** The same with what to do about it: the message of an error. */
export const say = (error: { readonly operation: string; readonly detail: string; readonly advice: string }) =>
  `${storyOf(error)} ${error.advice}`
