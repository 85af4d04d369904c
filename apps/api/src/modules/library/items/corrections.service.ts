import { isDeepStrictEqual } from 'node:util'
import {
  captureTimeProblem,
  type ItemCorrections,
  localTimeMs,
  type ManyMediaChanges,
  type MediaChanges,
  type ProcessingStepName,
} from '@mira/shared'
import { NotFoundError, ValidationError } from '../../../errors.ts'
import { guessLanguage, searchConfiguration } from '../../../offline/language/language.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import { type SqlClient, type SqlTransaction, sqlOf } from '../../../platform/database/sql.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { coordinatesOf, momentOfClock } from '../../../platform/lib/taken-time.ts'
import { stepsOfType } from '../pipeline/plan.ts'
import type { ProcessingService } from '../pipeline/processing.service.ts'
import type { CorrectedKind, CorrectionsStore, OwnMoment, OwnSegment } from './corrections.store.ts'
import { publishItems } from './media.service.ts'
import { combineTexts, sortByLocation, splitMoment } from './moment-locations.ts'
import type { ChangedTimeAndPlace, ItemTimeAndPlace, OwnFactsStore, OwnTimeAndPlace } from './own-facts.store.ts'

interface OwnFactsDeps {
  store: OwnFactsStore
  events: Events
}

/** A new date or place, or a shift of the date. */
type FactChanges = ItemCorrections & { shift_seconds?: number | undefined }

export type OwnFactsService = ReturnType<typeof createOwnFactsService>

/** Users' corrections of the time and place of their items; processing never overwrites them. */
export function createOwnFactsService({ store, events }: OwnFactsDeps) {
  /** Sets facts in the caller's transaction, for the user's items only. @returns the changed ids. */
  const setIn = async (sql: SqlClient, userId: string, ids: string[], changes: FactChanges): Promise<string[]> => {
    const { taken_at, shift_seconds, latitude, longitude } = changes
    if ([taken_at, shift_seconds, latitude, longitude].every((change) => change === undefined)) return []
    const lockedItems = await store.lock(sql, userId, ids)
    const changed = lockedItems.flatMap((item) => correctedFactsOf(item, changes) ?? [])
    if (changed.length > 0) await store.set(sql, changed)
    return changed.map(({ id }) => id)
  }

  return {
    setIn,

    /** Corrects many items, all or none. @returns the number of changed items. @throws ValidationError */
    async changeMany(userId: string, { ids, tags, ...changes }: ManyMediaChanges): Promise<number> {
      const changedIds = await store.transaction(async (sql) => {
        const lockedIds = (await store.lock(sql, userId, ids)).map(({ id }) => id)
        const taggedIds = tags === undefined ? [] : await store.setTags(sql, lockedIds, [...new Set(tags)])
        return [...new Set([...taggedIds, ...(await setIn(sql, userId, lockedIds, changes))])]
      })
      publishItems(events, userId, changedIds)
      return changedIds.length
    },
  }
}

/** Corrected facts of an item after a change; null when unchanged. */
function correctedFactsOf(item: ItemTimeAndPlace, changes: FactChanges): ChangedTimeAndPlace | null {
  const { latitude = item.own.latitude, longitude = item.own.longitude } = changes
  const forgetsPlace = changes.latitude === null && item.own.latitude === null && item.metadataLatitude !== null
  const place = coordinatesOf(latitude, longitude) ?? coordinatesOf(item.metadataLatitude, item.metadataLongitude)
  const takenLocalMs = correctedClockMs(item, changes)
  // Without a place, the file's offset from UTC applies.
  const { metadataTakenAtMs, metadataTakenLocalMs } = item
  const offsetMs =
    metadataTakenAtMs === null || metadataTakenLocalMs === null ? 0 : metadataTakenLocalMs - metadataTakenAtMs
  const takenAtMs = takenLocalMs === null ? null : momentOfClock(takenLocalMs, place, offsetMs).getTime()
  const own: OwnTimeAndPlace = { takenAtMs, takenLocalMs, latitude, longitude }
  return forgetsPlace || !isDeepStrictEqual(own, item.own) ? { id: item.id, ...own, forgetsPlace } : null
}

/** Corrected local time after a change. @throws ValidationError when it leaves the valid range. */
function correctedClockMs(item: ItemTimeAndPlace, { taken_at, shift_seconds }: FactChanges): number | null {
  if (taken_at !== undefined) return taken_at === null ? null : localTimeMs(taken_at)
  if (shift_seconds === undefined || item.takenLocalMs === null) return item.own.takenLocalMs
  const shiftedMs = item.takenLocalMs + shift_seconds * 1000
  const refusal = captureTimeProblem(shiftedMs)
  if (refusal === null) return shiftedMs
  const clock = new Date(shiftedMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')
  throw new ValidationError(`“${item.originalFilename}” would be from ${clock}. ${refusal}`, { code: 'no_such_time' })
}

interface CorrectionsDeps {
  store: CorrectionsStore
  processing: ProcessingService
  ownFacts: OwnFactsService
  events: Events
}

export type CorrectionsService = ReturnType<typeof createCorrectionsService>

/** Text of a moment that the user emptied. The moment stays at its location, so that engines don't fill it again. */
const EMPTY_BODY = ' '

/** A user's text for the whole item or a page. Its moments are null to revert to the engine's text. */
interface Correction {
  kind: 'caption' | 'text'
  page: number | null
  moments: Omit<OwnMoment, 'position'>[] | null
}

/** Step to run again when the user reverts a correction. */
const stepOfKind: Record<Correction['kind'], ProcessingStepName> = { caption: 'caption', text: 'read' }

/** Users' captions and corrections: engines never overwrite them, and searches find them immediately. */
export function createCorrectionsService({ store, processing, ownFacts, events }: CorrectionsDeps) {
  const languageOf = (body: string) => {
    const language = guessLanguage(body)
    return { language, searchConfiguration: searchConfiguration(language) }
  }

  const correctionOf = (kind: Correction['kind'], page: number | null, text: string | null): Correction => {
    if (text === null) return { kind, page, moments: null }
    const textLanguage = languageOf(text)
    const wholeMoment = { kind, body: text, characterOffset: 0, engine: 'built-in', model: null } as const
    const pieces = text.trim() === '' ? [{ ...wholeMoment, body: EMPTY_BODY }] : splitMoment(wholeMoment)
    const moments = pieces.map(({ body, characterOffset = null }) => ({
      kind,
      page,
      body,
      characterOffset,
      ...textLanguage,
    }))
    return { kind, page, moments }
  }

  const correctionsOf = ({ caption, extracted_text, pages = [] }: MediaChanges): Correction[] => [
    ...(caption === undefined ? [] : [correctionOf('caption', null, caption)]),
    ...(extracted_text === undefined ? [] : [correctionOf('text', null, extracted_text)]),
    ...pages.map(({ page, text }) => correctionOf('text', page, text)),
  ]

  /**
   * Replaces the moments at the locations of the corrections, which are all of one kind. Needs few statements for any number of
   * pages.
   * @returns true when a correction was reverted.
   */
  const apply = async (
    tx: Prisma.TransactionClient,
    userId: string,
    itemId: string,
    kind: Correction['kind'],
    corrections: Correction[],
  ): Promise<boolean> => {
    const allMoments = await store.moments(tx, itemId, kind)
    const byPage = Map.groupBy(
      allMoments.filter(({ frameNumber }) => frameNumber === null),
      ({ page }) => page,
    )
    const deletedIds: string[] = []
    const added: OwnMoment[] = []
    let hasReverted = false
    for (const { page, moments } of new Map(corrections.map((correction) => [correction.page, correction])).values()) {
      const existing = byPage.get(page) ?? []
      const replaced = moments === null ? existing.filter(({ isLocked }) => isLocked) : existing
      deletedIds.push(...replaced.map(({ id }) => id))
      hasReverted ||= moments === null && replaced.length > 0
      const nextPageIndex = allMoments.findIndex(
        (moment) => moment.page !== null && page !== null && moment.page >= page,
      )
      const start = page === null ? 0 : nextPageIndex < 0 ? allMoments.length : nextPageIndex
      added.push(...(moments ?? []).map((moment, index) => ({ ...moment, position: start + index })))
    }
    await store.removeMoments(tx, deletedIds)
    await store.addMoments(tx, userId, itemId, added)
    return hasReverted
  }

  /** Corrects some segments of a transcript and reverts others. @returns the steps to run again. */
  const applySegments = async (
    tx: Prisma.TransactionClient,
    itemId: string,
    texts: Map<string, string | null>,
  ): Promise<ProcessingStepName[]> => {
    const segments = [...texts].flatMap(([id, body]): OwnSegment[] =>
      body === null ? [] : [{ id, body, ...languageOf(body) }],
    )
    const revertedIds = [...texts].flatMap(([id, body]) => (body === null ? [id] : []))
    const changed = segments.length === 0 ? 0 : await store.setSegments(tx, itemId, segments)
    const { foundCount, unlocked } =
      revertedIds.length === 0 ? { foundCount: 0, unlocked: 0 } : await store.unlockSegments(tx, itemId, revertedIds)
    if (changed + foundCount < texts.size) {
      throw new ValidationError('Part of the transcript no longer exists.', { code: 'segment_gone' })
    }
    return [...(changed > 0 ? (['embed'] as const) : []), ...(unlocked > 0 ? (['transcribe'] as const) : [])]
  }

  const requirePages = async (
    tx: Prisma.TransactionClient,
    itemId: string,
    { extracted_text, pages = [] }: MediaChanges,
  ) => {
    const count = await store.pageCount(tx, itemId)
    if (count !== null && typeof extracted_text === 'string') {
      throw new ValidationError('Correct the text of this document page by page.', { code: 'has_pages' })
    }
    const missing = pages.find(({ page }) => page > (count ?? 0))
    if (missing) throw new ValidationError(`This item has no page ${missing.page}.`, { code: 'no_such_page' })
  }

  /** Updates the item's caption, text or transcript, which is combined from its moments. */
  const updateRollUp = async (tx: Prisma.TransactionClient, itemId: string, kind: CorrectedKind) => {
    const moments = await store.moments(tx, itemId, kind)
    const ordered = sortByLocation([], moments)
    const locked = moments.filter(({ isLocked }) => isLocked)
    await store.setRollUp(tx, itemId, kind, combineTexts(kind, ordered, locked))
  }

  const changeIn = async (tx: Prisma.TransactionClient, userId: string, itemId: string, changes: MediaChanges) => {
    const corrections = correctionsOf(changes)
    const segments = new Map(changes.segments?.map(({ id, text }) => [id, text]))
    const kinds = new Set<CorrectedKind>(corrections.map(({ kind }) => kind))
    if (segments.size > 0) kinds.add('speech')
    const steps = new Set<ProcessingStepName>()
    await requirePages(tx, itemId, changes)
    await ownFacts.setIn(sqlOf(tx), userId, [itemId], changes)
    if (changes.tags !== undefined) await store.setTags(tx, itemId, [...new Set(changes.tags)])
    for (const [kind, kindCorrections] of Map.groupBy(corrections, ({ kind }) => kind)) {
      if (await apply(tx, userId, itemId, kind, kindCorrections)) steps.add(stepOfKind[kind])
    }
    if (segments.size > 0) for (const step of await applySegments(tx, itemId, segments)) steps.add(step)
    for (const kind of kinds) await updateRollUp(tx, itemId, kind)
    if (corrections.some(({ moments }) => moments !== null)) steps.add('embed')
    // Some types of items lack a step; documents have no captions, for example.
    const availableSteps = new Set(stepsOfType[await store.mediaType(tx, itemId)])
    if (steps.size > 0) steps.add('embed')
    const stepsToRun = [...steps].filter((step) => availableSteps.has(step))
    if (stepsToRun.length > 0) await processing.reprocessIn(tx, userId, itemId, stepsToRun)
  }

  return {
    /**
     * Stores corrections of an item; for reverted ones, engines run again.
     * @throws NotFoundError when it isn't the user's; ValidationError for a missing page or segment.
     */
    async change(userId: string, itemId: string, changes: MediaChanges): Promise<void> {
      const isStored = await store.withLockedItem(userId, itemId, async (tx) => {
        await changeIn(tx, userId, itemId, changes)
        return true
      })
      if (isStored === null) throw new NotFoundError('This item no longer exists.')
      events.publish(userId, { type: 'media.updated', ids: [itemId] })
    },

    /** Like `change`, in a transaction that locks the item; the caller publishes the event. */
    changeIn,

    /** Stores the caption of a new item, in the transaction that adds it, before any step has run. */
    async describeNewIn(sql: SqlTransaction, userId: string, itemId: string, caption: string): Promise<void> {
      const moments = correctionOf('caption', null, caption).moments ?? []
      await store.addMoments(
        sql,
        userId,
        itemId,
        moments.map((moment, position) => ({ ...moment, position })),
      )
      await store.setCaption(sql, itemId, combineTexts('caption', moments, []))
    },

    /** Reverts a caption unless it was changed since, in a transaction that locks the item. */
    async revertCaptionIn(
      tx: Prisma.TransactionClient,
      userId: string,
      itemId: string,
      caption: string,
    ): Promise<void> {
      const wholeItemMoments = (await store.moments(tx, itemId, 'caption')).filter(
        ({ isLocked, page, frameNumber }) => isLocked && page === null && frameNumber === null,
      )
      const captionMoments = correctionOf('caption', null, caption).moments ?? []
      const textOf = (moments: { body: string }[]) => moments.map(({ body }) => body).join('')
      if (textOf(wholeItemMoments) === textOf(captionMoments)) await changeIn(tx, userId, itemId, { caption: null })
    },
  }
}
