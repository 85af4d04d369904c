import {
  type ChatModel,
  type Check,
  type ConnectedModel,
  ENVIRONMENT_CONNECTION,
  type EngineChoice,
} from '@mira/shared'
import type { Log } from '../log.ts'
import { createGuardedFetch, type Resolve } from '../platform/net/guarded-fetch.ts'
import { asReason } from '../sentences.ts'
import { withFallback } from './chat/fallback.ts'
import type { ChatEngine } from './chat-engine.ts'
import { modelsFor } from './remote/models.ts'
import { createRemote, type RemoteCapability, type RemoteOptions, type RemoteServer } from './remote/remote-ai.ts'

/** Connection settings of a model server that an administrator connected. */
interface ServerSettings {
  id: string
  name: string
  baseUrl: string
  apiKey: string | null
  headers: Readonly<Record<string, string>>
}

/** State of a server, and its models. */
interface ServerState {
  check: Check
  models: ConnectedModel[]
}

/** Engine for a model that a user picked. */
export interface PickedEngine {
  engine: ChatEngine
  /** Vision support; null when the model's server doesn't say. */
  seesPictures: boolean | null
}

interface ServersOptions {
  /** The server configured in the environment; null when there is none. */
  environment: RemoteServer | null
  choiceOf(capability: RemoteCapability): EngineChoice | undefined
  log: Log
  limits: Partial<RemoteOptions> | undefined
  /** Name resolver, for tests. */
  resolve?: Resolve | undefined
}

export type Servers = ReturnType<typeof createServers>

interface Server {
  id: string
  remote: RemoteServer
}

/**
 * Capabilities that users call directly. The other capabilities process stored data in the background, for which servers
 * connected in the settings are only used if an administrator chose them.
 */
const interactiveCapabilities: ReadonlySet<RemoteCapability> = new Set(['chat', 'vision', 'speech', 'image_edit'])
/** Picking an unknown model lists the servers' models again, at most once in this time. */
const RELIST_INTERVAL_MS = 2_000
/** An unresponsive server isn't waited for again within this time. */
const UNRESPONSIVE_FOR_MS = 30_000

/** All connected model servers: the environment's first, then those of the settings in the order they were added. */
export function createServers({ environment, choiceOf, log, limits, resolve }: ServersOptions) {
  const guardedFetch = createGuardedFetch({ resolve })
  const remotes = new Map<string, { fingerprint: string; remote: RemoteServer }>()
  let servers: Server[] = environment === null ? [] : [{ id: ENVIRONMENT_CONNECTION, remote: environment }]

  const open = ({ id, name, baseUrl, apiKey, headers }: ServerSettings): RemoteServer => {
    const remote: RemoteServer = createRemote({
      ...limits,
      name,
      baseUrl,
      apiKey: apiKey ?? undefined,
      headers,
      fetch: guardedFetch,
      log,
      chosenModel: (capability) => {
        const choice = choiceOf(capability)
        if (choice === undefined || choice.model === null) return null
        const isForThisServer = choice.connection === undefined ? remote.has(choice.model) : choice.connection === id
        return isForThisServer ? choice.model : null
      },
    })
    return remote
  }

  /** Servers for a capability: the chosen one first, unresponsive ones last. */
  const orderedServers = (capability: RemoteCapability): RemoteServer[] => {
    const choice = choiceOf(capability)
    const allowed = servers.filter(
      ({ id }) =>
        id === ENVIRONMENT_CONNECTION || interactiveCapabilities.has(capability) || choice?.engine === 'remote',
    )
    const isChosen = ({ id, remote }: Server) =>
      choice?.connection === undefined
        ? Boolean(choice?.model) && remote.has(choice?.model ?? '')
        : choice.connection === id
    const chosenFirst = [...allowed.filter(isChosen), ...allowed.filter((server) => !isChosen(server))].map(
      ({ remote }) => remote,
    )
    const usable = chosenFirst.filter((remote) => remote.check(capability).state !== 'off')
    // Vectors of two servers can't be mixed, and background work can wait.
    if (!interactiveCapabilities.has(capability)) return usable.length > 0 ? usable : chosenFirst.slice(0, 1)
    const isUp = (remote: RemoteServer) => !remote.isDown(capability)
    const sorted = [...usable.filter(isUp), ...usable.filter((remote) => !isUp(remote))]
    return sorted.length > 0 ? sorted : chosenFirst.slice(0, 1)
  }

  /** Chat engines in order of preference: the fallback comes before servers that don't respond. */
  const chatEngines = (fallback: ChatEngine | null): ChatEngine[] => {
    const all = orderedServers('chat')
    const isUp = (remote: RemoteServer) => !remote.isDown('chat')
    const chatsOf = (remotes: RemoteServer[]) => remotes.map(({ chat }) => chat)
    const down = chatsOf(all.filter((remote) => !isUp(remote)))
    return [...chatsOf(all.filter(isUp)), ...(fallback === null ? [] : [fallback]), ...down]
  }

  const relistModels = () =>
    Promise.all(servers.map(({ remote }) => remote.connection.probeUnlessRecent(RELIST_INTERVAL_MS)))

  const pickedFrom = ({ remote }: Server, model: string): PickedEngine => ({
    engine: remote.chatWith(model),
    seesPictures: remote.connection.models().find(({ id }) => id === model)?.seesPictures ?? null,
  })

  return {
    /** Replaces the connected servers. Keeps the state of each server whose settings are unchanged. */
    connect(allSettings: readonly ServerSettings[]): void {
      const next = allSettings.map((serverSettings) => {
        const fingerprint = JSON.stringify(serverSettings)
        const before = remotes.get(serverSettings.id)
        const remote = before?.fingerprint === fingerprint ? before.remote : open(serverSettings)
        // Probe now, so that the first message doesn't have to wait for it.
        if (before?.remote !== remote) void remote.connection.probe()
        remotes.set(serverSettings.id, { fingerprint, remote })
        return { id: serverSettings.id, remote }
      })
      for (const id of remotes.keys())
        if (!allSettings.some((serverSettings) => serverSettings.id === id)) remotes.delete(id)
      servers = [...(environment === null ? [] : [{ id: ENVIRONMENT_CONNECTION, remote: environment }]), ...next]
    },

    hasAny: () => servers.length > 0,

    /** The preferred server for a capability; null when none is allowed. */
    serverFor: (capability: RemoteCapability): RemoteServer | null => orderedServers(capability)[0] ?? null,

    /** State of chat: ok while any server works. */
    checkOfChat(): Check | null {
      const checks = orderedServers('chat').map((remote) => remote.check('chat'))
      return checks.find(({ state }) => state === 'ok') ?? checks[0] ?? null
    },

    /** Chats with the first server that responds, or the fallback when none does; null when none is connected. */
    chat(fallback: ChatEngine | null = null): ChatEngine | null {
      const [first] = orderedServers('chat')
      if (first === undefined) return null
      const isAlone = fallback === null && orderedServers('chat').length === 1
      return isAlone ? first.chat : withFallback({ engines: () => chatEngines(fallback), log })
    },

    /** Server that has a model; null when none lists it. */
    withModel: (model: string): RemoteServer | null => servers.find(({ remote }) => remote.has(model))?.remote ?? null,

    relays: () => servers.map(({ remote }) => remote.relay),

    /** Models of all servers that seem to have a capability. */
    modelsOf: (capability: RemoteCapability): string[] => [
      ...new Set(servers.flatMap(({ remote }) => remote.models(capability))),
    ],

    /** Models that can be picked for a conversation, each from the first server that has it. */
    async chatModels(): Promise<Omit<ChatModel, 'is_default'>[]> {
      await Promise.all(
        servers.map(({ remote: { connection } }) =>
          connection.hasListed() ? connection.refresh() : connection.probeUnlessRecent(UNRESPONSIVE_FOR_MS),
        ),
      )
      const models = new Map<string, Omit<ChatModel, 'is_default'>>()
      for (const { remote } of servers) {
        const current = remote.chat.model()
        const listed = remote.connection.models()
        for (const id of new Set([...(current === null ? [] : [current]), ...modelsFor('chat', listed)])) {
          if (models.has(id)) continue
          const model = listed.find((remoteModel) => remoteModel.id === id)
          models.set(id, {
            id,
            name: id.replace(/^models\//, ''),
            connection: remote.connection.name,
            vision: model?.seesPictures ?? null,
            tools: model?.callsTools ?? null,
            context_tokens: model?.contextTokens ?? null,
            price: model?.price ?? null,
          })
        }
      }
      return [...models.values()]
    },

    /** The engine for a model by its id; null when no server has it. */
    async pick(model: string): Promise<PickedEngine | null> {
      const find = () => servers.find(({ remote }) => remote.has(model))
      let server = find()
      if (server === undefined) {
        await relistModels()
        server = find()
      }
      return server === undefined ? null : pickedFrom(server, model)
    },

    /**
     * Picks a model that was picked earlier. When no server lists it, uses one that hasn't listed its models since the start:
     * it may have the model, and otherwise the call fails with a useful error. Null when there is no such server.
     */
    async pickAgain(model: string): Promise<PickedEngine | null> {
      const picked = await this.pick(model)
      if (picked !== null) return picked
      const unlisted = servers.find(({ remote }) => !remote.connection.hasListed())
      return unlisted === undefined ? null : pickedFrom(unlisted, model)
    },

    /** Last known state of a connected server; null when it isn't connected. */
    stateOf(id: string): ServerState | null {
      const remote = servers.find((server) => server.id === id)?.remote
      remote?.connection.refresh()
      return remote === undefined ? null : stateOf(remote)
    },

    /** Lists a server's models now, even if it isn't connected. */
    async tryPlace(serverSettings: ServerSettings): Promise<ServerState> {
      const connected = remotes.get(serverSettings.id)
      const remote = connected?.fingerprint === JSON.stringify(serverSettings) ? connected.remote : open(serverSettings)
      await remote.connection.probe()
      return stateOf(remote)
    },

    /** Lists the models of the environment's server now; null when there is none. */
    async tryEnvironment(): Promise<ServerState | null> {
      await environment?.connection.probe()
      return environment === null ? null : stateOf(environment)
    },
  }
}

function stateOf({ connection }: RemoteServer): ServerState {
  const problem = connection.problem()
  const listed = connection.models()
  const modelIdsFor = (capability: RemoteCapability) => new Set(modelsFor(capability, listed))
  const [chat, embedding, rerank] = [modelIdsFor('chat'), modelIdsFor('embedding'), modelIdsFor('rerank')]
  const [transcription, speech, imageEdit] = [
    modelIdsFor('transcription'),
    modelIdsFor('speech'),
    modelIdsFor('image_edit'),
  ]
  return {
    check:
      problem === null ? { state: 'ok', engine: 'remote' } : { state: 'error', engine: 'remote', ...asReason(problem) },
    models: listed.map(({ id, contextTokens, seesPictures, callsTools }) => ({
      id,
      chat: chat.has(id),
      vision: chat.has(id) ? seesPictures : false,
      tools: chat.has(id) ? callsTools : false,
      embedding: embedding.has(id),
      rerank: rerank.has(id),
      transcription: transcription.has(id),
      speech: speech.has(id),
      image_edit: imageEdit.has(id),
      context_tokens: contextTokens,
    })),
  }
}
