import { Option } from "effect"

/** Parses a text as JSON; none if it is not JSON. */
export const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))
