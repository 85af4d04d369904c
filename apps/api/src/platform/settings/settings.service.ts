import { isDeepStrictEqual } from 'node:util'
import type { AdminSettings, AdminSettingsResponse, Capability, EngineChoice, EngineState } from '@mira/shared'
import { ValidationError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Database } from '../database/client.ts'
import type { ServerMessages } from '../database/server-messages.ts'
import { applyOverrides, overridesOf, type SettingOverrides } from './default-settings.ts'

const KEY = 'admin_settings'

type SettingsStore = ReturnType<typeof createSettingsStore>

/** Stores administrators' decisions in one row. */
export function createSettingsStore({ prisma }: Pick<Database, 'prisma'>) {
  return {
    /** Stored decisions with the time of the last change; empty before the first. */
    async read(): Promise<{ decisions: SettingOverrides; updatedAt: Date | null }> {
      const row = await prisma.setting.findUnique({ where: { key: KEY } })
      return { decisions: (row?.value ?? {}) as SettingOverrides, updatedAt: row?.updatedAt ?? null }
    },

    async write(decisions: SettingOverrides): Promise<void> {
      const value = decisions as Record<string, string>
      await prisma.setting.upsert({ where: { key: KEY }, create: { key: KEY, value }, update: { value } })
    },
  }
}

interface SettingsDeps {
  store: SettingsStore
  /** Defaults for settings that no administrator has changed: from the environment, or the product's own. */
  defaults: AdminSettings
  listen: ServerMessages['listen']
  notify(channel: string, payload: string): Promise<void>
  /** Polling interval for another server's changes, in case its message was missed; null for a single server. */
  pollMs: number | null
  log: Log
}

/** Read access to the current settings. */
export interface SettingsReader {
  /** Current settings, from memory. */
  current(): AdminSettings
  /**
   * Calls the listener with the new and the old settings whenever they change, here or on another server.
   * @returns function that removes the listener.
   */
  onChange(listener: (settings: AdminSettings, before: AdminSettings) => void): () => void
}

export type SettingsService = ReturnType<typeof createSettingsService>

const CHANNEL = 'mira_settings'

/** Keeps the instance's settings in sync on all servers, and notifies listeners. */
export function createSettingsService({ store, defaults, listen, notify, pollMs, log }: SettingsDeps) {
  const listeners = new Set<Parameters<SettingsReader['onChange']>[0]>()
  let cached: { settings: AdminSettings; decisions: SettingOverrides; updatedAt: Date | null } = {
    settings: defaults,
    decisions: {},
    updatedAt: null,
  }
  let timer: NodeJS.Timeout | undefined
  let stopListening = () => {}
  let reading = Promise.resolve()

  const applyStored = ({ decisions, updatedAt }: { decisions: SettingOverrides; updatedAt: Date | null }) => {
    const before = cached.settings
    const { settings, unknown } = applyOverrides(decisions, defaults)
    if (unknown.length > 0 && !isDeepStrictEqual(decisions, cached.decisions)) {
      log.warn({ settings: unknown }, 'ignoring settings that this version does not understand')
    }
    cached = { settings, decisions, updatedAt }
    if (isDeepStrictEqual(settings, before)) return
    for (const listener of listeners) {
      try {
        listener(settings, before)
      } catch (error) {
        log.error({ err: error }, 'a listener failed to apply the settings')
      }
    }
  }

  /** Reads the stored settings. Reads are serialised, so that an older result never overwrites a newer one. */
  const read = () => {
    const next = reading.then(async () => applyStored(await store.read()))
    reading = next.catch(() => {})
    return next
  }

  const readQuietly = () => {
    read().catch((error: unknown) => log.warn({ err: error }, 'the settings could not be read'))
  }

  return {
    current: (): AdminSettings => cached.settings,

    onChange(listener: Parameters<SettingsReader['onChange']>[0]) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },

    /** Reads the settings and follows other servers' changes. */
    async open(): Promise<void> {
      await read()
      stopListening = listen(CHANNEL, readQuietly, readQuietly)
      if (pollMs !== null) timer = setInterval(readQuietly, pollMs).unref()
    },

    close(): void {
      clearInterval(timer)
      stopListening()
    },

    /** Response with the current settings, the defaults and the names of changed settings; `engines` lists the choices. */
    response(engines: Record<Capability, EngineState>): AdminSettingsResponse {
      const { settings, decisions, updatedAt } = cached
      const decided = Object.keys(overridesOf(settings, defaults)).filter((name) => name in decisions)
      return { settings, defaults, decided, engines, updated_at: updatedAt }
    },

    /**
     * Saves settings; those equal to their default continue to follow the environment. Takes effect immediately everywhere.
     * @param choices selectable engines of each capability.
     * @throws ValidationError when a chosen engine isn't available.
     */
    async save(settings: AdminSettings, choices: Record<string, EngineChoice['engine'][]>): Promise<void> {
      const before: Record<string, EngineChoice | undefined> = cached.settings.engines
      const errors = Object.entries(settings.engines).flatMap(([capability, choice]) => {
        // an earlier choice that is no longer available doesn't prevent saving other settings
        const isAllowed = choice === undefined || (choices[capability] ?? []).includes(choice.engine)
        if (isAllowed || choice.engine === before[capability]?.engine) return []
        return [{ path: `engines.${capability}.engine`, message: `There is no ${choice.engine} engine for this.` }]
      })
      if (errors.length > 0) throw new ValidationError('These settings can’t be saved.', { errors })
      await store.write(overridesOf(settings, defaults))
      await read()
      notify(CHANNEL, '').catch((error: unknown) => {
        log.warn({ err: error }, 'other servers could not be notified of the settings')
      })
    },
  }
}
