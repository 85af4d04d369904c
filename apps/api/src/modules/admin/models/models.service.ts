import type { LocalModel, LocalModelsResponse } from '@mira/shared'
import type { LocalModelInfo } from '../../../engines/local/catalogue.ts'
import type { LocalAi } from '../../../engines/local/local-ai.ts'
import type { Log } from '../../../log.ts'
import { listAdminIds } from '../../../platform/database/admins.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Events } from '../../../platform/events/events.service.ts'

export type ModelsService = ReturnType<typeof createModelsService>

const PROGRESS_INTERVAL_MS = 500

/** Models on this server. Publishes the progress of downloads to administrators. */
export function createModelsService({
  local,
  database,
  events,
  log,
}: {
  local: LocalAi
  database: Database
  events: Events
  log: Log
}) {
  const waiting = new Map<string, NodeJS.Timeout>()

  const publish = async (model: LocalModelInfo) => {
    const event = { type: 'model.progress' as const, model: local.describe(model) }
    for (const userId of await listAdminIds(database)) events.publish(userId, event)
  }
  local.onChange((model) => {
    if (waiting.has(model.id)) return
    const timer = setTimeout(() => {
      waiting.delete(model.id)
      // A lost event doesn't matter: the page also polls.
      publish(model).catch((error: unknown) => log.debug({ err: error }, 'the state of a model could not be published'))
    }, PROGRESS_INTERVAL_MS).unref()
    waiting.set(model.id, timer)
  })

  return {
    async list(): Promise<LocalModelsResponse> {
      return { models: await local.list(), is_enabled: local.isEnabled, directory: local.directory }
    },

    /** Starts to download a model. @throws NotFoundError, ConflictError */
    download: (id: string): LocalModel => local.download(id),

    /** Removes a model from the disk. @throws NotFoundError; ConflictError while it is being downloaded. */
    remove: (id: string): Promise<void> => local.remove(id),

    close(): void {
      for (const timer of waiting.values()) clearTimeout(timer)
    },
  }
}
