/**
 * What the first piece gives to the others is there when they are loaded, and stays: plain values, taken once, by their
 * place. A thousand getters were a sixth of what a start reads, and a thousand names still took 3 ms.
 */
export const plainExports = () => {
  const places = new Map()
  const given =
    /^(?:exports\.(?!main )([\w$]+) = ([\w$]+);|Object\.defineProperty\(exports, ["']([\w$]+)["'], \{\s*enumerable: true,\s*get: function ?\(\) \{\s*return ([\w$]+);\s*\}\s*\}\);)$/gm
  /** What the first piece takes of schemas comes with the first use of one. */
  const lazily = (code) => {
    const [statement, name] = /^const (\w+) = require\("[^"]*\/schemas-[^"]*"\);$/m.exec(code) ?? []
    if (statement === undefined) throw new Error("The first piece does not import schemas any more")
    return code
      .replace(new RegExp(`\\bnew ${name}\\.([\\w$]+)`, "g"), (_, made) => `new (${name}.${made})`)
      .replaceAll(`${name}.`, `${name}().`)
      .replace(statement, () => `let ${name}_;${statement.replace("= ", `= () => ${name}_ ??= `)}`)
  }
  const plainly = (all, _name, _value, name, value) => (name === undefined ? all : `exports.${name} = ${value};`)
  const renderChunk = (code, { name }) => {
    if (name === "start") {
      const values = []
      const rest = lazily(code).replace(given, (...[, name, value, lateName = name, lateValue = value]) => {
        places.set(lateName, values.length)
        values.push(lateValue)
        return ""
      })
      return `${rest}\nmodule.exports = Object.assign([${values.join(", ")}], exports);`
    }
    const [statement, start] = /^const (\w+) = require\("[^"]*\/start-[^"]*"\);$/m.exec(code) ?? []
    if (statement === undefined) return undefined
    const used = new Set()
    const own = ["engine", "schemas"].includes(name) ? code.replace(given, plainly) : code
    const taken = own.replace(new RegExp(`\\b${start}\\.([\\w$]+)`, "g"), (_, name) => {
      used.add(name)
      return `${start}_${name}`
    })
    const names = [...used].map((name) => `${name}: ${start}_${name}`).join(", ")
    return taken.replace(statement, statement.replace(`const ${start} =`, `const { ${names} } =`))
  }
  /** The names are known before all places are, so that these are put in at the end. */
  const withPlaces = (code) =>
    code.replace(/\{([\w$:,]+)\}(?==require\(["'`]\.\/start-)/g, (_, pairs) => {
      const inPlaces = pairs.split(",").map((pair) => {
        const [name, own = name] = pair.split(":")
        if (!places.has(name)) throw new Error(`${name} is not given by the first piece`)
        return `${places.get(name)}:${own}`
      })
      return `{${inPlaces.join(",")}}`
    })
  return { plugin: { name: "plain exports", renderChunk }, withPlaces }
}
