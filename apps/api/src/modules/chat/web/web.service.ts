import {
  type Check,
  checkSchema,
  type UpdateWebSettings,
  type WebSettings,
  type WebState,
  webSearchAddresses,
  webSearchProviders,
} from '@mira/shared'
import { z } from 'zod'
import { AppError, ForbiddenError, UnavailableError, ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import { leadsToMetadata } from '../../../platform/net/guarded-fetch.ts'
import type { SearchTheWeb, WebSearchEngine, WebSearchHit } from '../../../platform/net/web-search.ts'
import { say } from '../../../sentences.ts'
import type { PageReader, WebPage } from './page-reader.ts'

const KEY = 'web'

const storedSettingsSchema = z.object({
  allowed: z.boolean(),
  provider: z.enum(webSearchProviders).nullable(),
  baseUrl: z.string().nullable(),
  /** Encrypted by the seal. */
  apiKey: z.string().nullable(),
  check: checkSchema,
})
type StoredSettings = z.infer<typeof storedSettingsSchema>

const defaultSettings: StoredSettings = {
  allowed: false,
  provider: null,
  baseUrl: null,
  apiKey: null,
  check: { state: 'off' },
}

/** Web access is off by default. Settings that can't be parsed, such as those of a later version, also count as off. */
async function readSettings({ prisma }: Database): Promise<StoredSettings> {
  const row = await prisma.setting.findUnique({ where: { key: KEY } })
  return storedSettingsSchema.safeParse(row?.value).data ?? defaultSettings
}

async function writeSettings({ prisma }: Database, value: StoredSettings): Promise<void> {
  await prisma.setting.upsert({ where: { key: KEY }, create: { key: KEY, value }, update: { value } })
}

interface WebDeps {
  database: Database
  searchTheWeb: SearchTheWeb
  pages: PageReader
  seal: Seal
  log: Log
}

export type WebService = ReturnType<typeof createWebService>

/** A query with results in every search engine. */
const TRIAL_QUERY = 'weather'

const noResults = say('web_search_nothing', { query: TRIAL_QUERY })

const notAllowed = () =>
  new ForbiddenError('An administrator hasn’t allowed web access here.', { code: 'web_not_allowed' })

/** Web access of the assistant, within the administrators' settings. */
export function createWebService({ database, searchTheWeb, pages, seal, log }: WebDeps) {
  const searchEngineOf = ({ provider, baseUrl, apiKey }: StoredSettings): WebSearchEngine | null => {
    if (provider === null || baseUrl === null) return null
    const key = apiKey === null ? null : seal.decrypt(apiKey)
    if (apiKey !== null && key === null) log.warn('could not unseal the key of the web search: JWT_SECRET has changed')
    return { provider, baseUrl, apiKey: key }
  }

  const present = ({ allowed, provider, baseUrl, apiKey, check }: StoredSettings): WebSettings => ({
    allowed,
    provider,
    base_url: baseUrl,
    has_key: apiKey !== null,
    check,
  })

  const trySearch = async (settings: StoredSettings): Promise<Check> => {
    const searchEngine = searchEngineOf(settings)
    if (searchEngine === null) return { state: 'off' }
    const checked_at = new Date().toISOString()
    try {
      const hits = await searchTheWeb(searchEngine, TRIAL_QUERY, { limit: 3 })
      return hits.length > 0
        ? { state: 'ok', checked_at }
        : { state: 'error', checked_at, reason: noResults.text, told: noResults.sentences }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { state: 'error', checked_at, reason: error.message, told: error.sentences }
    }
  }

  const saveChecked = async (settings: StoredSettings): Promise<WebSettings> => {
    const checkedSettings = { ...settings, check: await trySearch(settings) }
    await writeSettings(database, checkedSettings)
    return present(checkedSettings)
  }

  return {
    settings: async (): Promise<WebSettings> => present(await readSettings(database)),

    /** Saves the settings and tries the search. @throws ValidationError for a forbidden address */
    async update({ allowed, provider, base_url, api_key }: UpdateWebSettings): Promise<WebSettings> {
      const previous = await readSettings(database)
      const address = provider === null ? null : (base_url ?? webSearchAddresses[provider])
      const baseUrl = address === null ? null : new URL(address).href.replace(/(?<!\/)\/+$/, '')
      if (baseUrl !== null && (await leadsToMetadata(baseUrl))) {
        throw new ValidationError('A search engine can’t be a cloud metadata service.', {
          code: 'address_forbidden',
          errors: [{ path: 'base_url', message: 'must not be a cloud metadata service' }],
        })
      }
      // Someone who may change the address mustn't obtain the key by pointing it at their own server.
      const isSameServer = provider === previous.provider && originOf(baseUrl) === originOf(previous.baseUrl)
      const existingKey = isSameServer ? previous.apiKey : null
      const apiKey = api_key === undefined ? existingKey : api_key ? seal.encrypt(api_key) : null
      return saveChecked({ allowed, provider, baseUrl, apiKey, check: { state: 'off' } })
    },

    /** Tries the search with the stored settings. */
    test: async (): Promise<WebSettings> => saveChecked(await readSettings(database)),

    /** Web access available to conversations. */
    async state(): Promise<WebState> {
      const settings = await readSettings(database)
      return { allowed: settings.allowed, search: settings.allowed && settings.provider !== null }
    },

    /** @throws ForbiddenError when web access is off, UnavailableError when the search fails */
    async search(query: string, options: { limit: number; signal?: AbortSignal | undefined }): Promise<WebSearchHit[]> {
      const settings = await readSettings(database)
      if (!settings.allowed) throw notAllowed()
      const searchEngine = searchEngineOf(settings)
      if (searchEngine === null) throw new UnavailableError('No web search is connected.')
      return searchTheWeb(searchEngine, query, options)
    },

    /**
     * Reads a page of the public web. @throws ForbiddenError when web access is off, AppError with the reason when it's unreadable
     */
    async read(url: string, signal: AbortSignal): Promise<WebPage> {
      if (!(await readSettings(database)).allowed) throw notAllowed()
      return pages.read(url, signal)
    },
  }
}

function originOf(url: string | null): string | null {
  return url === null ? null : new URL(url).origin
}
