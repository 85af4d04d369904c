import {
  type Check,
  type ConnectedModel,
  ENVIRONMENT_CONNECTION,
  MAX_CONNECTIONS,
  type ModelConnection,
  type NewConnection,
  type UpdateConnection,
} from '@mira/shared'
import { ConflictError, NotFoundError, ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { ConnectionRow, ConnectionsStore, ConnectionValues } from './connections.store.ts'

/** Address and headers of a server, decrypted. */
interface Place {
  id: string
  name: string
  baseUrl: string
  apiKey: string | null
  headers: Record<string, string>
}

interface State {
  check: Check
  models: ConnectedModel[]
}

/** The model servers that are asked, as far as connections go. */
interface Servers {
  connect(places: readonly Place[]): void
  stateOf(id: string): State | null
  tryPlace(place: Place): Promise<State>
  tryEnvironment(): Promise<State | null>
}

export interface ConnectionsDeps {
  store: ConnectionsStore
  servers: Servers
  seal: { close(text: string): string; open(sealed: string): string | null }
  /** Connection configured by the environment; null for none. */
  environment: { baseUrl: string; apiKey: string | null } | null
  /** True when an address leads to a cloud's metadata service. */
  leadsToMetadata(baseUrl: string): Promise<boolean>
  /** Hears what other servers send, until it is ended. */
  listen(channel: string, handler: (payload: string) => void): () => void
  notify(channel: string, payload: string): Promise<void>
  /** Polling interval for another server's changes, in case its message was missed; null for a single server. */
  pollMs: number | null
  log: Log
}

export type ConnectionsService = ReturnType<typeof createConnectionsService>

const CHANNEL = 'mira_connections'

const noConnection = () => new NotFoundError('This connection is not there.')

/** Keeps the connections to model servers, the same on every server of the instance; they hold at once. */
export function createConnectionsService(deps: ConnectionsDeps) {
  const { store, servers, seal, environment, listen, notify, pollMs, log } = deps
  let endListening = () => {}
  let timer: NodeJS.Timeout | undefined
  let reading = Promise.resolve()

  /** Null where it was sealed with another secret: then it is as good as forgotten. */
  const opened = (row: ConnectionRow, sealed: string | null): string | null => {
    if (sealed === null) return null
    const text = seal.open(sealed)
    if (text === null) log.warn({ connection: row.id }, 'a key cannot be read: JWT_SECRET is another one than then')
    return text
  }

  const placeOf = (row: ConnectionRow): Place => ({
    id: row.id,
    name: row.name,
    baseUrl: row.baseUrl,
    apiKey: opened(row, row.apiKey),
    headers: JSON.parse(opened(row, row.headers) ?? '{}') as Record<string, string>,
  })

  const present = (row: ConnectionRow, state: State | null): ModelConnection => {
    const { id, name, baseUrl, apiKey, headers } = placeOf(row)
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

  /** One after another, so that an older answer never comes last. */
  const follow = () => {
    const next = reading.then(async () => {
      servers.connect((await store.list()).filter(({ isEnabled }) => isEnabled).map(placeOf))
    })
    reading = next.catch(() => {})
    return next
  }

  const followQuietly = () => {
    follow().catch((error: unknown) => log.warn({ err: error }, 'the connections could not be read'))
  }

  const changed = async () => {
    await follow()
    notify(CHANNEL, '').catch((error: unknown) => {
      log.warn({ err: error }, 'other servers could not be told of the connections')
    })
  }

  const requireRow = async (id: string): Promise<ConnectionRow> => {
    const row = await store.find(id)
    if (row === null) throw noConnection()
    return row
  }

  const requireOwn = (id: string) => {
    if (id !== ENVIRONMENT_CONNECTION) return
    throw new ConflictError('This connection follows the environment: change it there.', { code: 'from_environment' })
  }

  /** @throws ValidationError */
  const requireReachable = async (baseUrl: string) => {
    if (!(await deps.leadsToMetadata(baseUrl))) return
    const message = 'must not lead to the metadata service of a cloud'
    throw new ValidationError('A connection never leads to the metadata service of a cloud.', {
      code: 'address_forbidden',
      errors: [{ path: 'base_url', message }],
    })
  }

  const sealedKey = (key: string | null | undefined) => (key ? seal.close(key) : null)
  const sealedHeaders = (headers: Record<string, string> | null | undefined) =>
    headers && Object.keys(headers).length > 0 ? seal.close(JSON.stringify(headers)) : null

  const tried = async (row: ConnectionRow): Promise<ModelConnection> =>
    present(row, await servers.tryPlace(placeOf(row)))

  return {
    /** Connects what is kept and follows what other servers decide. */
    async open(): Promise<void> {
      await follow()
      endListening = listen(CHANNEL, followQuietly)
      if (pollMs !== null) timer = setInterval(followQuietly, pollMs).unref()
    },

    close(): void {
      clearInterval(timer)
      endListening()
    },

    /** Address of a connection, with its key. @throws NotFoundError */
    async placeFor(id: string): Promise<Omit<Place, 'id' | 'name'>> {
      if (id !== ENVIRONMENT_CONNECTION) return placeOf(await requireRow(id))
      if (environment === null) throw noConnection()
      return { baseUrl: environment.baseUrl.replace(/(?<!\/)\/+$/, ''), apiKey: environment.apiKey, headers: {} }
    },

    /** The environment's first, then in the order in which they were added. */
    async list(): Promise<ModelConnection[]> {
      const rows = await store.list()
      return [
        ...presentEnvironment(servers.stateOf(ENVIRONMENT_CONNECTION)),
        ...rows.map((row) => present(row, servers.stateOf(row.id))),
      ]
    },

    /**
     * Keeps a connection and tries it; what goes wrong then is in its check.
     * @throws ValidationError for an address that none may have, ConflictError when there are too many.
     */
    async add(wish: NewConnection): Promise<ModelConnection> {
      const { name, base_url, api_key, headers, enabled } = wish
      const baseUrl = plainAddress(base_url)
      await requireReachable(baseUrl)
      if ((await store.list()).length >= MAX_CONNECTIONS) {
        throw new ConflictError(`There can be at most ${MAX_CONNECTIONS} connections.`, {
          code: 'too_many_connections',
        })
      }
      const row = await store.add({
        name,
        baseUrl,
        isEnabled: enabled,
        apiKey: sealedKey(api_key),
        headers: sealedHeaders(headers),
      })
      await changed()
      return tried(row)
    },

    /** @throws NotFoundError, ConflictError for the environment's, ValidationError as above. */
    async update(id: string, wish: UpdateConnection): Promise<ModelConnection> {
      requireOwn(id)
      const row = await requireRow(id)
      const { name, base_url, api_key, headers, enabled } = wish
      const baseUrl = base_url === undefined ? row.baseUrl : plainAddress(base_url)
      if (baseUrl !== row.baseUrl) await requireReachable(baseUrl)
      const isElsewhere = new URL(baseUrl).origin !== new URL(row.baseUrl).origin
      const values: Partial<ConnectionValues> = {
        baseUrl,
        ...(name === undefined ? {} : { name }),
        ...(enabled === undefined ? {} : { isEnabled: enabled }),
        // who may change the address must not learn the key by sending it to a server of theirs
        ...(api_key === undefined && !isElsewhere ? {} : { apiKey: sealedKey(api_key) }),
        ...(headers === undefined && !isElsewhere ? {} : { headers: sealedHeaders(headers) }),
      }
      if (!(await store.update(id, values))) throw noConnection()
      await changed()
      return tried(await requireRow(id))
    },

    /** @throws NotFoundError, ConflictError for the environment's. */
    async remove(id: string): Promise<void> {
      requireOwn(id)
      if (!(await store.remove(id))) throw noConnection()
      await changed()
    },

    /** Asks it for its models at once, also where it is not enabled. @throws NotFoundError */
    async test(id: string): Promise<ModelConnection> {
      if (id !== ENVIRONMENT_CONNECTION) return tried(await requireRow(id))
      const [found] = presentEnvironment(await servers.tryEnvironment())
      if (found === undefined) throw noConnection()
      return found
    },
  }
}

/** As it is kept: without the slash that would be doubled. */
function plainAddress(text: string): string {
  return new URL(text).href.replace(/(?<!\/)\/+$/, '')
}

/** Strips credentials: an address from the environment may contain a password. */
function withoutSecrets(text: string): string {
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname}`.replace(/(?<!\/)\/+$/, '')
}
