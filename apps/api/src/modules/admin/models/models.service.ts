import type { LocalModel, LocalModelsResponse, UserEventJson } from '@mira/shared'
import type { LocalModelInfo } from '../../../engines/local/catalogue.ts'
import type { LocalAi } from '../../../engines/local/local-ai.ts'
import type { Log } from '../../../log.ts'
import type { ModelsStore } from './models.store.ts'

export interface ModelsDeps {
  local: Pick<LocalAi, 'isEnabled' | 'directory' | 'list' | 'describe' | 'download' | 'remove' | 'onChange'>
  store: ModelsStore
  publish(userId: string, event: UserEventJson): void
  log: Log
}

export type ModelsService = ReturnType<typeof createModelsService>

const TELL_EVERY_MS = 500

/** The models of this server, for administrators, who are told how downloads go on. */
export function createModelsService({ local, store, publish, log }: ModelsDeps) {
  const waiting = new Map<string, NodeJS.Timeout>()

  const tell = async (model: LocalModelInfo) => {
    const event = { type: 'model.progress' as const, model: local.describe(model) }
    for (const userId of await store.administrators()) publish(userId, event)
  }
  local.onChange((model) => {
    if (waiting.has(model.id)) return
    const timer = setTimeout(() => {
      waiting.delete(model.id)
      // the database is away: whoever looks at the page asks again
      tell(model).catch((error: unknown) => log.debug({ err: error }, 'the state of a model could not be told'))
    }, TELL_EVERY_MS).unref()
    waiting.set(model.id, timer)
  })

  return {
    async list(): Promise<LocalModelsResponse> {
      return { models: await local.list(), is_enabled: local.isEnabled, directory: local.directory }
    },

    /** Begins to download a model; its progress comes as events. @throws NotFoundError, ConflictError */
    download: (id: string): LocalModel => local.download(id),

    /** Removes a model from the disk. @throws NotFoundError; ConflictError while it is being downloaded. */
    remove: (id: string): Promise<void> => local.remove(id),

    close(): void {
      for (const timer of waiting.values()) clearTimeout(timer)
    },
  }
}
