import { twoEmbedded } from "../engine/plans/support.ts"
import { promotingSuite } from "./promoting.ts"

for (const [from, to] of [
  ["1.82.3", "2.41.1"],
  ["2.41.1", "1.82.3"]
] as const) {
  promotingSuite(`from the embedded ${from} to the embedded ${to}`, {
    to,
    layerOf: (given) => twoEmbedded([from, to], given)
  })
}
