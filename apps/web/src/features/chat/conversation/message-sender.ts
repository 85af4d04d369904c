import type { AttachedMedia, ChatRequestJson, Mention } from '@mira/shared'
import type { AgentName } from '@mira/shared/constants/agents'
import { cutText } from '@mira/shared/constants/cut-text'
import { HISTORY_MAX_MESSAGES, HISTORY_MESSAGE_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { ApiError } from '../../../lib/api/client.ts'
import { type AnswerReader, isRetryable } from './answer-reader.ts'
import type {
  ChatItem,
  ConversationTools,
  MessageOptions,
  OpenConversation,
  OutgoingPicture,
  UnsentMessage,
} from './conversation-state.ts'
import { createMessageQueue, type MessageQueue } from './message-queue.ts'

/** Delay before an automatic retry. */
const RESEND_DELAY_MS = 1_000
/** Automatic retries of a message that couldn't reach the server. */
const SEND_RETRIES = 1
/** Time that Stop waits for the server to accept the message; after that, the message is cancelled and shown as not sent. */
const STOP_UNSENT_MS = 3_000

/** Text and attachments of a withdrawn message. */
export interface WithdrawnMessage {
  content: string
  pictures: readonly OutgoingPicture[]
  media: readonly AttachedMedia[]
  mentions: readonly Mention[]
}

/** A message being sent; accepted once the server has confirmed that it's stored. */
interface Sending {
  message: UnsentMessage
  sessionId: string | null
  isAccepted: boolean
  accepted: PromiseWithResolvers<void>
  /** Cancels a message that the server hasn't accepted yet. */
  abort: AbortController
}

/** Sends and withdraws messages of a conversation. */
export interface MessageSender extends MessageQueue {
  /** False when it's blank or another message is being sent; nothing was sent then. */
  send: (content: string, options?: MessageOptions) => boolean
  /** Sends a failed message again. */
  retry: (key: string) => void
  /** Withdraws a failed or queued message and returns its text and attachments. */
  withdraw: (key: string) => Promise<WithdrawnMessage>
  /** Stops the current answer. @throws ApiError when the request fails. */
  stop: () => Promise<void>
  /** Loads the pictures of unsent messages. */
  loadPictures: (messages: readonly UnsentMessage[]) => Promise<void>
  /** Called when another conversation is opened; messages being sent continue in the background. */
  leave: () => void
}

/** Creates the sender of the open conversation. */
export function createMessageSender(
  open: OpenConversation,
  {
    api,
    unsent,
    defaultQuestion,
    newChatChoice,
    newChatProjectId,
    newChatPersonaId,
    newId,
    now,
    wait,
    isTemporary: isUnstored = false,
  }: ConversationTools,
  { read, resume, end, fail }: AnswerReader,
): MessageSender {
  const { state, dispatch } = open
  let sending: Sending | null = null
  /** Client ids of the messages written on this visit. */
  let visitIds = new Set<string>()
  /** Pictures of messages that are being sent or have failed, by client id. */
  const pictures = new Map<string, readonly OutgoingPicture[]>()

  function send(content: string, options: MessageOptions = {}): boolean {
    if (state.get().activity !== 'idle') return false
    const message = compose(content, options)
    if (message) start(message, { replaces: options.replaces, outgoing: options.pictures })
    return message !== null
  }

  /** Builds a message; null when there's nothing to send. */
  function compose(
    content: string,
    { pictures: outgoing = [], media = [], mentions = [], replaces }: MessageOptions,
  ): UnsentMessage | null {
    const text = content.trim() || defaultQuestion(outgoing.length > 0, media.length > 0)
    if (text === '') return null
    const { items } = state.get()
    const index = items.findIndex((item) => item.key === replaces)
    const client_id = newId()
    visitIds.add(client_id)
    if (outgoing.length > 0) pictures.set(client_id, outgoing)
    return {
      client_id,
      content: text,
      created_at: now().toISOString(),
      ...(outgoing.length === 0 ? {} : { picture_count: outgoing.length }),
      ...(media.length === 0 ? {} : { media: [...media] }),
      ...(mentions.length === 0 ? {} : { mentions: [...mentions] }),
      ...(index === -1 ? {} : { parent_id: items[index]!.parent_id ?? items[index - 1]?.id ?? null }),
    }
  }

  function start(
    message: UnsentMessage,
    { replaces, outgoing }: { replaces?: string | undefined; outgoing?: readonly OutgoingPicture[] | undefined } = {},
  ): void {
    const { sessionId, choice } = state.get()
    if (sessionId === null && choice === null) dispatch({ type: 'chosen', choice: newChatChoice() })
    const images = shownImages(pictures.get(message.client_id) ?? [])
    unsent.keep(sessionId, message, outgoing?.length ? outgoing : undefined)
    if (replaces !== undefined) open.revision += 1
    dispatch({ type: 'sent', message: { ...message, images }, replaces })
    void deliver({
      message,
      sessionId,
      isAccepted: false,
      accepted: Promise.withResolvers(),
      abort: new AbortController(),
    })
  }

  /** Sends a message and reads its answer to the end, however often the connection breaks. */
  async function deliver(current: Sending): Promise<void> {
    const { signal } = open.visit
    const { message } = current
    const { choice } = state.get()
    const [projectId, personaId] = [newChatProjectId(), newChatPersonaId()]
    const images = (pictures.get(message.client_id) ?? []).map(({ data }) => data)
    const request: ChatRequestJson = {
      content: message.content,
      session_id: current.sessionId,
      has_images: images.length > 0,
      images,
      media_ids: (message.media ?? []).flatMap(({ media_id }) => media_id ?? []),
      ...(message.mentions ? { mentions: message.mentions.map(requestOf) } : {}),
      client_id: message.client_id,
      // Only the first message carries the model, parameters, project and persona; the conversation stores them for later ones.
      // A model of null is sent, too: if it were left out, the server would use the user's preferred model.
      ...(current.sessionId === null && choice ? { model: choice.model } : {}),
      ...(current.sessionId === null && choice?.parameters ? { parameters: choice.parameters } : {}),
      ...(current.sessionId === null && projectId !== null ? { project_id: projectId } : {}),
      ...(current.sessionId === null && personaId !== null ? { persona_id: personaId } : {}),
      ...(message.parent_id === undefined || isUnstored ? {} : { parent_id: message.parent_id }),
      ...(isUnstored ? { temporary: true, history: historyBefore(state.get().items, message.client_id) } : {}),
    }
    sending = current
    // Leaving the conversation doesn't withdraw a message: its stream is read until the server has stored it.
    const reading = new AbortController()
    const leave = () => (current.isAccepted || isUnstored) && reading.abort()
    signal.addEventListener('abort', leave)
    current.abort.signal.addEventListener('abort', () => reading.abort())
    const ownIds = visitIds
    const accept = (sessionId: string | null) => {
      // This is called again when the answer restarts.
      if (current.isAccepted) return
      current.isAccepted = true
      current.accepted.resolve()
      pictures.delete(message.client_id)
      unsent.forget(current.sessionId, message.client_id)
      // If the user has left, the current draft may belong to another new conversation, so it isn't moved.
      if (current.sessionId === null && sessionId !== null) unsent.adopt(sessionId, ownIds, !signal.aborted)
      if (signal.aborted) reading.abort()
    }
    try {
      if (open.pendingChoice !== null) await open.pendingChoice
      for (let failures = 0; !current.isAccepted; ) {
        try {
          await read(api.sendMessage(request, reading.signal), signal, accept)
          return end(signal)
        } catch (error) {
          if (isUnstored && current.isAccepted) return cut()
          if (current.abort.signal.aborted) return refuse(current, null)
          if (reading.signal.aborted) return
          if (current.isAccepted) {
            if (!isRetryable(error)) return fail(error, signal)
            break
          }
          failures += 1
          if (!isConnectionLost(error) || failures > SEND_RETRIES) return refuse(current, error)
          if (!signal.aborted) dispatch({ type: 'lost' })
          await wait(RESEND_DELAY_MS, current.abort.signal)
        }
      }
      await resume(signal)
    } finally {
      signal.removeEventListener('abort', leave)
      if (sending === current) sending = null
    }

    /** Ends an answer of a temporary chat as interrupted: it isn't stored, so the rest can't be loaded. */
    function cut(): void {
      if (!signal.aborted) dispatch({ type: 'cut' })
    }

    function refuse({ message: { client_id } }: Sending, error: unknown): void {
      if (error !== null && !(error instanceof ApiError)) console.error('The message could not be sent', error)
      if (!signal.aborted) dispatch({ type: 'refused', clientId: client_id, error })
    }
  }

  async function stop(): Promise<void> {
    const { activity, isStopping, sessionId } = state.get()
    if (activity === 'idle' || isStopping) return
    dispatch({ type: 'stop-wanted' })
    if (isUnstored) return sending?.abort.abort()
    if (!sending) {
      // There's nothing to stop before the server has accepted the regeneration.
      await open.pendingRegeneration
      return state.get().isStopping ? requestStop(sessionId!) : undefined
    }
    if (sending.isAccepted) return requestStop(sessionId!)
    // The message isn't stored yet. Once it is, its answer is stopped; if that takes too long, sending is cancelled.
    const current = sending
    await Promise.race([current.accepted.promise, wait(STOP_UNSENT_MS, open.visit.signal)])
    if (sending !== current) return
    if (!current.isAccepted) current.abort.abort()
    else await requestStop(state.get().sessionId!)
  }

  async function loadPictures(messages: readonly UnsentMessage[]): Promise<void> {
    const { signal } = open.visit
    for (const { client_id, picture_count = 0 } of messages) {
      if (picture_count === 0) continue
      const sentPictures = pictures.get(client_id) ?? (await unsent.pictures(client_id))
      if (sentPictures.length === 0) continue
      pictures.set(client_id, sentPictures)
      if (!signal.aborted) dispatch({ type: 'pictures-found', key: client_id, images: shownImages(sentPictures) })
    }
  }

  async function requestStop(sessionId: string): Promise<void> {
    const { signal } = open.visit
    try {
      await api.stopAnswer(sessionId)
    } catch (error) {
      if (signal.aborted) return
      dispatch({ type: 'stop-failed' })
      throw error
    }
  }

  /** Sends a queued message with its stored pictures; false when it's no longer queued. */
  async function startQueued(message: UnsentMessage): Promise<boolean> {
    const { signal } = open.visit
    const hasSameId = ({ client_id }: UnsentMessage) => client_id === message.client_id
    await loadPictures([message])
    if (signal.aborted || state.get().activity !== 'idle' || !state.get().queued.some(hasSameId)) return true
    // another tab may have sent, changed or removed it
    const isStillQueued = unsent.list(state.get().sessionId).some((one) => hasSameId(one) && one.isWaiting)
    dispatch({ type: 'unqueued', key: message.client_id })
    if (!isStillQueued) return false
    const { isWaiting: _isWaiting, ...rest } = message
    open.revision += 1
    start({ ...rest, created_at: now().toISOString() })
    return true
  }

  return {
    send,
    stop,
    loadPictures,
    ...createMessageQueue(open, { compose, start: startQueued, stop, keep: unsent.keep }),
    leave() {
      sending = null
      visitIds = new Set()
    },

    retry(key) {
      const item = state.get().items.find((one) => one.key === key && one.delivery === 'failed')
      if (!item || state.get().activity !== 'idle') return
      const { sessionId } = state.get()
      const stored = unsent.list(sessionId).find(({ client_id }) => client_id === key)
      const resend = () => start({ ...stored, client_id: key, content: item.content, created_at: now().toISOString() })
      if (!stored?.picture_count || pictures.has(key)) return resend()
      const { signal } = open.visit
      void loadPictures([stored]).then(() => !signal.aborted && state.get().activity === 'idle' && resend())
    },

    async withdraw(key) {
      const { items, queued, sessionId } = state.get()
      const queuedMessage = queued.find(({ client_id }) => client_id === key)
      const item = queuedMessage ?? items.find((one) => one.key === key && one.delivery === 'failed')
      const stored = unsent.list(sessionId).find(({ client_id }) => client_id === key)
      const pendingPictures = pictures.get(key) ?? (stored?.picture_count ? unsent.pictures(key) : [])
      unsent.forget(sessionId, key)
      pictures.delete(key)
      dispatch({ type: queuedMessage ? 'unqueued' : 'withdrawn', key })
      // If the message was an edited version, the reload shows the messages again that it had replaced.
      if (!queuedMessage) void open.refresh()
      const ownPictures = await pendingPictures
      const media = item?.media ?? []
      const isDefaultText = item?.content === defaultQuestion(ownPictures.length > 0, media.length > 0)
      return {
        content: isDefaultText ? '' : (item?.content ?? ''),
        pictures: ownPictures,
        media,
        mentions: item?.mentions ?? [],
      }
    },
  }
}

/** A mention as the server accepts it. */
function requestOf({ kind, id, name }: Mention): NonNullable<ChatRequestJson['mentions']>[number] {
  if (kind === 'project') return { kind, id: id ?? '' }
  return kind === 'agent' ? { kind, name: name as AgentName } : { kind, name }
}

/** History for a temporary chat: the delivered messages before the one with `key`, cut to the server's limits. */
function historyBefore(items: readonly ChatItem[], key: string): NonNullable<ChatRequestJson['history']> {
  const before = items.slice(
    0,
    items.findIndex((item) => item.key === key),
  )
  return before
    .filter(({ content, delivery }) => delivery === 'stored' && content !== '')
    .slice(-HISTORY_MAX_MESSAGES)
    .map(({ role, content }) => ({ role, content: cutText(content, HISTORY_MESSAGE_MAX_CHARACTERS) }))
}

function shownImages(pictures: readonly OutgoingPicture[]): ChatItem['images'] {
  return pictures.map(({ name, url }) => ({ name, url, thumbnail: url }))
}

/** True when the connection broke, so that the server may or may not have the message. */
function isConnectionLost(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0
}
