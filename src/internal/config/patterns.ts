/** A text that says something. */
export const something = /\S/

/** A key or a token, as HTTP headers can carry it. */
export const secretText = /^[\x21-\x7e]+( [\x21-\x7e]+)*$/
