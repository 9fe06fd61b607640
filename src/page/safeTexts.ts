import { options } from "preact"

import { visible } from "../internal/foreignText.ts"
import { maskText } from "../internal/secrets/maskSecrets.ts"

/** Shows every text of the page without what has the form of a secret, and with everything in it to be seen. */
export const showSafeTexts = () => {
  options.vnode = (node) => {
    // A node that is a text has it in place of its properties.
    const text: unknown = node.props
    if (typeof text === "string") Object.assign(node, { props: visible(maskText(text)) })
  }
}
