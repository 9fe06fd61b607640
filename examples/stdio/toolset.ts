import { DateTime, Effect, Option, Schema } from "effect"
import { Annotations, text, Tool, ToolError, type Toolset } from "workflow-tool-server/mcp"

const getTime = Tool.make("get_time", {
  title: "Get time",
  description: "Tell the present time in a time zone",
  annotations: Annotations.reads,
  arguments: { zone: text("Name of the time zone, such as Europe/Paris") },
  result: Schema.Struct({ zone: Schema.String, time: Schema.String }),
  run: ({ zone }) =>
    Effect.flatMap(DateTime.now, (now) =>
      Option.match(DateTime.setZoneNamed(now, zone), {
        onNone: () => Effect.fail(unknownZone(zone)),
        onSome: (time) => Effect.succeed({ zone, time: DateTime.formatIsoZoned(time) })
      })
    )
})

const unknownZone = (zone: string) =>
  new ToolError({
    blame: "caller",
    code: "UNKNOWN_ZONE",
    message: `There is no time zone ${zone}. Give a name such as Europe/Paris.`,
    details: { zone }
  })

export const TimeToolset: Toolset.Toolset = {
  name: "time",
  instructions: "get_time tells the present time anywhere.",
  tools: [getTime]
}
