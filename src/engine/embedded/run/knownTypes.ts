import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { nodeKind, nodeType } from "../../workflow/naming.ts"
import { own } from "../store/values.ts"
import { kindOf } from "./triggers.ts"

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Kinds of nodes in the base package of either engine. */
export const baseKinds = words(`
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
export const languageKinds = words(`
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
  const type = own(credentialOf, kindOf(node))
  return type !== undefined && objectOf(node.credentials)[type] === undefined ? type : undefined
}
