import type { Caller } from '../../../caller.ts'
import type { AttachedItem, Passage } from '../../../engines/chat-engine.ts'
import { NotFoundError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { PictureFiles } from '../../../parsers/image/picture-files.ts'
import type { ItemPicturesStore } from '../../library/index.ts'
import type { PassagesService } from '../../search/index.ts'
import { unsignedThumbnail } from '../conversations/links.ts'
import type { Attachment, AttachmentsStore } from './attachments.store.ts'

interface AttachmentsDeps {
  store: AttachmentsStore
  passages: PassagesService
  itemPictures: ItemPicturesStore
  pictureFiles: PictureFiles
  log: Log
}

/** Attached items for an engine; their passages are numbered from 1. */
export interface AttachedReading {
  items: AttachedItem[]
  passages: Passage[]
}

export type AttachmentsService = ReturnType<typeof createAttachmentsService>

/** Maximum items to read for one answer, those of the newest messages. */
const MAX_ITEMS = 10
/** Maximum characters of passages per token of the model's context: about a third of it, at three characters per token. */
const CHARACTERS_PER_CONTEXT_TOKEN = 1
const MIN_CHARACTERS = 1600
/** Maximum passages to quote when no model answers: those that match the question, or else the first ones. */
const MAX_QUOTES = 3
const MAX_PICTURES = 6
const FRAMES_PER_VIDEO = 4
/** Context tokens required for each picture. A picture takes up about 1 600 of them; the rest is left for text. */
const CONTEXT_TOKENS_PER_PICTURE = 4_000

/** Reads items of the library attached to messages. */
export function createAttachmentsService({ store, passages, itemPictures, pictureFiles, log }: AttachmentsDeps) {
  /** Removes duplicates and keeps the newest up to the limit. @param attachments newest first */
  const distinct = (attachments: Attachment[]): Attachment[] => {
    const byItem = new Map<string, Attachment>()
    for (const attachment of attachments)
      if (!byItem.has(attachment.mediaId)) byItem.set(attachment.mediaId, attachment)
    return [...byItem.values()].slice(0, MAX_ITEMS)
  }

  return {
    /** Items that a new question refers to: the existing ones attached to it, then those attached earlier in its branch. */
    async findForNewQuestion(
      userId: string,
      mediaIds: string[],
      branchAttachments: Attachment[],
    ): Promise<Attachment[]> {
      const newAttachments = mediaIds.length > 0 ? await store.find(userId, mediaIds) : []
      return distinct([...newAttachments, ...branchAttachments])
    },

    /** Items that a stored question refers to, those of the newest message first. */
    async findForQuestion(userId: string, sessionId: string, questionId: string): Promise<Attachment[]> {
      return distinct(await store.findForQuestion(userId, sessionId, questionId))
    },

    /** Relevant contents of attached items, numbered; unreadable items are left out. */
    async read(
      question: Pick<Caller, 'userId' | 'language'> & { content: string },
      attachments: Attachment[],
      contextTokens: number,
    ): Promise<AttachedReading> {
      const reading: AttachedReading = { items: [], passages: [] }
      if (attachments.length === 0) return reading
      const maxCharacters = Math.max(MIN_CHARACTERS, contextTokens * CHARACTERS_PER_CONTEXT_TOKEN)
      const ids = attachments.map(({ mediaId }) => mediaId)
      const lastMessageIds = new Set(
        attachments.flatMap(({ mediaId, isInLastMessage }) => (isInLastMessage ? [mediaId] : [])),
      )
      for (const { mediaId, passages: hits, ...item } of await passages.ofItems(
        question,
        ids,
        question.content,
        maxCharacters,
      )) {
        const isMatch = hits.some((passage) => passage.isMatch)
        const itemPassages: Passage[] = hits.map(({ source, text }, index) => ({
          source: { n: reading.passages.length + index + 1, ...unsignedThumbnail(source) },
          text,
          // Certain, since the user attached it.
          certainty: 'found',
        }))
        reading.passages.push(...itemPassages)
        const numbers = itemPassages.map(({ source }) => source.n)
        reading.items.push({
          ...item,
          isInLastMessage: lastMessageIds.has(mediaId),
          hasMatch: isMatch,
          passages: numbers,
          bestPassages: numbers.filter((_, index) => !isMatch || hits[index]?.isMatch).slice(0, MAX_QUOTES),
        })
      }
      return reading
    },

    /** Attached pictures, and some frames of attached videos, as data URLs, without those whose file is missing. */
    async picturesForModel(userId: string, attachments: Attachment[], contextTokens: number): Promise<string[]> {
      const max = Math.min(MAX_PICTURES, Math.max(1, Math.floor(contextTokens / CONTEXT_TOKENS_PER_PICTURE)))
      const ids = attachments.filter(isVisual).map(({ mediaId }) => mediaId)
      if (ids.length === 0) return []
      const frames = Math.max(1, Math.min(FRAMES_PER_VIDEO, Math.floor(max / ids.length)))
      const pictures: string[] = []
      for (const { path } of (await itemPictures.listShowing(userId, ids, frames)).slice(0, max)) {
        try {
          const { data, contentType } = await pictureFiles.versionForModel(path)
          pictures.push(`data:${contentType};base64,${data.toString('base64')}`)
        } catch (error) {
          if (!(error instanceof NotFoundError)) throw error
          log.warn({ user_id: userId }, 'the file of an attached item is missing')
        }
      }
      return pictures
    },
  }
}

export function isVisual({ mediaType }: Pick<Attachment, 'mediaType'>): boolean {
  return mediaType === 'image' || mediaType === 'video'
}
