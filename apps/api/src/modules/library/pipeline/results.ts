import { buffer } from 'node:stream/consumers'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { asLanguage, type ReadWord } from '@mira/shared'
import type { Log } from '../../../log.ts'
import { guessLanguage, searchConfiguration } from '../../../offline/language/language.ts'
import { newId } from '../../../platform/database/new-id.ts'
import type { SqlClient, SqlTransaction } from '../../../platform/database/sql.ts'
import type { UnreferencedFiles } from '../../../platform/database/unreferenced-files.ts'
import type { Files } from '../../../platform/storage/files.ts'
import { combineTexts, isCorrectedBy, sortByLocation, splitMoment } from '../items/moment-locations.ts'
import type { LockedMoment, PlacedMoment, ReservedFile, ResultsStore, StoredPicture } from './results.store.ts'
import type {
  DerivedPicture,
  Finding,
  ItemFacts,
  NewMoment,
  NewPart,
  Part,
  ProcessedItem,
  StepItem,
  TurnMoments,
} from './step.ts'

interface ResultsDeps {
  store: ResultsStore
  files: Files
  unreferencedFiles: UnreferencedFiles
  log: Log
}

export type Results = ReturnType<typeof createResults>

/**
 * Limits of a batch that the embedded database stores in a few hundredths of a second. It indexes the texts, so their size
 * counts.
 */
const MAX_BATCH_MOMENTS = 200
const MAX_BATCH_BYTES = 40_000
/** Number of texts whose language is guessed before yielding the thread. */
const GUESSES_PER_YIELD = 20
const MAX_ATTEMPTS = 5

/** A moment with its stored id and detected language. */
type MomentRow = NewMoment & { id: string; searchConfiguration: string }

/** Storage of steps' findings; a crash leaves no file without a row, and no row without a file. */
export function createResults({ store, files, unreferencedFiles, log }: ResultsDeps) {
  /** Stores a file and reserves it until a row refers to it; if none ever does, it's deleted later. */
  const storeFile = async (item: StepItem, content: AsyncIterable<Uint8Array> | Uint8Array): Promise<ReservedFile> => {
    const file = await files.receive(content)
    try {
      const reservationId = await unreferencedFiles.reserve(files.pathOf(item.userId, file.sha256))
      const { path, sizeBytes } = await file.store(item.userId)
      return { path, sizeBytes, reservationId }
    } catch (error) {
      await file.discard()
      throw error
    }
  }

  const toMomentRows = async (kind: NewMoment['kind'], moments: NewMoment[]): Promise<MomentRow[]> => {
    if (moments.some((moment) => moment.kind !== kind)) throw new TypeError(`not all moments are of the kind ${kind}`)
    const momentRows: MomentRow[] = []
    for (const [index, moment] of moments.flatMap(splitMoment).entries()) {
      if (index % GUESSES_PER_YIELD === 0) await yieldToEventLoop()
      const language = moment.language === undefined ? guessLanguage(moment.body) : moment.language
      momentRows.push({
        ...moment,
        id: moment.id ?? newId(),
        language,
        searchConfiguration: searchConfiguration(language === null ? null : asLanguage(language)),
      })
    }
    return momentRows
  }

  /** Moments to store alongside the user's corrections, with their positions. */
  const placeMoments = (kind: NewMoment['kind'], momentRows: MomentRow[], locked: LockedMoment[]) => {
    const isCorrected = isCorrectedBy(locked)
    const all = sortByLocation(
      momentRows.filter((moment) => !isCorrected(moment)),
      locked,
    )
    const placedMoments: (PlacedMoment & MomentRow)[] = []
    const positions: { id: string; position: number }[] = []
    for (const [position, moment] of all.entries()) {
      if ('kind' in moment) placedMoments.push({ ...moment, position })
      else positions.push({ id: moment.id, position })
    }
    return { placedMoments, positions, text: combineTexts(kind, all, locked) }
  }

  /**
   * Replaces moments in batches, so that other queries don't wait, and keeps existing ones; false when a user
   * corrected some in the meantime.
   */
  const replaceMany = async (item: StepItem, kind: NewMoment['kind'], momentRows: MomentRow[]): Promise<boolean> => {
    const findCorrected = (sql: SqlClient) => store.lockedMoments(sql, item.id, kind)
    const { locked, existing } = await store.withLockedItem(item, async (sql) => ({
      locked: await findCorrected(sql),
      existing: new Map((await store.uncorrectedMoments(sql, item.id, kind)).map(({ id, position }) => [id, position])),
    }))
    const { placedMoments, positions, text } = placeMoments(kind, momentRows, locked)
    const placedIds = new Set(placedMoments.map(({ id }) => id))
    const removedIds = [...existing.keys()].filter((id) => !placedIds.has(id))
    const missing = placedMoments.filter(({ id }) => !existing.has(id))
    const moved = placedMoments.filter(({ id, position }) => existing.has(id) && existing.get(id) !== position)
    for (const ids of batchesOf(removedIds)) await store.withLockedItem(item, (sql) => store.removeMoments(sql, ids))
    for (const batch of batchesOf(missing, bytesOf))
      await store.withLockedItem(item, (sql) => store.addMoments(sql, item, batch))
    for (const batch of batchesOf(moved)) {
      const newPositions = batch.map(({ id, position }) => ({ id, position }))
      await store.withLockedItem(item, (sql) => store.moveMoments(sql, newPositions))
    }
    return store.withLockedItem(item, async (sql) => {
      if (JSON.stringify(await findCorrected(sql)) !== JSON.stringify(locked)) return false
      await store.moveMoments(sql, positions)
      await store.setRollUp(sql, item.id, kind, text)
      return true
    })
  }

  /** Appends moments, except at locations with a user's correction. */
  const append = async (sql: SqlTransaction, item: StepItem, kind: NewMoment['kind'], momentRows: MomentRow[]) => {
    const isCorrected = isCorrectedBy(await store.lockedMoments(sql, item.id, kind))
    const firstPosition = await store.nextPosition(sql, item.id, kind)
    const placedMoments = momentRows
      .filter((moment) => !isCorrected(moment))
      .map((moment, index) => ({ ...moment, position: firstPosition + index }))
    await store.addMoments(sql, item, placedMoments)
  }

  /** Releases the files of findings that won't be stored, so that they're deleted soon. */
  const release = async (findings: Finding[]): Promise<void> => {
    const reservationIds = findings.flatMap(({ files = [] }) =>
      files.flatMap(({ reservationId }) => reservationId ?? []),
    )
    if (reservationIds.length === 0) return
    await store
      .release(reservationIds)
      .catch((error: unknown) => log.debug({ err: error }, 'could not release reserved files, which are deleted later'))
  }

  /**
   * Stores findings in one transaction and runs `then` in it. Called at the end of a step, and during long steps.
   * @throws RunReplacedError when the item is gone, or another run has replaced this one.
   */
  const storeAll = async <T = void>(
    item: StepItem,
    findings: Finding[],
    then?: (sql: SqlTransaction) => Promise<T>,
  ): Promise<T> => {
    try {
      return await store.withLockedItem(item, async (sql) => {
        for (const finding of findings) await finding(sql)
        return then?.(sql) as never
      })
    } catch (error) {
      await release(findings)
      throw error
    }
  }

  return {
    store: storeAll,

    release,

    /** Checkpoint of the previous turn, unvalidated; null when the step starts from the beginning. */
    checkpoint: ({ id, run }: StepItem): Promise<unknown> => store.checkpoint(id, run.step),

    /**
     * Stores where a long step resumes in its next turn or after a restart, and the findings of this turn. Findings of
     * earlier turns aren't written again, so a checkpoint stays small.
     * @throws RunReplacedError
     */
    storeCheckpoint: (item: StepItem, checkpoint: object, entries: readonly object[] = []): Promise<void> =>
      store.withLockedItem(item, (sql) => store.storeCheckpoint(sql, item, checkpoint, entries)),

    /**
     * Stores a checkpoint and moments, which searches find before the step ends; `replaceMoments` later keeps those that
     * are among the moments it gets.
     * @throws RunReplacedError
     */
    async keepMoments(
      item: StepItem,
      checkpoint: object,
      { kind, moments, replacedPages }: TurnMoments,
    ): Promise<void> {
      const momentRows = await toMomentRows(kind, moments)
      const pendingLocations = new Set(replacedPages)
      const locationOf = ({ page }: NewMoment) => page ?? null
      const [additional, replacing] = [false, true].map((isReplaced) =>
        momentRows.filter((moment) => pendingLocations.has(locationOf(moment)) === isReplaced),
      ) as [MomentRow[], MomentRow[]]
      // The next run replaces whatever a run stores before it dies without a checkpoint.
      const batches = batchesOf(replacing, bytesOf)
      const last = batches.pop() ?? []
      const addBatch = async (sql: SqlTransaction, batch: MomentRow[], others: MomentRow[] = []) => {
        const newLocations = [...new Set(batch.map(locationOf))].filter((location) => pendingLocations.delete(location))
        await store.removeMomentsAt(sql, item.id, kind, newLocations)
        await append(sql, item, kind, [...batch, ...others])
      }
      for (const batch of batches) await store.withLockedItem(item, (sql) => addBatch(sql, batch))
      await store.withLockedItem(item, async (sql) => {
        if (momentRows.length > 0) await addBatch(sql, last, additional)
        await store.storeCheckpoint(sql, item, checkpoint, momentRows)
      })
    },

    /** Findings of all turns up to the checkpoint, in order. */
    earlierFindings: ({ id, run }: StepItem): Promise<unknown[]> => store.earlierFindings(id, run.step),

    updateFacts:
      (item: ProcessedItem, facts: ItemFacts): Finding =>
      (sql) =>
        store.describe(sql, item.id, withoutUnwantedLocation(item, facts)),

    /** Replaces the files that show a picture: its thumbnail, which is also its only part, and the copy for browsers. */
    async setPicture(
      item: StepItem,
      { thumbnail, preview }: { thumbnail: DerivedPicture; preview: DerivedPicture | null },
    ): Promise<Finding> {
      const keep = async (kind: StoredPicture['kind'], picture: DerivedPicture): Promise<StoredPicture> => ({
        kind,
        ...(await storeFile(item, picture.data)),
        ...imageFields(picture),
      })
      const storedThumbnail = await keep('thumbnail', thumbnail)
      const copies = preview === null ? [storedThumbnail] : [storedThumbnail, await keep('preview', preview)]
      return withFiles(copies, (sql) => store.putPicture(sql, item, storedThumbnail, copies))
    },

    /**
     * Replaces all parts of a kind, storing each immediately.
     * @param options.after last number from earlier turns, whose parts stay.
     * @param options.hasMore true when another turn adds higher numbers, so that existing parts stay.
     */
    async replaceParts(
      item: StepItem,
      kind: NewPart['kind'],
      parts: AsyncIterable<NewPart> | Iterable<NewPart>,
      { after = 0, hasMore = false }: { after?: number; hasMore?: boolean } = {},
    ): Promise<void> {
      let last = after
      for await (const part of parts) {
        if (part.kind !== kind) throw new TypeError(`a ${part.kind} isn't a ${kind}`)
        const file = await storeFile(item, part.thumbnail.data)
        await storeAll(item, [withFiles([file], (sql) => store.putPart(sql, item, part, file))])
        last = Math.max(last, part.number)
      }
      if (!hasMore) await store.withLockedItem(item, (sql) => store.removePartsAfter(sql, item.id, kind, last))
    },

    /** Parts of an item in order. */
    parts: (item: ProcessedItem, kind: NewPart['kind']): Promise<Part[]> => store.parts(item.id, kind),

    /** Thumbnail of a part. */
    async readPart({ path }: Part): Promise<Uint8Array> {
      const { stream } = await files.open(path)
      return buffer(stream)
    },

    setWords:
      (item: ProcessedItem, kind: NewPart['kind'], number: number, words: ReadWord[]): Finding =>
      (sql) =>
        store.setWords(sql, item.id, kind, number, words),

    /** Stores a derived file of the item: its WebP thumbnail, the copy that browsers show or play, or its video's copy. */
    async setCopy(
      item: StepItem,
      kind: 'thumbnail' | 'preview' | 'motion_preview',
      {
        content,
        ...copy
      }: { content: AsyncIterable<Uint8Array> | Uint8Array; contentType: string; width?: number; height?: number },
    ): Promise<Finding> {
      const file = await storeFile(item, content)
      return withFiles([file], (sql) => store.putCopy(sql, item.id, kind, { ...file, ...copy }))
    },

    /** Makes browsers show or play the original, with this type. */
    showOriginal:
      ({ id, path, sizeBytes }: StepItem, contentType: string): Finding =>
      (sql) =>
        store.putCopy(sql, id, 'preview', { path, sizeBytes, reservationId: null, contentType }),

    /**
     * Replaces the moments of a kind, in order, and updates the item's own texts (caption, extracted text,
     * transcription). A user's correction stays, and new moments at the same location are dropped. Very many moments
     * are stored immediately, in batches.
     */
    async replaceMoments(item: StepItem, kind: NewMoment['kind'], moments: NewMoment[]): Promise<Finding> {
      const momentRows = await toMomentRows(kind, moments)
      if (kind === 'name')
        return (sql) => store.replaceNames(sql, item, placeMoments(kind, momentRows, []).placedMoments)
      if (batchesOf(momentRows, bytesOf).length <= 1 && moments.every(({ id }) => id === undefined)) {
        return async (sql) => {
          const { placedMoments, positions, text } = placeMoments(
            kind,
            momentRows,
            await store.lockedMoments(sql, item.id, kind),
          )
          await store.replaceMoments(sql, item, kind, placedMoments, text)
          await store.moveMoments(sql, positions)
        }
      }
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        if (await replaceMany(item, kind, momentRows)) return async () => {}
      }
      throw new Error('a user kept correcting the item while its results were stored')
    },
  }
}

const bytesOf = ({ body }: NewMoment) => Buffer.byteLength(body)

/** Batches small enough for one statement, since other queries wait for it. */
function batchesOf<T>(all: T[], sizeOf: (element: T) => number = () => 0): T[][] {
  const batches: T[][] = []
  let remainingBytes = 0
  for (const element of all) {
    const sizeBytes = sizeOf(element)
    const last = batches.at(-1)
    if (last === undefined || last.length === MAX_BATCH_MOMENTS || sizeBytes > remainingBytes) {
      batches.push([element])
      remainingBytes = MAX_BATCH_BYTES - sizeBytes
    } else {
      last.push(element)
      remainingBytes -= sizeBytes
    }
  }
  return batches
}

const withFiles = (files: ReservedFile[], store: (sql: SqlClient) => Promise<void>): Finding =>
  Object.assign(store, { files })

/** Drops the place unless the user wants it kept. */
function withoutUnwantedLocation(item: ProcessedItem, { latitude, longitude, ...facts }: ItemFacts): ItemFacts {
  return item.keepsLocation && latitude !== undefined && longitude !== undefined
    ? { ...facts, latitude, longitude }
    : facts
}

const imageFields = ({ contentType, width, height }: DerivedPicture) => ({ contentType, width, height })
