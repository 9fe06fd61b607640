import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Scope } from "effect"
import { HttpClient } from "effect/http"

import { Instances } from "../../../src/engine/client/Instances.ts"
import { GitError } from "../../../src/engine/history/git/Git.ts"
import { layerOver } from "../../../src/engine/history/git/GitHistory.ts"
import { WorkflowId } from "../../../src/engine/workflow/models.ts"
import { Stopping } from "../../../src/mcp/callContext.ts"
import { answers, hangs, standIn } from "../../internal/http/standIn.ts"
import { environment, serverOver } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"

it.effect(
  "a server with a history ends within seconds of being told to, though an engine does not say what became of a change",
  () =>
    Effect.gen(function* () {
      const { client } = standIn(hangs, answers(502, {}, ""), hangs)
      const environments = { production: environment("http://127.0.0.1:1", "k", { apiKeyHeader: "X-N8N-API-KEY" }) }
      const history = layerOver("/history", Effect.fail(new GitError({ message: "there is no room" })))
      const server = Layer.provide(serverOver(environments, Layer.succeed(HttpClient.HttpClient, client)), history)
      const stopping = yield* Stopping
      const scope = yield* Scope.make()
      const context = yield* Effect.provideService(Layer.build(server), Scope.Scope, scope)
      const deactivated = Effect.flatMap(Instances, ({ resolve }) =>
        Effect.flatMap(resolve(), ({ deactivateWorkflow }) => deactivateWorkflow(WorkflowId.make("w1")))
      )
      const outcome = yield* inTime(Effect.exit(Effect.provideContext(deactivated, context)))
      assert.isTrue(Exit.isFailure(outcome))
      yield* Deferred.succeed(stopping, undefined)
      const ended = yield* inTime(Effect.timeoutOption(Scope.close(scope, Exit.void), "10 seconds"))
      assert.strictEqual(ended._tag, "Some")
    }).pipe(Effect.provideService(Stopping, Deferred.makeUnsafe<void>()))
)
