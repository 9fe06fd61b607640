// Loaded into the command: at SIGUSR2 it tells on stderr the longest turn of its event loop so far, by CPU time: what
// other processes of the machine take is not counted.
const now = () => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}
let before = now()
let longest = 0
const look = () => {
  const time = now()
  longest = Math.max(longest, time - before)
  before = time
}
setTimeout(() => {
  before = now()
  longest = 0
  setInterval(look, 1).unref()
}, 1500).unref()
process.on("SIGUSR2", () => {
  look()
  process.stderr.write(`turn ${Math.round(longest)}\n`)
})
