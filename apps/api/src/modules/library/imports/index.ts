import type { Common } from '../../../common.ts'
import { createArchiveReader } from '../../../parsers/chat-archives/archive-reader.ts'
import { createMediaArchiveReader } from '../../../parsers/media-archives/media-archive-reader.ts'
import { createSeal } from '../../../platform/lib/sealing.ts'
import { createSafeFetch } from '../../../platform/net/safe-fetcher.ts'
import type { WithTempFolder } from '../../../platform/storage/scratch.ts'
import type { CorrectionsService } from '../items/corrections.service.ts'
import type { MediaService } from '../items/media.service.ts'
import type { MediaTrashService } from '../trash/trash.service.ts'
import type { UploadService } from '../upload/upload.service.ts'
import { type ChatImporterDeps, createChatImporter } from './chat-importer.ts'
import { createConversationIndexing } from './conversation-indexing.ts'
import { createImportRunner } from './import-runner.ts'
import { createImportedMetadataStore } from './imported-metadata.store.ts'
import { createImportedObjectsStore } from './imported-objects.store.ts'
import { createImportsService, type SessionRemover } from './imports.service.ts'
import { createImportsStore } from './imports.store.ts'
import { createMediaImporter } from './media-importer.ts'
import { createMetadataCompletion } from './metadata-completion.ts'
import { createImmich } from './photo-servers/immich.ts'

interface ImportsTools extends Common, Pick<ChatImporterDeps, 'conversations' | 'importTargets'> {
  withTempFolder: WithTempFolder
  chat: SessionRemover
  media: MediaService
  mediaTrash: MediaTrashService
  uploads: UploadService
  corrections: CorrectionsService
}

/** Builds imports from other programs. */
export function buildImports(tools: ImportsTools) {
  const { config, database, sandboxing, log, events, conversations } = tools
  const store = createImportsStore(database)
  const importedObjects = createImportedObjectsStore(database)
  const seal = createSeal({ secret: tools.jwtSecret, purpose: 'keys of servers that things are brought from' })
  const sandbox = {
    sandboxing,
    warn: (fields: Record<string, unknown>, sentence: string) => log.warn(fields, sentence),
  }
  const archives = createArchiveReader(sandbox)
  const mediaArchives = createMediaArchiveReader(sandbox)
  const metadataCompletion = createMetadataCompletion({
    ...tools,
    store: createImportedMetadataStore(database),
    imports: store,
  })
  const importRunner = createImportRunner({
    ...tools,
    store,
    archives,
    chatImporter: createChatImporter({ ...tools, store: importedObjects }),
    mediaArchives,
    photoServers: {
      immich: createImmich({ fetch: createSafeFetch({ allowedHosts: config.web.allowedHosts }).fetch }),
    },
    seal,
    mediaImporter: createMediaImporter({ ...tools, store: importedObjects, metadataCompletion }),
  })
  return {
    imports: createImportsService({
      ...tools,
      admit: tools.uploads.admit,
      store,
      importedObjects,
      importRunner,
      metadataCompletion,
      seal,
    }),
    importRunner,
    conversationIndexing: createConversationIndexing({ store: importedObjects, conversations, events }),
    closeImports: async () => {
      await Promise.all([archives.close(), mediaArchives.close()])
    },
  }
}
