import { withoutNames } from "./ApiCall.ts"

/** The tools that do more than a call of the API does, by call without the names of ids. */
const tools = new Map([
  ["GET /workflows", "search_workflows"],
  ["POST /workflows", "create_workflow"],
  ["GET /workflows/{}", "get_workflow"],
  ["PUT /workflows/{}", "update_workflow"],
  ["DELETE /workflows/{}", "delete_workflow"],
  ["POST /workflows/{}/activate", "activate_workflow"],
  ["POST /workflows/{}/publish", "activate_workflow"],
  ["POST /workflows/{}/deactivate", "deactivate_workflow"],
  ["POST /workflows/{}/unpublish", "deactivate_workflow"],
  ["POST /workflows/{}/archive", "archive_workflow"],
  ["POST /workflows/{}/unarchive", "archive_workflow"],
  ["GET /workflows/{}/history", "workflow_history"],
  ["PUT /workflows/{}/tags", "edit_workflow"],
  ["GET /executions", "list_executions"],
  ["GET /executions/{}", "get_execution"],
  ["DELETE /executions/{}", "delete_execution"],
  ["POST /executions/{}/retry", "retry_execution"],
  ["POST /executions/{}/stop", "stop_execution"],
  ["GET /credentials", "list_credentials"],
  ["POST /credentials", "create_credential"],
  ["GET /credentials/{}", "get_credential"],
  ["PATCH /credentials/{}", "update_credential"],
  ["DELETE /credentials/{}", "delete_credential"],
  ["POST /credentials/{}/test", "test_credential"],
  ["GET /credentials/schema/{}", "get_credential_schema"],
  ["GET /data-tables", "read_data_table"],
  ["GET /data-tables/{}", "read_data_table"],
  ["GET /data-tables/{}/columns", "read_data_table"],
  ["GET /data-tables/{}/rows", "read_data_table"],
  ["GET /tags", "get_tags"],
  ["POST /tags", "create_tag"],
  ["PUT /tags/{}", "update_tag"],
  ["DELETE /tags/{}", "delete_tag"]
])

/** The tool that does the same as a call, with more care or fewer words. */
export const toolFor = (call: string): string | undefined => tools.get(withoutNames(call))
