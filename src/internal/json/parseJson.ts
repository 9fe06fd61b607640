import { Option } from "effect"

/** What a text says as JSON; nothing where it is none. */
export const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))
