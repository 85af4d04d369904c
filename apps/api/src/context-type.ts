import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Ai } from './engines/ai.ts'
import type { RemoteOptions } from './engines/remote/remote-ai.ts'
import type { BackupsService } from './modules/admin/backups/backups.service.ts'
import type { OffsiteService } from './modules/admin/backups/offsite.service.ts'
import type { ProofsService } from './modules/admin/backups/proofs.service.ts'
import type { proveInProcess } from './modules/admin/backups/prove-in-process.ts'
import type { ScrubbingService } from './modules/admin/backups/scrubbing.service.ts'
import type { ConnectionsService } from './modules/admin/connections/connections.service.ts'
import type { OllamaService } from './modules/admin/connections/ollama.service.ts'
import type { AnalyticsService } from './modules/admin/insights/analytics.service.ts'
import type { InsightsService } from './modules/admin/insights/insights.service.ts'
import type { MemoryLogsService } from './modules/admin/insights/memory-logs.service.ts'
import type { LocalLimits } from './modules/admin/models/index.ts'
import type { ModelsService } from './modules/admin/models/models.service.ts'
import type { EnginesService } from './modules/admin/settings/engines.service.ts'
import type { HealthService } from './modules/admin/system/health.service.ts'
import type { SystemOverviewService } from './modules/admin/system/system-overview.service.ts'
import type { SystemSampler } from './modules/admin/system/system-sampler.ts'
import type { NotificationsService } from './modules/automation/notifications/notifications.service.ts'
import type { PushService } from './modules/automation/push/push.service.ts'
import type { RemindersService } from './modules/automation/reminders/reminders.service.ts'
import type { AutomationService } from './modules/automation/tasks/automation.service.ts'
import type { SummariesService } from './modules/automation/tasks/summaries.service.ts'
import type { DeliveryLimits } from './modules/automation/webhooks/webhook-deliveries.ts'
import type { WebhooksService } from './modules/automation/webhooks/webhooks.service.ts'
import type { AboutMeService } from './modules/chat/about-me/about-me.service.ts'
import type { AgentsService } from './modules/chat/agents/agents.service.ts'
import type { IntentsService } from './modules/chat/agents/intents.service.ts'
import type { ChatService } from './modules/chat/chat.service.ts'
import type { ExportsService } from './modules/chat/exports/exports.service.ts'
import type { McpLimits } from './modules/chat/mcp-servers/mcp-client.ts'
import type { McpServersService } from './modules/chat/mcp-servers/mcp-servers.service.ts'
import type { PersonasService } from './modules/chat/personas/personas.service.ts'
import type { PicturesService } from './modules/chat/pictures/pictures.service.ts'
import type { ProjectsService } from './modules/chat/projects/projects.service.ts'
import type { PromptsService } from './modules/chat/prompts/prompts.service.ts'
import type { SharesService } from './modules/chat/shares/shares.service.ts'
import type { AnswerLimits } from './modules/chat/turns/answers.service.ts'
import type { VoiceService } from './modules/chat/voice/voice.service.ts'
import type { PageReaderLimits } from './modules/chat/web/page-reader.ts'
import type { WebService } from './modules/chat/web/web.service.ts'
import type { MemoryForPrograms } from './modules/gateways/mcp/memory-service.ts'
import type { CompletionsService } from './modules/gateways/openai/completions.service.ts'
import type { EmbeddingsService } from './modules/gateways/openai/embeddings.service.ts'
import type { ResponsesService } from './modules/gateways/openai/responses.service.ts'
import type { buildAccountData, openIdentity, StorageService } from './modules/identity/index.ts'
import type { ImportsService } from './modules/library/imports/imports.service.ts'
import type { ArchivesService } from './modules/library/items/archives.service.ts'
import type { CorrectionsService } from './modules/library/items/corrections.service.ts'
import type { MediaService } from './modules/library/items/media.service.ts'
import type { OwnFactsService } from './modules/library/items/own-facts.service.ts'
import type { NotesService } from './modules/library/notes/notes.service.ts'
import type { ImprovingService } from './modules/library/pipeline/improving.service.ts'
import type { MediaTrashService } from './modules/library/trash/trash.service.ts'
import type { PartialUploadsService } from './modules/library/upload/partial-uploads.service.ts'
import type { UploadService } from './modules/library/upload/upload.service.ts'
import type { WatchedFoldersService } from './modules/library/watched-folders/watched-folders.service.ts'
import type { PageLimits, PagesService } from './modules/library/web-pages/pages.service.ts'
import type {
  EmbeddingService,
  EmbeddingSwitchService,
  KnownItems,
  MemoryService,
  SearchDeps,
} from './modules/search/index.ts'
import type { EffectsService, MadePicturesService, SourcesService } from './modules/studio/index.ts'
import type { AuditRecord } from './platform/database/audit.ts'
import type { Database } from './platform/database/client.ts'
import type { Events } from './platform/events/events.service.ts'
import type { AuthenticateSigned } from './platform/http/access.ts'
import type { UntrustedProxies } from './platform/http/client-address.ts'
import type { RequestCounter } from './platform/http/request-counts.ts'
import type { SignedPaths } from './platform/http/signed-url.ts'
import type { Queue } from './platform/queue/queue.ts'
import type { SettingsService } from './platform/settings/settings.service.ts'
import type { AdmissionLimits } from './platform/storage/admission.ts'
import type { Files } from './platform/storage/files.ts'

type Identity = Awaited<ReturnType<typeof openIdentity>>

/** Every object of a running server, built once. */
export interface Context {
  config: Config
  log: Logger
  database: Database
  files: Files
  queue: Queue
  /** Signs and verifies tokens; the same on every server of an instance. */
  jwtSecret: string
  untrustedProxies: UntrustedProxies
  auth: Identity['auth']
  confirmation: Identity['confirmation']
  apiTokens: Identity['apiTokens']
  accessItems: Identity['accessItems']
  users: Identity['users']
  signIn: Identity['signIn']
  programs: Identity['programs']
  settings: SettingsService
  storage: StorageService
  engines: EnginesService
  ai: Ai
  models: ModelsService
  connections: ConnectionsService
  ollama: OllamaService
  web: WebService
  /** Servers of others whose tools the assistant may call. */
  mcpServers: McpServersService
  events: Events
  notifications: NotificationsService
  /** Addresses that are told what happens to people's things. */
  hooks: WebhooksService
  /** Devices of people that are told things while no page is open. */
  push: PushService
  reminders: RemindersService
  aboutMe: AboutMeService
  prompts: PromptsService
  projects: ProjectsService
  personas: PersonasService
  agents: AgentsService
  intents: IntentsService
  chat: ChatService
  chatExports: ExportsService
  /** A person's memory as the Model Context Protocol gives it to programs. */
  memoryForPrograms: MemoryForPrograms
  /** Services for programs that speak the OpenAI protocol. */
  openAi: { completions: CompletionsService; responses: ResponsesService; embeddings: EmbeddingsService }
  pictures: PicturesService
  /** Conversations that anybody with a link may read. */
  shares: SharesService
  effects: EffectsService
  madePictures: MadePicturesService
  effectSources: SourcesService
  health: HealthService
  systemOverview: SystemOverviewService
  systemSampler: SystemSampler
  requestCounter: RequestCounter
  insights: InsightsService
  memoryLogs: MemoryLogsService
  analytics: AnalyticsService
  media: MediaService
  mediaTrash: MediaTrashService
  archives: ArchivesService
  corrections: CorrectionsService
  ownFacts: OwnFactsService
  improving: ImprovingService
  uploads: UploadService
  /** Folders of the server whose files are copied in. */
  watchedFolders: WatchedFoldersService
  partialUploads: PartialUploadsService
  notes: NotesService
  pages: PagesService
  memory: MemoryService
  knownItems: KnownItems
  embedding: EmbeddingService
  embeddingSwitch: EmbeddingSwitchService
  voice: VoiceService
  automation: AutomationService
  summaries: SummariesService
  /** Export and deletion of users' data, and their preferences. */
  account: ReturnType<typeof buildAccountData> & Pick<Identity, 'preferences'>
  /** Imports from other programs. */
  imports: ImportsService
  backups: BackupsService
  proofs: ProofsService
  scrubbing: ScrubbingService
  offsite: OffsiteService
  audit: Identity['audit']
  /** Appends to the audit log. */
  recordAudit(record: AuditRecord): Promise<void>
  /** Signs the addresses that browsers load files from. */
  signedPaths: SignedPaths
  /** Finds the user whom the address of a file was signed for. */
  authenticateSigned: AuthenticateSigned
  /** The first administrator, with the password if this start generated one. */
  firstAdmin: Identity['firstAdmin']
  /** Begins what happens without a request: jobs and what repeats. */
  start(): Promise<void>
  /** Ends everything in order: what makes work first, what holds data last. */
  close(): Promise<void>
}

/** Replacements by tests, at the outermost edge only. */
export interface ContextOverrides {
  mcpLimits?: Partial<McpLimits>
  /** Time without changes before a file of a watched folder is copied. */
  settledMs?: number
  database?: Database
  log?: Logger
  /** Replaces the trial restore, which takes seconds. */
  proveBackup?: typeof proveInProcess | undefined
  /** A low one makes tests fast. */
  bcryptCost?: number
  /** Short times make tests fast. */
  modelLimits?: Partial<RemoteOptions>
  localLimits?: LocalLimits
  answerLimits?: Partial<AnswerLimits>
  hookLimits?: Partial<DeliveryLimits>
  /** Timeout of the memory search for an answer. */
  memoryTimeoutMs?: number | undefined
  /** Timeout of weather and news sources. */
  sourceTimeoutMs?: number | undefined
  searchLimits?: SearchDeps['limits']
  /** Low ones are reached by small tests. */
  uploadLimits?: Partial<AdmissionLimits>
  /** Low ones are reached by small pages. */
  pageLimits?: Partial<PageLimits>
  webLimits?: Partial<PageReaderLimits>
}
