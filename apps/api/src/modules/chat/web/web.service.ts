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
import type { SearchTheWeb, WebSearchHit, WebSearchPlace } from '../../../platform/net/web-search.ts'
import { say } from '../../../sentences.ts'
import type { PageReader, WebPage } from './page-reader.ts'

const KEY = 'web'

const keptSchema = z.object({
  allowed: z.boolean(),
  provider: z.enum(webSearchProviders).nullable(),
  baseUrl: z.string().nullable(),
  /** Sealed. */
  apiKey: z.string().nullable(),
  check: checkSchema,
})
/** Stored settings of web access. */
type KeptWeb = z.infer<typeof keptSchema>

const nothingAllowed: KeptWeb = { allowed: false, provider: null, baseUrl: null, apiKey: null, check: { state: 'off' } }

/** Nothing is allowed until someone allows it; settings of a later version don't count. */
async function readSettings({ prisma }: Database): Promise<KeptWeb> {
  const row = await prisma.setting.findUnique({ where: { key: KEY } })
  return keptSchema.safeParse(row?.value).data ?? nothingAllowed
}

async function writeSettings({ prisma }: Database, value: KeptWeb): Promise<void> {
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

const nothing = say('web_search_nothing', { query: TRIAL_QUERY })

const notAllowed = () =>
  new ForbiddenError('An administrator hasn’t allowed web access here.', { code: 'web_not_allowed' })

/** Web access of the assistant, within the administrators' settings. */
export function createWebService({ database, searchTheWeb, pages, seal, log }: WebDeps) {
  const placeOf = ({ provider, baseUrl, apiKey }: KeptWeb): WebSearchPlace | null => {
    if (provider === null || baseUrl === null) return null
    const key = apiKey === null ? null : seal.open(apiKey)
    if (apiKey !== null && key === null) log.warn('the key of the web search cannot be read: JWT_SECRET is another one')
    return { provider, baseUrl, apiKey: key }
  }

  const present = ({ allowed, provider, baseUrl, apiKey, check }: KeptWeb): WebSettings => ({
    allowed,
    provider,
    base_url: baseUrl,
    has_key: apiKey !== null,
    check,
  })

  const tryOut = async (settings: KeptWeb): Promise<Check> => {
    const place = placeOf(settings)
    if (place === null) return { state: 'off' }
    const checked_at = new Date().toISOString()
    try {
      const pages = await searchTheWeb(place, TRIAL_QUERY, { limit: 3 })
      return pages.length > 0
        ? { state: 'ok', checked_at }
        : { state: 'error', checked_at, reason: nothing.text, told: nothing.told }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { state: 'error', checked_at, reason: error.message, told: error.told }
    }
  }

  const withCheck = async (settings: KeptWeb): Promise<WebSettings> => {
    const whole = { ...settings, check: await tryOut(settings) }
    await writeSettings(database, whole)
    return present(whole)
  }

  return {
    settings: async (): Promise<WebSettings> => present(await readSettings(database)),

    /** Saves the settings and tries the search at once. @throws ValidationError for a forbidden address. */
    async decide({ allowed, provider, base_url, api_key }: UpdateWebSettings): Promise<WebSettings> {
      const before = await readSettings(database)
      const address = provider === null ? null : (base_url ?? webSearchAddresses[provider])
      const baseUrl = address === null ? null : new URL(address).href.replace(/(?<!\/)\/+$/, '')
      if (baseUrl !== null && (await leadsToMetadata(baseUrl))) {
        throw new ValidationError('A search is never at the metadata service of a cloud.', {
          code: 'address_forbidden',
          errors: [{ path: 'base_url', message: 'must not lead to the metadata service of a cloud' }],
        })
      }
      // somebody who may change the address must not obtain the key by pointing it at their own server
      const isSame = provider === before.provider && hostOf(baseUrl) === hostOf(before.baseUrl)
      const keptKey = isSame ? before.apiKey : null
      const apiKey = api_key === undefined ? keptKey : api_key ? seal.close(api_key) : null
      return withCheck({ allowed, provider, baseUrl, apiKey, check: { state: 'off' } })
    },

    /** Tries the search with the stored settings. */
    test: async (): Promise<WebSettings> => withCheck(await readSettings(database)),

    /** Web access available to conversations. */
    async state(): Promise<WebState> {
      const settings = await readSettings(database)
      return { allowed: settings.allowed, search: settings.allowed && settings.provider !== null }
    },

    /** @throws ForbiddenError where the web is not allowed, UnavailableError when the search fails. */
    async search(query: string, options: { limit: number; signal?: AbortSignal | undefined }): Promise<WebSearchHit[]> {
      const settings = await readSettings(database)
      if (!settings.allowed) throw notAllowed()
      const place = placeOf(settings)
      if (place === null) throw new UnavailableError('Nothing is connected here that searches the web.')
      return searchTheWeb(place, query, options)
    },

    /**
     * Reads a page of the public web. @throws ForbiddenError as above, AppError with the reason when it can't be read.
     */
    async read(url: string, signal: AbortSignal): Promise<WebPage> {
      if (!(await readSettings(database)).allowed) throw notAllowed()
      return pages.read(url, signal)
    },
  }
}

function hostOf(address: string | null): string | null {
  return address === null ? null : new URL(address).origin
}
