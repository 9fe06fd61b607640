// The parser of JavaScript. The library brings it along: this file is bundled with what it exports.
export { Parser } from "acorn"
