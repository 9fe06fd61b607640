import { ServerResponse } from "node:http"

/**
 * Answers without a second count of their length by Node: it would send head and body in two pieces, with a slower system call.
 * The length of an answer is that of its own text.
 */
export class WholeAnswer extends ServerResponse {}

// As accessors of the class: Node and effect set it for each answer.
Object.defineProperty(WholeAnswer.prototype, "strictContentLength", { get: () => false, set: () => {} })
