import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Common } from './common.ts'
import { type Config, VERSION } from './config.ts'
import { createAi } from './engines/ai.ts'
import type { RemoteOptions } from './engines/remote/remote-ai.ts'
import type { tryRestoreInProcess } from './modules/admin/backups/run-trial-restore.ts'
import { openConnections } from './modules/admin/connections/index.ts'
import type { LocalLimits } from './modules/admin/models/index.ts'
import { createModelsService, openLocalAi } from './modules/admin/models/index.ts'
import { openSettings } from './modules/admin/settings/index.ts'
import { buildPush, buildReminders, buildWebhooks } from './modules/automation/index.ts'
import type { DeliveryLimits } from './modules/automation/webhooks/webhook-deliveries.ts'
import { openMcpServers } from './modules/chat/mcp-servers/index.ts'
import type { McpLimits } from './modules/chat/mcp-servers/mcp-client.ts'
import type { AnswerLimits } from './modules/chat/turns/answers.service.ts'
import type { PageReaderLimits } from './modules/chat/web/page-reader.ts'
import { createStorageUse } from './modules/identity/index.ts'
import type { PageLimits } from './modules/library/web-pages/pages.service.ts'
import type { SearchDeps } from './modules/search/index.ts'
import { createPictureFiles } from './parsers/image/picture-files.ts'
import { createPictureProcesses } from './parsers/image/picture-processes.ts'
import { createTesseractOcr } from './parsers/ocr/ocr-tesseract.ts'
import type { Database } from './platform/database/client.ts'
import { createUnreferencedFiles } from './platform/database/unreferenced-files.ts'
import { createEvents, type Events } from './platform/events/events.service.ts'
import { createUntrustedProxies } from './platform/http/client-address.ts'
import { createSignedPaths } from './platform/http/signed-url.ts'
import { createSafeFetcher } from './platform/net/safe-fetcher.ts'
import type { ProcessLog } from './platform/sandbox/process-protocol.ts'
import { createSandboxing, type Sandboxing, type SandboxingOptions } from './platform/sandbox/sandboxing.ts'
import type { AdmissionLimits } from './platform/storage/admission.ts'
import { openFiles } from './platform/storage/open-files.ts'
import { createRequireSpace } from './platform/storage/require-space.ts'
import { createScratch } from './platform/storage/scratch.ts'

/** Dependencies of every service. */
export interface ContextBasis extends Pick<Common, 'jwtSecret' | 'database' | 'queue'> {
  log: Logger
}

/** Overrides for tests, at the outermost edge only. */
export interface ContextOverrides {
  mcpLimits?: Partial<McpLimits>
  /** Time without changes before a file of a watched folder is copied. */
  settledMs?: number
  database?: Database
  log?: Logger
  /** Replaces the trial restore, which takes seconds. */
  proveBackup?: typeof tryRestoreInProcess | undefined
  /** Low in tests, to make them fast. */
  bcryptCost?: number
  /** Tests pass a sandbox that is already tested and treats all files as one user's, which saves seconds. */
  openSandboxing?: (options: SandboxingOptions) => Sandboxing
  /** Short timeouts make tests fast. */
  modelLimits?: Partial<RemoteOptions>
  localLimits?: LocalLimits
  answerLimits?: Partial<AnswerLimits>
  hookLimits?: Partial<DeliveryLimits>
  /** Timeout of the memory search for an answer. */
  memoryTimeoutMs?: number | undefined
  /** Timeout of weather and news sources. */
  sourceTimeoutMs?: number | undefined
  searchLimits?: SearchDeps['limits']
  /** Low limits can be reached by small tests. */
  uploadLimits?: Partial<AdmissionLimits>
  /** Low limits can be reached by small pages. */
  pageLimits?: Partial<PageLimits>
  webLimits?: Partial<PageReaderLimits>
}

/** Builds the services below the modules: settings, files, engines, events and notifications; `common` is shared by many. */
export async function buildFoundations(config: Config, basis: ContextBasis, overrides: ContextOverrides) {
  const { log, jwtSecret, database, queue } = basis
  const settings = await openSettings({ config, database, log })
  await queue.open()
  const files = await openFiles(config, log)
  const warn: ProcessLog = (fields, sentence) => log.warn(fields, sentence)
  const { openSandboxing = createSandboxing } = overrides
  const sandboxing = openSandboxing({
    dataDir: config.dataDir,
    isOnlyProcess: database.engine === 'embedded',
    serviceSocket: config.parserSocket,
    isRequired: config.isSandboxRequired,
    warn,
  })
  const pictures = createPictureProcesses({ sandboxing, warn })
  const { withTempFolder, close: closeScratch } = await createScratch({
    directory: join(config.dataDir, 'scratch'),
    isOnlyProcess: database.engine === 'embedded',
  })
  const ocr = createTesseractOcr({ sandboxing, pictures, withTempFolder, folder: join(config.dataDir, 'ocr'), warn })
  const localAi = await openLocalAi({
    config,
    sandboxing,
    log,
    limits: overrides.localLimits,
    chosenModel: (capability) => settings.current().engines[capability]?.model ?? null,
  })
  const ai = createAi({
    config,
    log,
    remote: overrides.modelLimits,
    local: localAi,
    ocrCheck: ocr.check,
    choiceOf: (capability) => settings.current().engines[capability],
  })
  const fetcher = createSafeFetcher({
    allowedHosts: config.web.allowedHosts,
    userAgent: `Mira/${VERSION} (personal assistant)`,
  })
  const { hooks, webhookNotices, webhookDeliveries } = buildWebhooks({
    ...basis,
    fetcher,
    limits: overrides.hookLimits,
  })
  const push = buildPush({ ...basis, config, fetcher, settings })
  const events = withLocalHandler(createEvents({ ...database, log }), (userId, event) => {
    webhookNotices.onUserEvent(userId, event)
    push.onUserEvent(userId, event)
  })
  const { connections, ollama } = await openConnections({ config, database, jwtSecret, ai, log })
  const mcpServers = await openMcpServers({ config, database, jwtSecret, log, settings, limits: overrides.mcpLimits })
  const models = createModelsService({ local: localAi, database, events, log })
  const { notifications, reminders, reminderClock } = buildReminders({ log, database, events })
  const signedPaths = createSignedPaths({ secret: jwtSecret })
  const { images, pixels } = pictures
  const storage = createStorageUse({ database, settings })
  const common: Common & ContextBasis = {
    ...basis,
    config,
    untrustedProxies: createUntrustedProxies(),
    settings,
    files,
    unreferencedFiles: createUnreferencedFiles(database),
    sandboxing,
    pictures,
    withTempFolder,
    images,
    pixels,
    pictureFiles: createPictureFiles({ files, images }),
    ai,
    events,
    fetcher,
    signedPaths,
    signPath: signedPaths.sign,
    requireSpace: createRequireSpace(storage.spaceOf),
  }

  return {
    common,
    ocr,
    localAi,
    webhookNotices,
    webhookDeliveries,
    reminderClock,
    /** Parts that go into the context unchanged. */
    contextParts: {
      settings,
      files,
      ai,
      models,
      connections,
      ollama,
      mcpServers,
      events,
      notifications,
      reminders,
      hooks,
      push,
      signedPaths,
      storage,
    },
    /** Stops background refreshes. */
    stop: () => {
      settings.close()
      connections.close()
      mcpServers.close()
    },
    /** Closes the rest, after everything that uses it. */
    close: async () => {
      await fetcher.close()
      await ocr.close()
      await pictures.close()
      await closeScratch()
      sandboxing.close()
      models.close()
      await localAi.close()
      files.close()
    },
  }
}

/** Passes events that this server publishes to `handle` as well. */
function withLocalHandler(events: Events, handle: Events['publish']): Events {
  return {
    ...events,
    publish(userId, event) {
      events.publish(userId, event)
      handle(userId, event)
    },
  }
}
