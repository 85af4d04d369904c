import {
  type ConnectionTrial,
  ENVIRONMENT_CONNECTION,
  MAX_CONNECTIONS,
  type ModelConnection,
  type NewConnection,
  type OllamaPullEvent,
  type Ollama as OllamaResponse,
  type TestConnection,
  type UpdateConnection,
} from '@mira/shared'
import type { Config } from '../../../config.ts'
import type { Ai } from '../../../engines/ai.ts'
import type { Ollama } from '../../../engines/remote/ollama.ts'
import { AppError, ConflictError, NotFoundError, ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import { leadsToMetadata } from '../../../platform/net/guarded-fetch.ts'
import {
  type ConnectionRow,
  type ConnectionValues,
  deleteConnection,
  findConnection,
  insertConnection,
  listConnections,
  updateConnection,
} from './connections.store.ts'

/** Interval of reading the connections again, in case this server missed the message about a change. */
const POLL_MS = 15_000
const OPENAI_BASE_URL = 'https://api.openai.com/v1'

/** Address, key and headers of a model server, decrypted. */
type ServerAddress = Parameters<Ai['servers']['tryPlace']>[0]
type State = Awaited<ReturnType<Ai['servers']['tryPlace']>>

export type ConnectionsService = ReturnType<typeof createConnectionsService>

const CHANNEL = 'mira_connections'

const noConnectionError = () => new NotFoundError('There is no such connection.')

/** Connections to model servers, the same on every server of the instance. */
export function createConnectionsService({
  ai,
  seal,
  config,
  database,
  log,
}: {
  ai: Ai
  seal: Seal
  config: Pick<Config, 'remoteAi'>
  database: Database
  log: Log
}) {
  const { servers } = ai
  const environment = environmentOf(config)
  let endListening = () => {}
  let timer: NodeJS.Timeout | undefined
  let reading = Promise.resolve()

  /** Decrypts a key or headers; null when there are none, or when JWT_SECRET has changed since they were encrypted. */
  const decrypt = (row: ConnectionRow, sealed: string | null): string | null => {
    if (sealed === null) return null
    const text = seal.decrypt(sealed)
    if (text === null) log.warn({ connection: row.id }, 'a key cannot be decrypted, because JWT_SECRET has changed')
    return text
  }

  const addressOf = (row: ConnectionRow): ServerAddress => ({
    id: row.id,
    name: row.name,
    baseUrl: row.baseUrl,
    apiKey: decrypt(row, row.apiKey),
    headers: JSON.parse(decrypt(row, row.headers) ?? '{}') as Record<string, string>,
  })

  const present = (row: ConnectionRow, state: State | null): ModelConnection => {
    const { id, name, baseUrl, apiKey, headers } = addressOf(row)
    return {
      id,
      name,
      base_url: baseUrl,
      has_key: apiKey !== null,
      header_names: Object.keys(headers),
      enabled: row.isEnabled,
      is_environment: false,
      check: state?.check ?? { state: 'off' },
      models: state?.models ?? [],
    }
  }

  const presentEnvironment = (state: State | null): ModelConnection[] =>
    environment === null
      ? []
      : [
          {
            id: ENVIRONMENT_CONNECTION,
            name: new URL(environment.baseUrl).host,
            base_url: withoutSecrets(environment.baseUrl),
            has_key: environment.apiKey !== null,
            header_names: [],
            enabled: true,
            is_environment: true,
            check: state?.check ?? { state: 'off' },
            models: state?.models ?? [],
          },
        ]

  /** Reads the connections. Calls run one after the other, so that an older result never replaces a newer one. */
  const reload = () => {
    const next = reading.then(async () => {
      servers.connect((await listConnections(database)).filter(({ isEnabled }) => isEnabled).map(addressOf))
    })
    reading = next.catch(() => {})
    return next
  }

  const reloadQuietly = () => {
    reload().catch((error: unknown) => log.warn({ err: error }, 'the connections could not be read'))
  }

  const announceChange = async () => {
    await reload()
    database.notify(CHANNEL, '').catch((error: unknown) => {
      log.warn({ err: error }, 'other servers could not be notified of changed connections')
    })
  }

  const requireRow = async (id: string): Promise<ConnectionRow> => {
    const row = await findConnection(database, id)
    if (row === null) throw noConnectionError()
    return row
  }

  const requireEditable = (id: string) => {
    if (id !== ENVIRONMENT_CONNECTION) return
    throw new ConflictError('This connection comes from the environment: change it there.', {
      code: 'from_environment',
    })
  }

  /** @throws ValidationError for the address of a cloud's metadata service. */
  const requireAllowedAddress = async (baseUrl: string) => {
    if (!(await leadsToMetadata(baseUrl))) return
    const message = 'must not lead to the metadata service of a cloud'
    throw new ValidationError('Connections to the metadata service of a cloud aren’t allowed.', {
      code: 'address_forbidden',
      errors: [{ path: 'base_url', message }],
    })
  }

  const sealedKey = (key: string | null | undefined) => (key ? seal.encrypt(key) : null)
  const sealedHeaders = (headers: Record<string, string> | null | undefined) =>
    headers && Object.keys(headers).length > 0 ? seal.encrypt(JSON.stringify(headers)) : null

  const test = async (row: ConnectionRow): Promise<ModelConnection> =>
    present(row, await servers.tryPlace(addressOf(row)))

  return {
    /** Connects the stored connections, and reloads them when another server changes some. */
    async open(): Promise<void> {
      await reload()
      endListening = database.listen(CHANNEL, reloadQuietly, reloadQuietly)
      if (database.engine === 'server') timer = setInterval(reloadQuietly, POLL_MS).unref()
    },

    close(): void {
      clearInterval(timer)
      endListening()
    },

    /** Address, key and headers of a connection. @throws NotFoundError */
    async placeFor(id: string): Promise<Omit<ServerAddress, 'id' | 'name'>> {
      if (id !== ENVIRONMENT_CONNECTION) return addressOf(await requireRow(id))
      if (environment === null) throw noConnectionError()
      return { baseUrl: environment.baseUrl.replace(/(?<!\/)\/+$/, ''), apiKey: environment.apiKey, headers: {} }
    },

    /** All connections: first the environment's, then the stored ones from the oldest. */
    async list(): Promise<ModelConnection[]> {
      const rows = await listConnections(database)
      return [
        ...presentEnvironment(servers.stateOf(ENVIRONMENT_CONNECTION)),
        ...rows.map((row) => present(row, servers.stateOf(row.id))),
      ]
    },

    /**
     * Stores a connection and tests it. If the test fails, the result says so in `check`.
     * @throws ValidationError for a forbidden address, ConflictError when there are too many.
     */
    async add(values: NewConnection): Promise<ModelConnection> {
      const { name, base_url, api_key, headers, enabled } = values
      const baseUrl = plainAddress(base_url)
      await requireAllowedAddress(baseUrl)
      if ((await listConnections(database)).length >= MAX_CONNECTIONS) {
        throw new ConflictError(`There can be at most ${MAX_CONNECTIONS} connections.`, {
          code: 'too_many_connections',
        })
      }
      const row = await insertConnection(database, {
        name,
        baseUrl,
        isEnabled: enabled,
        apiKey: sealedKey(api_key),
        headers: sealedHeaders(headers),
      })
      await announceChange()
      return test(row)
    },

    /** Tests values without storing them. @throws NotFoundError; ValidationError for a forbidden address. */
    async tryValues({ id, name, base_url, api_key, headers }: TestConnection): Promise<ConnectionTrial> {
      const baseUrl = plainAddress(base_url)
      await requireAllowedAddress(baseUrl)
      const stored = id ? addressOf(await requireRow(id)) : null
      // A key is never sent to a host other than the one it was entered for.
      const storedForHost =
        stored !== null && new URL(stored.baseUrl).origin === new URL(baseUrl).origin ? stored : null
      return servers.tryPlace({
        id: '',
        name,
        baseUrl,
        apiKey: api_key === undefined ? (storedForHost?.apiKey ?? null) : api_key || null,
        headers: headers === undefined ? (storedForHost?.headers ?? {}) : (headers ?? {}),
      })
    },

    /**
     * Changes a connection and tests it.
     * @throws NotFoundError; ConflictError for the environment's connection; ValidationError for a forbidden address.
     */
    async update(id: string, changes: UpdateConnection): Promise<ModelConnection> {
      requireEditable(id)
      const row = await requireRow(id)
      const { name, base_url, api_key, headers, enabled } = changes
      const baseUrl = base_url === undefined ? row.baseUrl : plainAddress(base_url)
      if (baseUrl !== row.baseUrl) await requireAllowedAddress(baseUrl)
      const isOtherHost = new URL(baseUrl).origin !== new URL(row.baseUrl).origin
      const values: Partial<ConnectionValues> = {
        baseUrl,
        ...(name === undefined ? {} : { name }),
        ...(enabled === undefined ? {} : { isEnabled: enabled }),
        // A changed address must not receive the key, or an administrator could send it to their own server.
        ...(api_key === undefined && !isOtherHost ? {} : { apiKey: sealedKey(api_key) }),
        ...(headers === undefined && !isOtherHost ? {} : { headers: sealedHeaders(headers) }),
      }
      if (!(await updateConnection(database, id, values))) throw noConnectionError()
      await announceChange()
      return test(await requireRow(id))
    },

    /** @throws NotFoundError; ConflictError for the environment's connection. */
    async remove(id: string): Promise<void> {
      requireEditable(id)
      if (!(await deleteConnection(database, id))) throw noConnectionError()
      await announceChange()
    },

    /** Tests a connection, even a disabled one, by requesting its models. @throws NotFoundError */
    async test(id: string): Promise<ModelConnection> {
      if (id !== ENVIRONMENT_CONNECTION) return test(await requireRow(id))
      const [connection] = presentEnvironment(await servers.tryEnvironment())
      if (connection === undefined) throw noConnectionError()
      return connection
    },
  }
}

/** Connection configured by the environment; null for none. */
function environmentOf({ remoteAi: { baseUrl, apiKey } }: Pick<Config, 'remoteAi'>) {
  if (baseUrl === undefined && apiKey === undefined) return null
  return { baseUrl: baseUrl ?? OPENAI_BASE_URL, apiKey: apiKey ?? null }
}

/** Address without trailing slashes, since paths are appended with a slash. */
function plainAddress(text: string): string {
  return new URL(text).href.replace(/(?<!\/)\/+$/, '')
}

/** Strips credentials: an address from the environment may contain a password. */
function withoutSecrets(text: string): string {
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname}`.replace(/(?<!\/)\/+$/, '')
}

export type OllamaService = ReturnType<typeof createOllamaService>

/** Interval of progress events. */
const PROGRESS_INTERVAL_MS = 250

/** Models of connected Ollama servers. */
export function createOllamaService({
  ollama,
  connections,
  log,
}: {
  ollama: Ollama
  connections: ConnectionsService
  log: Log
}) {
  const pulling = new Set<string>()

  return {
    /** @throws NotFoundError when there is no such connection. */
    async describe(connectionId: string): Promise<OllamaResponse> {
      const server = await ollama.describe(await connections.placeFor(connectionId))
      const models = server?.models.map(({ name, sizeBytes }) => ({ name, size_bytes: sizeBytes })) ?? []
      return { version: server?.version ?? null, models }
    },

    /**
     * Downloads a model.
     * @returns progress events, which the caller must read; aborting the signal stops the download.
     * @throws NotFoundError when there is no such connection; ConflictError while the same model is being downloaded.
     */
    async pull(connectionId: string, model: string): Promise<(signal: AbortSignal) => AsyncIterable<OllamaPullEvent>> {
      const serverAddress = await connections.placeFor(connectionId)
      const key = `${connectionId} ${model}`
      if (pulling.has(key))
        throw new ConflictError('This model is already being downloaded.', { code: 'already_pulling' })
      pulling.add(key)
      return async function* (signal) {
        let reportedAt = 0
        try {
          for await (const { completedBytes, totalBytes } of ollama.pull(serverAddress, model, signal)) {
            if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS && completedBytes < totalBytes) continue
            reportedAt = performance.now()
            yield { state: 'pulling', completed_bytes: completedBytes, total_bytes: totalBytes }
          }
          await connections.test(connectionId)
          yield { state: 'done' }
        } catch (error) {
          // The client has disconnected.
          if (signal.aborted) return
          if (!(error instanceof AppError)) log.error({ err: error }, 'a model could not be downloaded by Ollama')
          yield { state: 'failed', detail: error instanceof AppError ? error.message : 'Something went wrong.' }
        } finally {
          pulling.delete(key)
        }
      }
    },

    /** @throws NotFoundError, UnavailableError with the reason. */
    async remove(connectionId: string, model: string): Promise<void> {
      await ollama.remove(await connections.placeFor(connectionId), model)
      await connections.test(connectionId)
    },
  }
}
