import type { AttachedMedia, Mention } from '@mira/shared'
import { deleteOld } from '../../../lib/browser/browser-data.ts'
import { unsentPictures as database, draftPrefix } from '../../../lib/session/unsent-work.ts'
import type { ConversationTools, OutgoingPicture, UnsentMessage } from './conversation-state.ts'
import { MAX_QUEUED } from './message-queue.ts'

/** Age after which unsent pictures are deleted. */
const MAX_AGE_MS = 30 * 24 * 3_600_000

/** Storage of pictures that the server may not have yet; survives a reload where the browser and the user allow it. */
interface PictureStore {
  /** Stores pictures under a name, replacing earlier ones; an empty list deletes them. Never fails. */
  keep: (name: string, pictures: readonly OutgoingPicture[]) => Promise<void>
  /** Pictures stored under a name. Never fails. */
  read: (name: string) => Promise<OutgoingPicture[]>
  /** Stores what is only in memory, now that it may be stored. Never fails. */
  storeAll: () => Promise<void>
}

interface StoreOptions {
  /** Owner: users who share a browser must not see each other's work. */
  userId: string
  /** False while drafts mustn't be stored in this browser; they then last only until the page is closed. */
  mayStore: () => boolean
  /** True while the owner isn't known to be signed in: new work stays in memory, and stored work is left alone. */
  isPaused?: () => boolean
}

/** Record stored under a name. */
interface StoredPictures {
  keptAt: number
  pictures: { name: string; data: string }[]
}

/** Stores a user's pictures in this browser's database. */
export function createPictureStore({ userId, mayStore, isPaused = () => false }: StoreOptions): PictureStore {
  const keyOf = (name: string) => `${userId}/${name}`
  /** Pictures that aren't stored, because they mustn't or couldn't be, by name; an empty list while a deletion is pending. */
  const inMemory = new Map<string, readonly OutgoingPicture[]>()

  /** Operations run one at a time, so that the last write wins. */
  let queue: Promise<unknown> = Promise.resolve()
  const logFailure = (error: unknown) =>
    console.error('Pictures that are not sent yet could not be kept in this browser', error)
  const runNext = <Result>(work: () => Promise<Result>, fallback: Result): Promise<Result> => {
    const result = queue.then(work).catch((error: unknown) => {
      logFailure(error)
      return fallback
    })
    queue = result
    return result
  }

  const keep = async (name: string, pictures: readonly OutgoingPicture[]) => {
    const value: StoredPictures = {
      keptAt: Date.now(),
      pictures: pictures.map(({ name, data }) => ({ name, data })),
    }
    inMemory.set(name, pictures)
    let isDone = false
    await database.use('readwrite', (store) => {
      deleteOld<StoredPictures>(store, ({ keptAt }) => keptAt < Date.now() - MAX_AGE_MS)
      // Asked last: another user may have signed in while this waited.
      if (isPaused()) return store.get(keyOf(name))
      const mustStore = pictures.length > 0 && mayStore()
      isDone = mustStore || pictures.length === 0
      return mustStore ? store.put(value, keyOf(name)) : store.delete(keyOf(name))
    })
    if (isDone) inMemory.delete(name)
  }

  return {
    keep: (name, pictures) => runNext(() => keep(name, pictures), undefined),
    read: (name) =>
      runNext(async () => {
        const unstored = inMemory.get(name)
        if (unstored !== undefined) return [...unstored]
        // Also without permission to store: they were stored before it was withdrawn.
        const entry = await database.use<StoredPictures | undefined>('readonly', (store) => store.get(keyOf(name)))
        return (entry?.pictures ?? []).map(({ name, data }) => ({ name, data, url: URL.createObjectURL(blobOf(data)) }))
      }, []),
    storeAll: () =>
      runNext(async () => {
        for (const [name, pictures] of [...inMemory]) await keep(name, pictures).catch(logFailure)
      }, undefined),
  }
}

/** The bytes of a `data:` URL. */
function blobOf(data: string): Blob {
  const comma = data.indexOf(',')
  const type = /^data:([^;,]*)/.exec(data)?.[1] ?? ''
  const bytes = Uint8Array.from(atob(data.slice(comma + 1)), (character) => character.charCodeAt(0))
  return new Blob([bytes], { type })
}

/** Maximum number of unsent messages stored for one conversation: a full queue, and as many failed messages. */
const MAX_UNSENT = 2 * MAX_QUEUED

/** Unsent work in a conversation, including messages not known to be stored. */
interface UnsentWork {
  draft: string
  /** Items of the library that are chosen for the next message. */
  media: AttachedMedia[]
  /** Mentioned agents, tools, projects and tags. */
  mentions: Mention[]
  unsent: UnsentMessage[]
}

/** The next message, without its pictures. */
type NextMessage = Omit<UnsentWork, 'unsent'>

/** Work in memory; the parts of the next message that this tab hasn't written are missing. */
type OwnWork = Partial<NextMessage> & Pick<UnsentWork, 'unsent'>

const noMessage: NextMessage = { draft: '', media: [], mentions: [] }
const noWork: UnsentWork = { ...noMessage, unsent: [] }

/** Unsent work of a user, by conversation; null is a new conversation. */
export interface Drafts {
  read: (sessionId: string | null) => string
  write: (sessionId: string | null, text: string) => void
  /** Items of the library that are chosen for the next message. */
  media: {
    read: (sessionId: string | null) => AttachedMedia[]
    write: (sessionId: string | null, media: readonly AttachedMedia[]) => void
  }
  /** Agents, tools, projects and tags mentioned in the next message. */
  mentions: {
    read: (sessionId: string | null) => Mention[]
    write: (sessionId: string | null, mentions: readonly Mention[]) => void
  }
  /** Pictures that are chosen for the next message. */
  pictures: {
    read: (sessionId: string | null) => Promise<OutgoingPicture[]>
    write: (sessionId: string | null, pictures: readonly OutgoingPicture[]) => void
  }
  unsent: ConversationTools['unsent']
  /** Lets drafts of a forgotten conversation be stored again, because it may have been restored from the trash. */
  openSession: (sessionId: string | null) => void
  /** Forgets everything about a deleted conversation, and ignores what is written for it until it's opened again. */
  forgetSession: (sessionId: string) => void
  /**
   * Stores what was written while nothing could be stored. Unsent messages join those that other tabs have stored; of two
   * drafts of one conversation, the last tab's stays.
   */
  storeAll: () => void
}

interface DraftTools extends StoreOptions {
  storage: { read: (key: string) => string | null; write: (key: string, value: string | null) => void }
  pictures: PictureStore
}

export function createDrafts({ userId, mayStore, isPaused = () => false, storage, pictures }: DraftTools): Drafts {
  /** Work written while it mustn't be stored, by its key. */
  const inMemory = new Map<string, OwnWork>()
  const forgotten = new Set<string | null>()
  const keyOf = (sessionId: string | null) => `${draftPrefix(userId)}${sessionId ?? 'new'}`
  const draftPicturesKey = (sessionId: string | null) => `draft/${sessionId ?? 'new'}`
  const messagePicturesKey = (clientId: string) => `message/${clientId}`
  const readOwn = (key: string): OwnWork => inMemory.get(key) ?? { unsent: [] }
  // Also without permission to store: it was stored before that was withdrawn.
  const readShared = (key: string) => parseUnsentWork(storage.read(key))

  function read(sessionId: string | null): UnsentWork {
    const key = keyOf(sessionId)
    const [shared, own] = [readShared(key), readOwn(key)]
    return { ...shared, ...own, unsent: joinMessages(shared.unsent, own.unsent) }
  }

  function store(key: string, work: UnsentWork): void {
    const { draft, media, mentions, unsent } = work
    const isEmpty = draft === '' && media.length + mentions.length + unsent.length === 0
    storage.write(key, isEmpty ? null : JSON.stringify(work))
  }

  /** Stores work that includes what is in memory. */
  function storeJoined(key: string, work: UnsentWork): void {
    inMemory.delete(key)
    store(key, work)
  }

  /** Writes parts of the next message. Without permission to store, they replace the stored ones in memory. */
  function write(sessionId: string | null, parts: Partial<NextMessage>): void {
    if (forgotten.has(sessionId)) return
    const key = keyOf(sessionId)
    if (mayStore()) {
      storeJoined(key, { ...read(sessionId), ...parts })
      return
    }
    inMemory.set(key, { ...readOwn(key), ...parts })
    if (isPaused()) return
    const emptied = Object.fromEntries(Object.keys(parts).map((part) => [part, noMessage[part as keyof NextMessage]]))
    store(key, { ...readShared(key), ...emptied })
  }

  /**
   * Changes unsent messages both in memory and in storage. Other tabs' messages stay in storage even without permission to
   * store, since those tabs look for them there before they send them.
   */
  function changeUnsent(sessionId: string | null, change: (unsent: UnsentMessage[]) => UnsentMessage[]): void {
    const key = keyOf(sessionId)
    const [shared, own] = [readShared(key), readOwn(key)]
    const [sharedUnsent, ownUnsent] = [change(shared.unsent), change(own.unsent)]
    if (!isSame(sharedUnsent, shared.unsent)) store(key, { ...shared, unsent: sharedUnsent })
    if (!isSame(ownUnsent, own.unsent)) inMemory.set(key, { ...own, unsent: ownUnsent })
  }

  return {
    read: (sessionId) => read(sessionId).draft,
    write: (sessionId, draft) => write(sessionId, { draft }),
    media: {
      read: (sessionId) => read(sessionId).media,
      write: (sessionId, media) => write(sessionId, { media: [...media] }),
    },
    mentions: {
      read: (sessionId) => read(sessionId).mentions,
      write: (sessionId, mentions) => write(sessionId, { mentions: [...mentions] }),
    },
    pictures: {
      read: (sessionId) => pictures.read(draftPicturesKey(sessionId)),
      write: (sessionId, outgoing) => {
        if (!forgotten.has(sessionId)) void pictures.keep(draftPicturesKey(sessionId), outgoing)
      },
    },
    unsent: {
      pictures: (clientId) => pictures.read(messagePicturesKey(clientId)),
      list: (sessionId) => read(sessionId).unsent,
      keep(sessionId, message, messagePictures) {
        if (forgotten.has(sessionId)) return
        if (messagePictures) void pictures.keep(messagePicturesKey(message.client_id), messagePictures)
        const key = keyOf(sessionId)
        const isOther = ({ client_id }: UnsentMessage) => client_id !== message.client_id
        const add = (unsent: UnsentMessage[]) => [...unsent.filter(isOther), message].slice(-MAX_UNSENT)
        const [work, shared, own] = [read(sessionId), readShared(key), readOwn(key)]
        if (mayStore()) return storeJoined(key, { ...work, unsent: add(work.unsent) })
        // A message that is stored already stays so, and other tabs see that it's no longer queued.
        if (isPaused() || shared.unsent.every(isOther)) inMemory.set(key, { ...own, unsent: add(own.unsent) })
        else changeUnsent(sessionId, (unsent) => unsent.map((one) => (isOther(one) ? one : message)))
      },
      forget(sessionId, clientId) {
        const message = read(sessionId).unsent.find((one) => one.client_id === clientId)
        if (!message) return
        if (message.picture_count) void pictures.keep(messagePicturesKey(clientId), [])
        changeUnsent(sessionId, (unsent) => unsent.filter((one) => one.client_id !== clientId))
      },
      adopt(sessionId, clientIds, withDraft) {
        const isAdopted = ({ client_id }: UnsentMessage) => clientIds.has(client_id)
        const { unsent: _unsent, ...next } = read(null)
        const [sharedUnsent, ownUnsent] = [readShared(keyOf(null)).unsent, readOwn(keyOf(null)).unsent]
        if (!forgotten.has(sessionId)) {
          // Stored messages stay stored, and those in memory stay there.
          const [key, shared, own] = [keyOf(sessionId), readShared(keyOf(sessionId)), readOwn(keyOf(sessionId))]
          const adopted = sharedUnsent.filter(isAdopted)
          if (adopted.length > 0) store(key, { ...shared, unsent: joinMessages(shared.unsent, adopted) })
          const ownAdopted = ownUnsent.filter(isAdopted)
          if (ownAdopted.length > 0) inMemory.set(key, { ...own, unsent: joinMessages(own.unsent, ownAdopted) })
        }
        changeUnsent(null, (unsent) => unsent.filter((one) => !isAdopted(one)))
        if (!withDraft) return
        write(sessionId, next)
        write(null, noMessage)
        void pictures.read(draftPicturesKey(null)).then((outgoing) => {
          if (outgoing.length === 0) return
          void pictures.keep(draftPicturesKey(sessionId), outgoing)
          void pictures.keep(draftPicturesKey(null), [])
        })
      },
    },
    openSession: (sessionId) => void forgotten.delete(sessionId),
    forgetSession(sessionId) {
      for (const { client_id } of read(sessionId).unsent) void pictures.keep(messagePicturesKey(client_id), [])
      void pictures.keep(draftPicturesKey(sessionId), [])
      storeJoined(keyOf(sessionId), noWork)
      forgotten.add(sessionId)
    },
    storeAll() {
      // Also without Auto Save: pictures of a sent message may still have to be deleted.
      void pictures.storeAll()
      if (!mayStore()) return
      for (const [key, own] of [...inMemory]) storeJoined(key, joinWork(readShared(key), own))
    },
  }
}

/** Joins what another tab has stored with the work of this one, which replaces what both have. */
function joinWork(stored: UnsentWork, own: OwnWork): UnsentWork {
  return {
    draft: own.draft || stored.draft,
    media: own.media?.length ? own.media : stored.media,
    mentions: own.mentions?.length ? own.mentions : stored.mentions,
    unsent: joinMessages(stored.unsent, own.unsent),
  }
}

/** Joins messages, each once; of those with the same id, the own one. */
function joinMessages(stored: readonly UnsentMessage[], own: readonly UnsentMessage[]): UnsentMessage[] {
  const messages = new Map([...stored, ...own].map((message) => [message.client_id, message]))
  return [...messages.values()].slice(-MAX_UNSENT)
}

function isSame(before: readonly UnsentMessage[], after: readonly UnsentMessage[]): boolean {
  return before.length === after.length && before.every((message, index) => message === after[index])
}

/** Parses an entry stored by the browser; drops invalid parts. */
function parseUnsentWork(stored: string | null): UnsentWork {
  if (stored === null) return noWork
  let value: unknown
  try {
    value = JSON.parse(stored)
  } catch (error) {
    console.error('A stored draft is corrupt and was ignored', error)
    return noWork
  }
  if (typeof value !== 'object' || value === null) return noWork
  const { draft, media, mentions, unsent } = value as Record<string, unknown>
  return {
    draft: typeof draft === 'string' ? draft : '',
    media: Array.isArray(media) ? media.filter(isAttached) : [],
    mentions: Array.isArray(mentions) ? mentions.filter(isMention) : [],
    unsent: Array.isArray(unsent) ? unsent.filter(isUnsentMessage) : [],
  }
}

function isUnsentMessage(value: unknown): value is UnsentMessage {
  if (typeof value !== 'object' || value === null) return false
  const { client_id, content, created_at, media, mentions } = value as Record<string, unknown>
  const hasValidMedia = media === undefined || (Array.isArray(media) && media.every(isAttached))
  if (mentions !== undefined && !(Array.isArray(mentions) && mentions.every(isMention))) return false
  return hasValidMedia && typeof client_id === 'string' && typeof content === 'string' && typeof created_at === 'string'
}

function isMention(value: unknown): value is Mention {
  if (typeof value !== 'object' || value === null) return false
  const { kind, id, name } = value as Record<string, unknown>
  if (typeof name !== 'string') return false
  return kind === 'project' ? typeof id === 'string' : kind === 'agent' || kind === 'tool' || kind === 'tag'
}

function isAttached(value: unknown): value is AttachedMedia {
  if (typeof value !== 'object' || value === null) return false
  const { media_id, title, media_type } = value as Record<string, unknown>
  return typeof media_id === 'string' && typeof title === 'string' && typeof media_type === 'string'
}
