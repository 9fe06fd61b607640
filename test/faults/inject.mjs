// Loaded into the command before anything else: lets a test break things inside that no upstream can break.
const { parse } = JSON
const fail = () => {
  throw new TypeError("an injected defect in /secret/place.ts")
}
const trap = new Proxy({}, { get: fail, has: fail, ownKeys: fail })
// Who reads an answer that says so gets an object that nobody can look at.
JSON.parse = (text, reviver) => (text === '{"defect":true}' ? trap : parse(text, reviver))

const RealDate = Date
let offset = 0
globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offset)
    else super(...args)
  }
  static now() {
    return RealDate.now() + offset
  }
}
// The clock of the machine is set: an hour back, then two hours on.
process.on("SIGUSR2", () => {
  offset = offset === 0 ? -3_600_000 : 7_200_000
  process.stderr.write(`clock ${offset}\n`)
})
