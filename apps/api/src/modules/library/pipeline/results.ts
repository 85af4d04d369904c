import { buffer } from 'node:stream/consumers'
import { setImmediate as giveWay } from 'node:timers/promises'
import { asLanguage, type ReadWord } from '@mira/shared'
import type { Log } from '../../../log.ts'
import { guessLanguage, searchConfiguration } from '../../../offline/language/language.ts'
import type { LooseFiles } from '../../../platform/database/loose-files.ts'
import { newId } from '../../../platform/database/new-id.ts'
import type { SqlClient, SqlTransaction } from '../../../platform/database/sql.ts'
import type { Files } from '../../../platform/storage/files.ts'
import { inOrder, inShortMoments, rollUp, takenBy } from '../items/moment-locations.ts'
import type { KeptFile, LockedMoment, PlacedMoment, ResultsStore, StoredPicture } from './results.store.ts'
import type {
  Finding,
  ItemFacts,
  MadePicture,
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
  looseFiles: LooseFiles
  log: Log
}

export type Results = ReturnType<typeof createResults>

/** Rows that the embedded database stores in a few hundredths of a second, unless their texts are long: those it has to index. */
const MOMENTS_AT_ONCE = 200
const TEXT_BYTES_AT_ONCE = 40_000
/** Texts whose language is guessed before yielding. */
const GUESSED_AT_ONCE = 20
const MAX_PLANS = 5

/** A moment with its stored id and detected language. */
type KnownMoment = NewMoment & { id: string; searchConfiguration: string }

/** Storage of steps' findings: a crash leaves no file without a row and no row without a file. */
export function createResults({ store, files, looseFiles, log }: ResultsDeps) {
  /** Stores a file and holds it until a row refers to it; without one it's deleted later. */
  const keepFile = async (item: StepItem, content: AsyncIterable<Uint8Array> | Uint8Array): Promise<KeptFile> => {
    const file = await files.receive(content)
    try {
      const holdId = await looseFiles.hold(files.pathOf(item.userId, file.sha256))
      const { path, sizeBytes } = await file.store(item.userId)
      return { path, sizeBytes, holdId }
    } catch (error) {
      await file.discard()
      throw error
    }
  }

  const knownOf = async (kind: NewMoment['kind'], moments: NewMoment[]): Promise<KnownMoment[]> => {
    if (moments.some((moment) => moment.kind !== kind)) throw new TypeError(`these are not all of the kind ${kind}`)
    const momentRows: KnownMoment[] = []
    for (const [index, moment] of moments.flatMap(inShortMoments).entries()) {
      if (index % GUESSED_AT_ONCE === 0) await giveWay()
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

  /** Moments to store next to the user's corrections. */
  const planOf = (kind: NewMoment['kind'], momentRows: KnownMoment[], locked: LockedMoment[]) => {
    const isTaken = takenBy(locked)
    const all = inOrder(
      momentRows.filter((moment) => !isTaken(moment)),
      locked,
    )
    const fresh: (PlacedMoment & KnownMoment)[] = []
    const positions: { id: string; position: number }[] = []
    for (const [position, one] of all.entries()) {
      if ('kind' in one) fresh.push({ ...one, position })
      else positions.push({ id: one.id, position })
    }
    return { fresh, positions, text: rollUp(kind, all, locked) }
  }

  /**
   * Replaces moments a few at a time, so that other queries don't wait, and keeps existing ones; false when a user
   * corrected some meanwhile.
   */
  const replaceMany = async (item: StepItem, kind: NewMoment['kind'], momentRows: KnownMoment[]): Promise<boolean> => {
    const corrected = (sql: SqlClient) => store.lockedMoments(sql, item.id, kind)
    const { locked, existing } = await store.write(item, async (sql) => ({
      locked: await corrected(sql),
      existing: new Map((await store.untouchedMoments(sql, item.id, kind)).map(({ id, position }) => [id, position])),
    }))
    const { fresh, positions, text } = planOf(kind, momentRows, locked)
    const freshIds = new Set(fresh.map(({ id }) => id))
    const removedIds = [...existing.keys()].filter((id) => !freshIds.has(id))
    const missing = fresh.filter(({ id }) => !existing.has(id))
    const moved = fresh.filter(({ id, position }) => existing.has(id) && existing.get(id) !== position)
    for (const ids of batchesOf(removedIds)) await store.write(item, (sql) => store.removeMoments(sql, ids))
    for (const some of batchesOf(missing, bytesOf)) await store.write(item, (sql) => store.addMoments(sql, item, some))
    for (const some of batchesOf(moved)) {
      const placed = some.map(({ id, position }) => ({ id, position }))
      await store.write(item, (sql) => store.moveMoments(sql, placed))
    }
    return store.write(item, async (sql) => {
      if (JSON.stringify(await corrected(sql)) !== JSON.stringify(locked)) return false
      await store.moveMoments(sql, positions)
      await store.setRollUp(sql, item.id, kind, text)
      return true
    })
  }

  /** Appends moments, except at locations with a user's correction. */
  const append = async (sql: SqlTransaction, item: StepItem, kind: NewMoment['kind'], momentRows: KnownMoment[]) => {
    const isTaken = takenBy(await store.lockedMoments(sql, item.id, kind))
    const end = await store.endOf(sql, item.id, kind)
    const placed = momentRows
      .filter((moment) => !isTaken(moment))
      .map((moment, index) => ({ ...moment, position: end + index }))
    await store.addMoments(sql, item, placed)
  }

  /** Releases the files of findings that won't be stored: they are deleted soon. */
  const letGo = async (findings: Finding[]): Promise<void> => {
    const holdIds = findings.flatMap(({ files = [] }) => files.flatMap(({ holdId }) => holdId ?? []))
    if (holdIds.length === 0) return
    await store
      .letGo(holdIds)
      .catch((error: unknown) => log.debug({ err: error }, 'a held file is let go by itself later'))
  }

  /**
   * Stores findings in one transaction, and runs `then` in it: for long steps, and for the end of a step.
   * @throws OvertakenError when the item is gone, or another run has replaced this one.
   */
  const storeAll = async <T = void>(
    item: StepItem,
    findings: Finding[],
    then?: (sql: SqlTransaction) => Promise<T>,
  ): Promise<T> => {
    try {
      return await store.write(item, async (sql) => {
        for (const finding of findings) await finding(sql)
        return then?.(sql) as never
      })
    } catch (error) {
      await letGo(findings)
      throw error
    }
  }

  return {
    store: storeAll,

    letGo,

    /** Checkpoint of the previous turn, unvalidated; null when the step begins from the start. */
    checkpoint: ({ id, run }: StepItem): Promise<unknown> => store.checkpoint(id, run.step),

    /**
     * Stores where a long step resumes in its next turn or after a restart, and the findings of this turn. Findings of
     * earlier turns aren't written again, so a checkpoint stays small.
     * @throws OvertakenError
     */
    keepCheckpoint: (item: StepItem, checkpoint: object, entries: readonly object[] = []): Promise<void> =>
      store.write(item, (sql) => store.keepCheckpoint(sql, item, checkpoint, entries)),

    /**
     * Stores a checkpoint, and moments that searches find before the step ends; `replaceMoments` keeps those among the
     * moments that it gets.
     * @throws OvertakenError
     */
    async keepMoments(item: StepItem, checkpoint: object, { kind, moments, places }: TurnMoments): Promise<void> {
      const momentRows = await knownOf(kind, moments)
      const replaced = new Set(places)
      const placeOf = ({ page }: NewMoment) => page ?? null
      const [beside, inPlace] = [false, true].map((isReplaced) =>
        momentRows.filter((moment) => replaced.has(placeOf(moment)) === isReplaced),
      ) as [KnownMoment[], KnownMoment[]]
      // the next run replaces whatever a run stores before it dies without a checkpoint
      const batches = batchesOf(inPlace, bytesOf)
      const last = batches.pop() ?? []
      const addSome = async (sql: SqlTransaction, some: KnownMoment[], others: KnownMoment[] = []) => {
        const fresh = [...new Set(some.map(placeOf))].filter((place) => replaced.delete(place))
        await store.removeMomentsAt(sql, item.id, kind, fresh)
        await append(sql, item, kind, [...some, ...others])
      }
      for (const some of batches) await store.write(item, (sql) => addSome(sql, some))
      await store.write(item, async (sql) => {
        if (momentRows.length > 0) await addSome(sql, last, beside)
        await store.keepCheckpoint(sql, item, checkpoint, momentRows)
      })
    },

    /** Findings of all turns up to the checkpoint, in order. */
    foundBefore: ({ id, run }: StepItem): Promise<unknown[]> => store.foundBefore(id, run.step),

    describe:
      (item: ProcessedItem, facts: ItemFacts): Finding =>
      (sql) =>
        store.describe(sql, item.id, keptFacts(item, facts)),

    /** Replaces the files that show a picture: its thumbnail, which is also its only part, and the copy for browsers. */
    async setPicture(
      item: StepItem,
      { thumbnail, preview }: { thumbnail: MadePicture; preview: MadePicture | null },
    ): Promise<Finding> {
      const keep = async (kind: StoredPicture['kind'], picture: MadePicture): Promise<StoredPicture> => ({
        kind,
        ...(await keepFile(item, picture.data)),
        ...described(picture),
      })
      const small = await keep('thumbnail', thumbnail)
      const all = preview === null ? [small] : [small, await keep('preview', preview)]
      return naming(all, (sql) => store.putPicture(sql, item, small, all))
    },

    /**
     * Replaces all parts of the kind, each immediately.
     * @param options.after last number of earlier turns, whose parts stay.
     * @param options.hasMore true when another turn brings higher numbers: existing ones stay.
     */
    async replaceParts(
      item: StepItem,
      kind: NewPart['kind'],
      parts: AsyncIterable<NewPart> | Iterable<NewPart>,
      { after = 0, hasMore = false }: { after?: number; hasMore?: boolean } = {},
    ): Promise<void> {
      let last = after
      for await (const part of parts) {
        if (part.kind !== kind) throw new TypeError(`a ${part.kind} is no ${kind}`)
        const file = await keepFile(item, part.thumbnail.data)
        await storeAll(item, [naming([file], (sql) => store.putPart(sql, item, part, file))])
        last = Math.max(last, part.number)
      }
      if (!hasMore) await store.write(item, (sql) => store.removePartsAfter(sql, item.id, kind, last))
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

    /** Keeps a file made of the item: its WebP thumbnail, the copy that browsers show or play, or its moving copy. */
    async setCopy(
      item: StepItem,
      kind: 'thumbnail' | 'preview' | 'motion_preview',
      {
        content,
        ...copy
      }: { content: AsyncIterable<Uint8Array> | Uint8Array; contentType: string; width?: number; height?: number },
    ): Promise<Finding> {
      const file = await keepFile(item, content)
      return naming([file], (sql) => store.putCopy(sql, item.id, kind, { ...file, ...copy }))
    },

    /** Has the original itself shown and played, as this type. */
    showAsItIs:
      ({ id, path, sizeBytes }: StepItem, contentType: string): Finding =>
      (sql) =>
        store.putCopy(sql, id, 'preview', { path, sizeBytes, holdId: null, contentType }),

    /**
     * Replaces the moments of a kind, in order, and updates the item's own texts (caption, extracted text,
     * transcription). A user's correction stays, and new moments of the same location are dropped. Very many are stored
     * immediately, a few at a time.
     */
    async replaceMoments(item: StepItem, kind: NewMoment['kind'], moments: NewMoment[]): Promise<Finding> {
      const momentRows = await knownOf(kind, moments)
      if (kind === 'name') return (sql) => store.replaceNames(sql, item, planOf(kind, momentRows, []).fresh)
      if (batchesOf(momentRows, bytesOf).length <= 1 && moments.every(({ id }) => id === undefined)) {
        return async (sql) => {
          const { fresh, positions, text } = planOf(kind, momentRows, await store.lockedMoments(sql, item.id, kind))
          await store.replaceMoments(sql, item, kind, fresh, text)
          await store.moveMoments(sql, positions)
        }
      }
      for (let plans = 0; plans < MAX_PLANS; plans++) {
        if (await replaceMany(item, kind, momentRows)) return async () => {}
      }
      throw new Error('a user corrected the item again and again while its results were stored')
    },
  }
}

const bytesOf = ({ body }: NewMoment) => Buffer.byteLength(body)

/** Parts of a list that one statement each may write: other queries wait for it. */
function batchesOf<T>(all: T[], sizeOf: (one: T) => number = () => 0): T[][] {
  const batches: T[][] = []
  let room = 0
  for (const one of all) {
    const size = sizeOf(one)
    const last = batches.at(-1)
    if (last === undefined || last.length === MOMENTS_AT_ONCE || size > room) {
      batches.push([one])
      room = TEXT_BYTES_AT_ONCE - size
    } else {
      last.push(one)
      room -= size
    }
  }
  return batches
}

const naming = (files: KeptFile[], store: (sql: SqlClient) => Promise<void>): Finding => Object.assign(store, { files })

/** Drops the place unless the user wants it kept. */
function keptFacts(item: ProcessedItem, { latitude, longitude, ...facts }: ItemFacts): ItemFacts {
  return item.keepsPlace && latitude !== undefined && longitude !== undefined
    ? { ...facts, latitude, longitude }
    : facts
}

const described = ({ contentType, width, height }: MadePicture) => ({ contentType, width, height })
