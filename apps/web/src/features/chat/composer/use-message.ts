import type { AttachedMedia, Mention } from '@mira/shared'
import { MESSAGE_MAX_MEDIA, MESSAGE_MAX_MENTIONS } from '@mira/shared/constants/limits'
import { type RefObject, useEffect, useEffectEvent, useMemo, useState } from 'react'
import type { SetURLSearchParams } from 'react-router-dom'
import { call } from '../../../lib/api/client.ts'
import { isOwner } from '../../../lib/browser/browser-data.ts'
import { readStored, writeStored } from '../../../lib/browser/browser-storage.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { ATTACH_PARAMETER } from '../../../lib/session/paths.ts'
import { session, useUser } from '../../../lib/session/session.ts'
import { settingsStore } from '../../../lib/session/settings.ts'
import { TOKEN_KEY } from '../../../lib/session/token.ts'
import { showToast } from '../../../ui/show-toast.ts'
import { createDrafts, createPictureStore, type Drafts } from '../conversation/drafts.ts'
import { attachedOf } from '../messages/attached-items.tsx'
import { mentionKey } from '../messages/mention-chips.tsx'
import { type FileUploads, useFileUploads } from './use-file-uploads.ts'
import { type ChosenPictures, usePictures } from './use-pictures.ts'

/**
 * Focuses the message field when the focused button disappears: otherwise the next letters would be keyboard shortcuts. On
 * phones the field is blurred instead, so that the keyboard doesn't cover the messages.
 */
export function returnToField(field: RefObject<HTMLTextAreaElement | null>): void {
  if (matchMedia('(pointer: coarse)').matches) field.current?.blur()
  else field.current?.focus()
}

/** Message to send later: its text, and the number of items that it must have by then, including the files being read. */
interface DelayedMessage {
  draft: string
  itemCount: number
}

/**
 * Sends a message automatically once its files have been read, if the user asked for that. It isn't sent if its text has
 * changed since, or one of the files couldn't be attached.
 */
export function useSendAfterUploads({
  draft,
  itemCount,
  fileCount,
  onSend,
}: SendAfterUploadsOptions): SendAfterUploads {
  const [delayed, setDelayed] = useState<DelayedMessage | null>(null)
  const isUnchanged = delayed !== null && delayed.draft === draft
  const sendDelayed = useEffectEvent(() => {
    if (delayed === null) return
    setDelayed(null)
    if (isUnchanged && itemCount >= delayed.itemCount) onSend()
  })
  const isRead = fileCount === 0
  useEffect(() => {
    if (isRead) sendDelayed()
  }, [isRead])
  return {
    isWaiting: isUnchanged && !isRead,
    wait: () => setDelayed({ draft, itemCount: itemCount + fileCount }),
  }
}

interface SendAfterUploads {
  /** True while the message will be sent automatically. */
  isWaiting: boolean
  wait: () => void
}

interface SendAfterUploadsOptions {
  draft: string
  /** Items attached so far. */
  itemCount: number
  /** Files still being uploaded or read. */
  fileCount: number
  onSend: () => void
}

/** Items of the library that are chosen for the next message. */
export interface ChosenMedia {
  media: readonly AttachedMedia[]
  /** Adds items up to the limit; shows a toast when there are too many. */
  add: (items: readonly AttachedMedia[]) => void
  remove: (mediaId: string) => void
  clear: () => void
}

/** Agents, tools, projects and tags that the next message mentions. */
interface ChosenMentions {
  mentions: readonly Mention[]
  add: (mentions: readonly Mention[]) => void
  remove: (mention: Mention) => void
  clear: () => void
}

/** The message being written, with its attachments and mentions. */
export interface ComposedMessage {
  draft: string
  setDraft: (draft: string) => void
  /** Adds text at the end of this conversation's draft, even if another conversation has been opened since. */
  addToDraft: (text: string) => void
  pictures: ChosenPictures
  attached: ChosenMedia
  /** Undefined disables mentions. */
  mentioned?: ChosenMentions
  /** Files that will be attached once they're read. */
  files: FileUploads
  /** True while the items named in the URL are being fetched, to be attached. */
  isAttaching: boolean
}

/** The message being written in a conversation, restored after a reload. */
export function useMessage({ drafts, sessionId, viewKey, isTemporary, searchParams }: MessageOptions): ComposedMessage {
  useEffect(() => drafts.openSession(sessionId), [drafts, sessionId])
  const [draft, setDraft] = useDraft(drafts, sessionId)
  const addToDraft = (text: string) => {
    const before = drafts.read(sessionId).trimEnd()
    setDraft(before === '' ? text : `${before} ${text}`)
  }
  const pictures = usePictures(drafts, sessionId, viewKey)
  const attached = useAttached(drafts, sessionId)
  const mentioned = useMentions(drafts, sessionId)
  const files = useFileUploads({ viewKey, attached, isOff: isTemporary })
  const isAttaching = useAttachFromUrl(searchParams, attached.add)
  return { draft, setDraft, addToDraft, pictures, attached, mentioned, files, isAttaching }
}

/** Drafts of this tab's user, so that those in memory outlive the chat screen; null until it's opened. */
let userDrafts: { userId: string; drafts: Drafts } | null = null

// As with unsaved changes (`kept-drafts.ts`), signing out drops them, but an expired session doesn't.
session.state.subscribe((state) => {
  const isOver =
    state.status === 'signed-in'
      ? state.user.id !== userDrafts?.userId
      : state.status === 'signed-out' && state.because === 'logout'
  if (isOver) userDrafts = null
  storeDrafts()
})

/** Stores drafts written while they couldn't be: Auto Save was off, or their user's session had expired. */
function storeDrafts(): void {
  if (session.state.get().status === 'signed-in') userDrafts?.drafts.storeAll()
}

settingsStore.subscribe(storeDrafts)

/**
 * The user's drafts, stored in this browser while Auto Save is on, and otherwise until the page is closed. Those of temporary
 * chats are never stored, and last until the chat is left.
 */
export function useDrafts({ isTemporary }: { isTemporary: boolean }): Drafts {
  const { id } = useUser()
  return useMemo(() => {
    // A separate key keeps the draft of a temporary chat apart from that of a new stored conversation.
    if (isTemporary) return draftsOf({ userId: `${id}.temporary`, mayStore: never })
    if (userDrafts?.userId !== id)
      userDrafts = {
        userId: id,
        drafts: draftsOf({ userId: id, mayStore: () => mayStore(id), isPaused: () => isPaused(id) }),
      }
    return userDrafts.drafts
  }, [id, isTemporary])
}

function draftsOf(owner: { userId: string; mayStore: () => boolean; isPaused?: () => boolean }): Drafts {
  const storage = { read: readStored, write: writeStored }
  return createDrafts({ ...owner, storage, pictures: createPictureStore(owner) })
}

const never = () => false

function mayStore(userId: string): boolean {
  return settingsStore.get().autoSave && !isPaused(userId)
}

function isPaused(userId: string): boolean {
  return !isOwner(userId) || !isOwnSession(userId)
}

/**
 * False once anyone else may be signing in to this browser, which clears what this user has stored. True after the session has
 * expired, since the answer to a message may still arrive.
 */
function isOwnSession(userId: string): boolean {
  const state = session.state.get()
  if (state.status === 'signed-in') return state.user.id === userId
  return state.status === 'signed-out' && state.because === 'expired' && readStored(TOKEN_KEY) === null
}

/** A value stored for each conversation, read again when another conversation is opened. */
function usePerSession<Value>(sessionId: string | null, read: (sessionId: string | null) => Value) {
  const [stored, setStored] = useState(() => ({ sessionId, value: read(sessionId) }))
  let current = stored
  if (stored.sessionId !== sessionId) {
    current = { sessionId, value: read(sessionId) }
    setStored(current)
  }
  return [current.value, (value: Value) => setStored({ sessionId, value })] as const
}

function useDraft(drafts: Drafts, sessionId: string | null): [string, (text: string) => void] {
  const [draft, setDraft] = usePerSession(sessionId, drafts.read)
  return [
    draft,
    (text) => {
      drafts.write(sessionId, text)
      setDraft(text)
    },
  ]
}

function useAttached(drafts: Drafts, sessionId: string | null): ChosenMedia {
  const text = useText('chat')
  const [media, setMedia] = usePerSession(sessionId, drafts.media.read)
  const set = (next: AttachedMedia[]) => {
    drafts.media.write(sessionId, next)
    setMedia(next)
  }
  return {
    media,
    add(items) {
      const byId = new Map([...drafts.media.read(sessionId), ...items].map((item) => [item.media_id, item]))
      const all = [...byId.values()]
      if (all.length > MESSAGE_MAX_MEDIA) {
        showToast({ tone: 'warning', title: text('attach.tooMany', { max: MESSAGE_MAX_MEDIA }) })
      }
      set(all.slice(0, MESSAGE_MAX_MEDIA))
    },
    remove: (mediaId) => set(media.filter(({ media_id }) => media_id !== mediaId)),
    clear: () => set([]),
  }
}

function useMentions(drafts: Drafts, sessionId: string | null): ChosenMentions {
  const [mentions, setMentions] = usePerSession(sessionId, drafts.mentions.read)
  const set = (next: Mention[]) => {
    drafts.mentions.write(sessionId, next)
    setMentions(next)
  }
  return {
    mentions,
    add(more) {
      const byKey = new Map([...drafts.mentions.read(sessionId), ...more].map((one) => [mentionKey(one), one]))
      set([...byKey.values()].slice(0, MESSAGE_MAX_MENTIONS))
    },
    remove: (mention) => set(mentions.filter((one) => mentionKey(one) !== mentionKey(mention))),
    clear: () => set([]),
  }
}

/** Attaches the items named in the URL (`?attach=`) and removes the parameter. True while the items are being fetched. */
function useAttachFromUrl(
  [parameters, setParameters]: MessageOptions['searchParams'],
  add: (items: AttachedMedia[]) => void,
): boolean {
  const text = useText('chat')
  const errorText = useErrorText()
  const ids = parameters.getAll(ATTACH_PARAMETER).slice(0, MESSAGE_MAX_MEDIA).join()
  const attach = useEffectEvent(add)
  const showFailure = useEffectEvent((error: unknown) =>
    showToast({ tone: 'danger', title: text('attach.failed'), description: errorText(error) }),
  )
  const removeParameter = useEffectEvent(() =>
    setParameters(
      (before) => {
        const rest = new URLSearchParams(before)
        rest.delete(ATTACH_PARAMETER)
        return rest
      },
      { replace: true },
    ),
  )
  useEffect(() => {
    if (ids === '') return
    const controller = new AbortController()
    Promise.all(ids.split(',').map((id) => call('GET /media/:id', { params: { id }, signal: controller.signal })))
      .then(
        (items) => attach(items.map(attachedOf)),
        (error) => controller.signal.aborted || showFailure(error),
      )
      .finally(() => controller.signal.aborted || removeParameter())
    return () => controller.abort()
  }, [ids])
  return ids !== ''
}

interface MessageOptions {
  drafts: Drafts
  sessionId: string | null
  /** Changes when another conversation is shown. */
  viewKey: string
  isTemporary: boolean
  searchParams: [URLSearchParams, SetURLSearchParams]
}
