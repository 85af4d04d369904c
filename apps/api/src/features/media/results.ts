import { buffer } from 'node:stream/consumers'
import { setImmediate as giveWay } from 'node:timers/promises'
import type { Language } from '../../adapters/ai/language.ts'
import type { Files, ReceivedFile } from '../../adapters/files/files.ts'
import type { LooseFiles } from '../../db/loose-files.ts'
import type { Log } from '../../log.ts'
import { inOrder, inShortMoments, rollUp, takenBy } from './moment-places.ts'
import type { ItemFacts, MadePicture, NewMoment, Results, StepItem } from './processing.ts'
import type { KeptFile, LockedMoment, PlacedMoment, ResultsStore } from './results.store.ts'

export interface ResultsDeps {
  store: ResultsStore
  files: Pick<Files, 'receive' | 'pathOf' | 'open'>
  looseFiles: Pick<LooseFiles, 'hold'>
  guessLanguage(text: string): Language | null
  asLanguage(code: string): Language | null
  searchConfiguration(language: Language | null): string
  log: Log
}

/** As many rows as the embedded database takes in a few hundredths of a second. */
const MOMENTS_AT_ONCE = 200
/** Guessing the language of this many texts holds nobody up. */
const GUESSED_AT_ONCE = 20
const MOST_PLANS = 5

/** Stores what steps find, so that a crash leaves no file without its row and no row without its file. */
export function createResults(deps: ResultsDeps): Results {
  const { store, files, looseFiles, guessLanguage, asLanguage, searchConfiguration, log } = deps

  /** Stores files and holds them until `name` has stored the rows that name them. */
  const keepFiles = async (
    item: StepItem,
    contents: (AsyncIterable<Uint8Array> | Uint8Array)[],
    name: (files: KeptFile[]) => Promise<void>,
  ) => {
    const received: ReceivedFile[] = []
    const holdIds: string[] = []
    try {
      for (const content of contents) {
        received.push(await files.receive(content))
      }
      const kept: KeptFile[] = []
      for (const file of received) {
        const holdId = await looseFiles.hold(files.pathOf(item.userId, file.sha256))
        holdIds.push(holdId)
        const { path, sizeBytes } = await file.store(item.userId)
        kept.push({ path, sizeBytes, holdId })
      }
      await name(kept)
    } catch (error) {
      for (const file of received) await file.discard()
      const letGo = Promise.all(holdIds.map((holdId) => store.letGo(holdId)))
      await letGo.catch((cause: unknown) => log.debug({ err: cause }, 'a held file is let go by itself later'))
      throw error
    }
  }

  const keepFile = (
    item: StepItem,
    content: AsyncIterable<Uint8Array> | Uint8Array,
    name: (file: KeptFile) => Promise<void>,
  ) => keepFiles(item, [content], ([file]) => name(file as KeptFile))

  const languagesOf = async (moments: NewMoment[]): Promise<(NewMoment & { searchConfiguration: string })[]> => {
    const told: (NewMoment & { searchConfiguration: string })[] = []
    for (const [place, moment] of moments.entries()) {
      if (place % GUESSED_AT_ONCE === 0) await giveWay()
      const language = moment.language === undefined ? guessLanguage(moment.body) : moment.language
      told.push({
        ...moment,
        language,
        searchConfiguration: searchConfiguration(language === null ? null : asLanguage(language)),
      })
    }
    return told
  }

  /** Writes the moments; false when a person has corrected something meanwhile. */
  const writePlan = async (
    item: StepItem,
    kind: NewMoment['kind'],
    plan: {
      locked: LockedMoment[]
      fresh: PlacedMoment[]
      places: { id: string; position: number }[]
      text: string | null
    },
  ): Promise<boolean> => {
    const { locked, fresh, places, text } = plan
    const isAsPlanned = async (tx: Parameters<Parameters<ResultsStore['write']>[1]>[0]) => {
      const now = await store.lockedMoments(item.id, kind, tx)
      return JSON.stringify(now) === JSON.stringify(locked)
    }
    const isSmall = fresh.length <= MOMENTS_AT_ONCE
    for (;;) {
      const removed = await store.write(item, async (tx) => {
        if (!(await isAsPlanned(tx))) return null
        const count = await store.removeMoments(tx, item.id, kind, MOMENTS_AT_ONCE)
        // few moments are replaced at once, so that nobody sees the item without them
        if (isSmall && count < MOMENTS_AT_ONCE) {
          if (fresh.length > 0) await store.addMoments(tx, item, fresh)
          await store.placeLocked(tx, places)
          await store.setRollUp(tx, item.id, kind, text)
        }
        return count
      })
      if (removed === null) return false
      if (removed === MOMENTS_AT_ONCE) continue
      if (isSmall) return true
      break
    }
    for (let start = 0; start < fresh.length; start += MOMENTS_AT_ONCE) {
      await store.write(item, (tx) => store.addMoments(tx, item, fresh.slice(start, start + MOMENTS_AT_ONCE)))
    }
    return store.write(item, async (tx) => {
      if (!(await isAsPlanned(tx))) return false
      await store.placeLocked(tx, places)
      await store.setRollUp(tx, item.id, kind, text)
      return true
    })
  }

  return {
    describe: (item, facts) => store.write(item, (tx) => store.describe(tx, item.id, keptFacts(item, facts))),

    setPicture(item, { thumbnail, preview }, facts) {
      const contents = preview === null ? [thumbnail.data] : [thumbnail.data, preview.data]
      return keepFiles(item, contents, ([small, large]) =>
        store.write(item, async (tx) => {
          if (small) {
            await store.putPart(tx, item, { kind: 'picture', number: 1, thumbnail }, small)
            await store.putCopy(tx, item.id, 'thumbnail', { ...small, ...described(thumbnail) })
          }
          if (large && preview) await store.putCopy(tx, item.id, 'preview', { ...large, ...described(preview) })
          await store.describe(tx, item.id, keptFacts(item, facts))
        }),
      )
    },

    async replaceParts(item, kind, parts) {
      const numbers: number[] = []
      for await (const part of parts) {
        if (part.kind !== kind) throw new TypeError(`a ${part.kind} is no ${kind}`)
        await keepFile(item, part.thumbnail.data, (file) =>
          store.write(item, (tx) => store.putPart(tx, item, part, file)),
        )
        numbers.push(part.number)
      }
      await store.write(item, (tx) => store.removeOtherParts(tx, item.id, kind, numbers))
    },

    parts: (item, kind) => store.parts(item.id, kind),

    async readPart({ path }) {
      const { stream } = await files.open(path)
      return buffer(stream)
    },

    setWords: (item, kind, number, words) =>
      store.write(item, (tx) => store.setWords(tx, item.id, kind, number, words)),

    setCopy: (item, kind, { content, ...copy }) =>
      keepFile(item, content, (file) =>
        store.write(item, (tx) => store.putCopy(tx, item.id, kind, { ...file, ...copy })),
      ),

    async replaceMoments(item, kind, moments) {
      if (moments.some((moment) => moment.kind !== kind)) throw new TypeError(`these are not all of the kind ${kind}`)
      const told = await languagesOf(moments.flatMap(inShortMoments))
      for (let plans = 0; plans < MOST_PLANS; plans++) {
        const locked = await store.lockedMoments(item.id, kind)
        const isTaken = takenBy(locked)
        const all = inOrder(
          told.filter((moment) => !isTaken(moment)),
          locked,
        )
        const fresh: PlacedMoment[] = []
        const places: { id: string; position: number }[] = []
        for (const [position, one] of all.entries()) {
          if ('kind' in one) fresh.push({ ...one, position })
          else places.push({ id: one.id, position })
        }
        if (await writePlan(item, kind, { locked, fresh, places, text: rollUp(kind, all, locked) })) return
      }
      throw new Error('a person corrected the item again and again while its results were stored')
    },
  }
}

/** Without the place where it was taken, unless the person wants that kept. */
function keptFacts(item: StepItem, { latitude, longitude, ...facts }: ItemFacts): ItemFacts {
  return item.keepsPlace && latitude !== undefined && longitude !== undefined
    ? { ...facts, latitude, longitude }
    : facts
}

const described = ({ contentType, width, height }: MadePicture) => ({ contentType, width, height })
