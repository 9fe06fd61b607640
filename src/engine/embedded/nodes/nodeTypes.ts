import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { wordSet } from "../../../internal/texts.ts"
import { agentType, nodeKind, nodeType } from "../../workflow/naming.ts"
import { kindOf } from "../run/triggers.ts"
import { entryOf } from "../store/values.ts"
import { base, type Described } from "./base.ts"
import { boolean, choice, list, locator, number, options, required, text, when } from "./forms.ts"

/** Kinds of nodes in the base package of either engine. */
const baseKinds = wordSet(`
  Brandfetch actionNetwork activeCampaign activeCampaignTrigger acuitySchedulingTrigger adalo affinity
  affinityTrigger aggregate agileCrm aiTransform airtable airtableTrigger airtop amqp amqpTrigger apiTemplateIo
  asana asanaTrigger automizy autopilot autopilotTrigger awsCertificateManager awsCognito awsComprehend awsDynamoDb
  awsElb awsIam awsLambda awsRekognition awsS3 awsSes awsSns awsSnsTrigger awsSqs awsTextract awsTranscribe
  azureCosmosDb azureStorage bambooHr bannerbear baserow beeminder bitbucketTrigger bitly bitwarden box boxTrigger
  bubble calTrigger calendlyTrigger chargebee chargebeeTrigger circleCi ciscoWebex ciscoWebexTrigger citrixAdc
  clearbit clickUp clickUpTrigger clockify clockifyTrigger cloudflare cockpit coda code coinGecko compareDatasets
  compression confluence contentful convertKit convertKitTrigger convertToFile copper copperTrigger cortex crateDb
  cron crowdDev crowdDevTrigger crypto currents currentsTrigger customerIo customerIoTrigger dataTable databricks
  databricksTrigger dateTime debugHelper deepL demio dhl discord discourse disqus drift dropbox dropcontact
  dynamicCredentialCheck e2eTest e2eTestPollingTrigger editImage egoi elasticSecurity elasticsearch emailReadImap
  emailSend emelia emeliaTrigger erpNext errorTrigger evaluation evaluationTrigger eventbriteTrigger executeCommand
  executeWorkflow executeWorkflowTrigger executionData extractFromFile facebookGraphApi facebookLeadAdsTrigger
  facebookTrigger figmaTrigger filemaker filter flow flowTrigger form formIoTrigger formTrigger formstackTrigger
  freshdesk freshservice freshworksCrm ftp function functionItem gSuiteAdmin getResponse getResponseTrigger ghost
  git github githubTrigger gitlab gitlabTrigger gmail gmailTrigger goToWebinar gong googleAds googleAnalytics
  googleBigQuery googleBooks googleBusinessProfile googleBusinessProfileTrigger googleCalendar googleCalendarTrigger
  googleChat googleCloudNaturalLanguage googleCloudStorage googleContacts googleDocs googleDrive googleDriveTrigger
  googleFirebaseCloudFirestore googleFirebaseRealtimeDatabase googlePerspective googleSheets googleSheetsTrigger
  googleSlides googleTasks googleTranslate gotify grafana graphql grist gumroadTrigger hackerNews haloPSA harvest
  helpScout helpScoutTrigger highLevel homeAssistant html htmlExtract httpRequest hubspot hubspotTrigger humanticAi
  hunter iCal if intercom interval invoiceNinja invoiceNinjaTrigger itemLists iterable jenkins jinaAi jira
  jiraTrigger jotFormTrigger jwt kafka kafkaTrigger keap keapTrigger kitemaker koBoToolbox koBoToolboxTrigger ldap
  lemlist lemlistTrigger limit line linear linearTrigger lingvaNex linkedIn localFileTrigger loneScale
  loneScaleTrigger magento2 mailcheck mailchimp mailchimpTrigger mailerLite mailerLiteTrigger mailgun mailjet
  mailjetTrigger mandrill manualTrigger markdown marketstack matrix mattermost mautic mauticTrigger medium merge
  messageAnAgent messageBird metabase microsoftDataverse microsoftDynamicsCrm microsoftEntra microsoftExcel
  microsoftExcelSharePoint microsoftGraphSecurity microsoftOneDrive microsoftOneDriveTrigger microsoftOutlook
  microsoftOutlookTrigger microsoftSharePoint microsoftSql microsoftTeams microsoftTeamsTrigger microsoftToDo mindee
  misp mistralAi mocean mondayCom mongoDb monicaCrm moveBinaryData mqtt mqttTrigger msg91 mySql n8n
  n8nTrainingCustomerDatastore n8nTrainingCustomerMessenger n8nTrigger nasa netlify netlifyTrigger nextCloud noOp
  nocoDb notion notionTrigger npm odoo okta oneSimpleApi onfleet onfleetTrigger openAi openThesaurus openWeatherMap
  oracleDatabase orbit oura paddle pagerDuty payPal payPalTrigger peekalink perplexity phantombuster philipsHue
  pipedrive pipedriveTrigger plivo postBin postHog postgres postgresTrigger postmarkTrigger profitWell pushbullet
  pushcut pushcutTrigger pushover questDb quickChart quickbase quickbooks rabbitmq rabbitmqTrigger raindrop
  readBinaryFile readBinaryFiles readPDF readWriteFile reddit redis redisTrigger removeDuplicates renameKeys
  respondToWebhook rocketchat rssFeedRead rssFeedReadTrigger rundeck s3 salesforce salesforceTrigger salesmate
  scheduleTrigger seaTable seaTableTrigger securityScorecard segment sendGrid sendInBlue sendInBlueTrigger sendy
  sentryIo serviceNow set shopify shopifyTrigger signl4 simulate simulateTrigger slack slackTrigger sms77 snowflake
  sort splitInBatches splitOut splunk spontit spotify spreadsheetFile sseTrigger ssh stackby start stickyNote
  stopAndError storyblok strapi strava stravaTrigger stripe stripeTrigger summarize supabase surveyMonkeyTrigger
  switch syncroMsp taiga taigaTrigger tapfiliate telegram telegramTrigger theHive theHiveProject
  theHiveProjectTrigger theHiveTrigger timeSaved timescaleDb todoist togglTrigger totp travisCi trello trelloTrigger
  twake twilio twilioTrigger twist twitter typeformTrigger unleashedSoftware uplead uproc uptimeRobot urlScanIo
  venafiTlsProtectCloud venafiTlsProtectCloudTrigger venafiTlsProtectDatacenter vero vonage wait webflow
  webflowTrigger webhook wekan whatsApp whatsAppTrigger wise wiseTrigger wooCommerce wooCommerceTrigger wordpress
  workableTrigger workflowTrigger writeBinaryFile wufooTrigger xero xml youTube yourls zammad zendesk zendeskTrigger
  zohoCrm zoom zulip
`)

/** Kinds of nodes in the package for language models. */
const languageKinds = wordSet(`
  alibabaCloud anthropic googleGemini minimax moonshot ollama openAi microsoftAgent365Trigger agent agentTool
  openAiAssistant chainSummarization chainLlm chainRetrievalQa sentimentAnalysis informationExtractor textClassifier
  code documentDefaultDataLoader documentBinaryInputLoader documentGithubLoader documentJsonInputLoader
  embeddingsCohere embeddingsDatabricks embeddingsAwsBedrock embeddingsAzureOpenAi embeddingsGoogleGemini
  embeddingsGoogleVertex embeddingsHuggingFaceInference embeddingsMistralCloud embeddingsOpenAi embeddingsLemonade
  embeddingsOllama embeddingsOracleDb embeddingsNvidia lmChatAlibabaCloud lmChatAnthropic lmChatAzureOpenAi
  lmChatAwsBedrock lmChatCohere lmChatDatabricks lmChatDeepSeek lmChatGoogleGemini lmChatGoogleVertex lmChatGroq
  lmChatMistralCloud lmChatMinimax lmChatMoonshot lmChatLemonade lmChatNvidia lmChatOllama lmChatOpenRouter
  lmChatVercelAiGateway lmChatXAiGrok lmChatOpenAi lmOpenAi lmCohere lmLemonade lmOllama lmOpenHuggingFaceInference
  mcpClient mcpClientTool mcpRegistryClientTool mcpTrigger memoryBufferWindow memoryMotorhead memoryPostgresChat
  memoryMongoDbChat memoryRedisChat memoryManager memoryChatRetriever memoryXata memoryZep outputParserAutofixing
  outputParserItemList outputParserStructured rerankerCohere retrieverContextualCompression retrieverVectorStore
  retrieverMultiQuery retrieverWorkflow textSplitterCharacterTextSplitter textSplitterRecursiveCharacterTextSplitter
  textSplitterTokenSplitter toolCalculator toolCode toolHttpRequest toolSearXng toolSerpApi toolThink
  toolVectorStore toolWikipedia toolWolframAlpha toolWorkflow manualChatTrigger chatTrigger chat
  vectorStoreAzureAISearch vectorStoreInMemory vectorStoreInMemoryInsert vectorStoreInMemoryLoad vectorStoreMilvus
  vectorStoreMongoDBAtlas vectorStoreOracleDBVector vectorStorePGVector chatHubVectorStorePGVector
  chatHubVectorStoreQdrant vectorStorePinecone chatHubVectorStorePinecone vectorStorePineconeInsert
  vectorStorePineconeLoad vectorStoreRedis vectorStoreQdrant vectorStoreSupabase vectorStoreSupabaseInsert
  vectorStoreSupabaseLoad vectorStoreWeaviate vectorStoreZep vectorStoreZepInsert vectorStoreZepLoad
  vectorStoreChromaDB toolExecutor modelSelector guardrails
`)

/** Whether an engine knows a node type; types of installed community packages are not known here. */
export const isKnownType = (type: string): boolean => {
  const kind = nodeKind(type)
  return type === nodeType(kind) ? baseKinds.has(kind) : languageKinds.has(kind)
}

/** The credential types that triggers need; only of the most common triggers. */
const credentialOf: Readonly<Record<string, string>> = { emailReadImap: "imap", telegramTrigger: "telegramApi" }

/** The type of the credential that a node needs and does not have. */
export const missingCredential = (node: JsonObject): string | undefined => {
  const type = entryOf(credentialOf, kindOf(node))
  return type !== undefined && objectOf(node.credentials)[type] === undefined ? type : undefined
}

const model = { type: "ai_languageModel", displayName: "Chat Model", required: true, maxConnections: 1 }
const openAi = [{ name: "openAiApi", required: true }]

/** The node types of the package for language models that this engine knows, in our own words. */
const language: Readonly<Record<string, Described>> = {
  agent: {
    title: "AI Agent",
    what: "Generates an action plan and executes it. Can use external tools.",
    versions: [1.7, 1.8, 1.9],
    later: [2, 2.1, 2.2, 3, 3.1],
    inputs: [
      "main",
      model,
      { type: "ai_memory", maxConnections: 1 },
      { type: "ai_tool" },
      { type: "ai_outputParser", maxConnections: 1 }
    ],
    properties: [
      choice("promptType", ["auto", "guardrails", "define"]),
      text("text", { ...required, ...when({ promptType: ["define"] }) }),
      boolean("hasOutputParser"),
      boolean("needsFallback"),
      options(text("systemMessage"), number("maxIterations"), boolean("returnIntermediateSteps"))
    ]
  },
  chainLlm: {
    title: "Basic LLM Chain",
    what: "A simple chain to prompt a large language model",
    versions: [1.4, 1.5, 1.6],
    later: [1.7, 1.8, 1.9],
    inputs: ["main", model, { type: "ai_outputParser", maxConnections: 1 }],
    properties: [
      choice("promptType", ["auto", "define"]),
      text("text", { ...required, ...when({ promptType: ["define"] }) }),
      boolean("hasOutputParser"),
      list("messages", "messageValues", [
        choice("type", ["SystemMessagePromptTemplate", "AIMessagePromptTemplate", "HumanMessagePromptTemplate"]),
        text("message")
      ])
    ]
  },
  lmChatOpenAi: {
    title: "OpenAI Chat Model",
    what: "For advanced usage with an AI chain",
    versions: [1, 1.1, 1.2],
    later: [1.3],
    inputs: [],
    outputs: ["ai_languageModel"],
    credentials: openAi,
    properties: [
      locator("model", ["list", "id"], required),
      options(
        number("temperature"),
        number("maxTokens"),
        number("topP"),
        number("timeout"),
        number("maxRetries"),
        text("baseURL"),
        choice("responseFormat", ["text", "json_object"])
      )
    ]
  },
  memoryBufferWindow: {
    title: "Simple Memory",
    what: "Stores in memory, so no credentials required",
    versions: [1, 1.1, 1.2, 1.3],
    inputs: [],
    outputs: ["ai_memory"],
    properties: [
      choice("sessionIdType", ["fromInput", "customKey"]),
      text("sessionKey"),
      number("contextWindowLength", { default: 5 })
    ]
  },
  toolCalculator: {
    title: "Calculator",
    what: "Make it easier for AI agents to perform arithmetic",
    versions: [1],
    inputs: [],
    outputs: ["ai_tool"]
  }
}

/**
 * The descriptions of node types as an engine of this generation serves them, or its packages contain them. Of most types only
 * the name is known here: those come without properties.
 */
export const nodeTypes = (generation: 1 | 2): ReadonlyArray<JsonObject> => [
  ...typesOf(baseKinds, base, nodeType, generation),
  ...typesOf(languageKinds, language, agentType, generation)
]

const typesOf = (
  kinds: ReadonlySet<string>,
  described: Readonly<Record<string, Described>>,
  named: (kind: string) => string,
  generation: 1 | 2
): ReadonlyArray<JsonObject> =>
  [...kinds].map((kind) => {
    const description = Object.hasOwn(described, kind) ? described[kind] : undefined
    return { name: named(kind), ...(description === undefined ? bare(kind) : whole(description, generation)) }
  })

const bare = (kind: string): JsonObject => ({
  displayName: kind,
  description: "",
  group: [kind.endsWith("Trigger") ? "trigger" : "transform"],
  version: 1
})

const whole = (
  {
    alias = [],
    asTool,
    credentials = [],
    group,
    inputs,
    later = [],
    outputs,
    properties = [],
    title,
    versions,
    what
  }: Described,
  generation: 1 | 2
): JsonObject => ({
  displayName: title,
  description: what,
  group: [group ?? "transform"],
  version: generation === 1 ? versions : [...versions, ...later],
  inputs: inputs ?? ["main"],
  outputs: outputs ?? ["main"],
  codex: { alias },
  ...(asTool === true ? { usableAsTool: true } : {}),
  credentials,
  properties
})
