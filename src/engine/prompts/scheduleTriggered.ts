import { cron, task, timezone, workflowName } from "./arguments.ts"
import { chain, node, remark } from "./sketch.ts"
import { make } from "./template.ts"

export const scheduleTriggered = make("schedule-triggered-workflow", {
  title: "Workflow on a schedule",
  description: "A workflow that runs at fixed times, from a cron expression",
  arguments: { cron, timezone, task, name: workflowName("Scheduled workflow") },
  propose: ({ cron, name, task, timezone }) => {
    const trigger = node("scheduleTrigger", "Schedule Trigger", [0, 0], {
      rule: { interval: [{ field: "cronExpression", expression: cron }] }
    })
    const work = node(
      "set",
      "Prepare Data",
      [1, 0],
      { assignments: { assignments: [{ id: "startedAt", name: "startedAt", type: "string", value: "={{ $now }}" }] } },
      remark(task)
    )
    return {
      workflow: {
        name,
        nodes: [trigger, work],
        connections: chain(trigger, work),
        settings: timezone === undefined ? {} : { timezone }
      },
      hints: [
        "'Prepare Data' only notes the time of the run: add the nodes that do the work behind it, with update_workflow.",
        "A schedule cannot be started from outside: look at list_executions after the first run."
      ]
    }
  }
})
