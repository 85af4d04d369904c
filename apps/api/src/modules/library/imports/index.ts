import { asLanguage, type Language, languages } from '@mira/shared'
import type { Context } from '../../../context-type.ts'
import { createArchiveReader } from '../../../parsers/chat-archives/archive-reader.ts'
import { createMediaArchiveReader } from '../../../parsers/media-archives/media-archive-reader.ts'
import type { LooseFiles } from '../../../platform/database/loose-files.ts'
import { FILM_OF_PICTURE } from '../../../platform/database/motion-name.ts'
import { createSeal } from '../../../platform/lib/sealing.ts'
import { textsIn } from '../../../platform/messages/texts.ts'
import { createSafeFetch } from '../../../platform/net/safe-fetch.ts'
import type { Caging } from '../../../platform/sandbox/caging.ts'
import type { UseScratch } from '../../../platform/storage/scratch.ts'
import type { ForeignConversationsService } from '../../chat/imported/foreign-conversations.service.ts'
import type { PersonasService } from '../../chat/personas/personas.service.ts'
import type { ProjectsService } from '../../chat/projects/projects.service.ts'
import type { PromptsService } from '../../chat/prompts/prompts.service.ts'
import { MAX_TAGS, tagsOf } from '../items/media.store.ts'
import { createChatImporter } from './chat-importer.ts'
import { createCompleting } from './completing.ts'
import { createImportRunner, type ImportRunner } from './import-runner.ts'
import { createImportedFactsStore } from './imported-facts.store.ts'
import { createImportedThingsStore } from './imported-things.store.ts'
import { createImportsService, type ImportsService } from './imports.service.ts'
import { createImportsStore } from './imports.store.ts'
import { createMediaImporter } from './media-importer.ts'
import { createImmich } from './photo-servers/immich.ts'
import { createSearchPreparing, type SearchPreparing } from './search-preparing.ts'
import { createUndoingStore } from './undoing.store.ts'

const favoriteIn = (language: Language) => textsIn('imports', language)('favorite')

/** Dependencies of imports from other programs. */
export interface ImportsTools
  extends Pick<
    Context,
    | 'config'
    | 'jwtSecret'
    | 'log'
    | 'database'
    | 'files'
    | 'queue'
    | 'events'
    | 'settings'
    | 'chat'
    | 'media'
    | 'uploads'
    | 'corrections'
  > {
  caging: Caging
  looseFiles: LooseFiles
  useScratch: UseScratch
  foreignConversations: ForeignConversationsService
  projects: Pick<ProjectsService, 'bring'>
  personas: Pick<PersonasService, 'bring'>
  prompts: Pick<PromptsService, 'bring'>
  removeLooseFiles(): Promise<void>
}

/** Builds what brings people's things from other programs. */
export function buildImports(tools: ImportsTools): {
  imports: ImportsService
  importRunner: ImportRunner
  searchPreparing: SearchPreparing
  closeImports(): Promise<void>
} {
  const { log, database, files, queue, events, chat, media, looseFiles, removeLooseFiles } = tools
  const { publish } = events
  const store = createImportsStore(database)
  const things = createImportedThingsStore(database)
  const seal = createSeal({ secret: tools.jwtSecret, purpose: 'keys of servers that things are brought from' })
  const cage = {
    caging: tools.caging,
    warn: (fields: Record<string, unknown>, sentence: string) => log.warn(fields, sentence),
  }
  const archives = createArchiveReader(cage)
  const mediaArchives = createMediaArchiveReader(cage)
  const favoriteTag = async (userId: string) => favoriteIn(asLanguage(await store.languageOf(userId)) ?? 'en')
  const completing = createCompleting({
    store: createImportedFactsStore(database),
    describeIn: (tx, userId, id, caption) => tools.corrections.changeIn(tx, userId, id, { caption }),
    undescribeIn: tools.corrections.takeBackCaptionIn,
    tagsOf,
    mostTags: MAX_TAGS,
    favoriteTag,
    favoriteTags: languages.map(favoriteIn),
    publish,
  })
  const imports = createImportsService({
    store,
    things,
    undoing: createUndoingStore(database),
    files,
    looseFiles,
    removeLooseFiles,
    publish,
    enqueue: (tx, id) => queue.enqueue('import-things', { import_id: id }, { tx }),
    enqueueAgain: (id) => queue.enqueue('import-things', { import_id: id }),
    enqueueUndoing: (id, tx) => queue.enqueue('undo-import', { import_id: id }, tx && { tx }),
    stopRunning: (id) => importRunner.stop(id),
    removeSessions: chat.removeMany,
    removeItems: media.remove,
    takeBackTold: completing.undo,
    seal,
    now: () => new Date(),
  })
  const importRunner = createImportRunner({
    store,
    files,
    archives,
    chatImporter: createChatImporter({
      store: things,
      takeOver: tools.foreignConversations.takeOverSome,
      bringBelonging: {
        project: tools.projects.bring,
        persona: tools.personas.bring,
        prompt: tools.prompts.bring,
      },
    }),
    mediaArchives,
    photoServers: {
      immich: createImmich({ fetch: createSafeFetch({ allowedHosts: tools.config.web.allowedHosts }).fetch }),
    },
    seal,
    mediaImporter: createMediaImporter({
      store: things,
      files,
      uploads: {
        admit: tools.uploads.admit,
        accept: (given) =>
          tools.uploads.accept(
            { ...given, inAnalytics: false },
            // the place comes with the rest of what is told
            { generate_caption: true, extract_text: true, keep_place: true, wait: 0 },
          ),
      },
      setFacts: media.setTold,
      completing,
      filmSuffix: FILM_OF_PICTURE,
      favoriteTag,
      describeNewIn: tools.corrections.describeNewIn,
    }),
    maxFileBytes: () => tools.settings.current().limits.upload_bytes,
    useScratch: tools.useScratch,
    prepareSearch: () => queue.enqueue('index-words', {}),
    removeLooseFiles,
    publish,
    log,
  })
  return {
    imports,
    importRunner,
    searchPreparing: createSearchPreparing({
      store: things,
      makeSearched: tools.foreignConversations.makeSearched,
      publish,
    }),
    closeImports: async () => {
      await Promise.all([archives.close(), mediaArchives.close()])
    },
  }
}
