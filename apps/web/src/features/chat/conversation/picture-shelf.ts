import { throwAwayOld } from '../../../lib/browser/browser-store.ts'
import { unsentPictures as shelf } from '../../../lib/session/unsent-work.ts'
import type { OutgoingPicture } from './conversation-tools.ts'

/** Age after which unsent pictures are deleted. */
const KEPT_MS = 30 * 24 * 3_600_000

/** Pictures that the server is not known to have; they survive a reload where the browser lets them. */
export interface PictureShelf {
  /** Puts these pictures in the place of what is kept under a name; none are forgotten. Never fails. */
  keep: (name: string, pictures: readonly OutgoingPicture[]) => Promise<void>
  /** Pictures stored under a name; none when the browser stores nothing. Never fails. */
  read: (name: string) => Promise<OutgoingPicture[]>
}

interface ShelfTools {
  /** Whose pictures: people who share a browser must not see each other's. */
  userId: string
  /** False while the person does not want drafts stored. */
  mayStore: () => boolean
}

/** Stored record of one name. */
interface Kept {
  keptAt: number
  pictures: { name: string; data: string }[]
}

/** Makes the shelf of a person, in this browser's database. */
export function createPictureShelf({ userId, mayStore }: ShelfTools): PictureShelf {
  const keyOf = (name: string) => `${userId}/${name}`

  /** One after the other, so that the last state stays. */
  let queue: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> => {
    const result = queue.then(work).catch((error: unknown) => {
      console.error('Pictures that are not sent yet could not be kept in this browser', error)
      return otherwise
    })
    queue = result
    return result
  }

  return {
    keep: (name, pictures) =>
      inTurn(async () => {
        const value: Kept = { keptAt: Date.now(), pictures: pictures.map(({ name, data }) => ({ name, data })) }
        const isKept = pictures.length > 0 && mayStore()
        await shelf.use('readwrite', (store) => {
          throwAwayOld<Kept>(store, ({ keptAt }) => keptAt < Date.now() - KEPT_MS)
          return isKept ? store.put(value, keyOf(name)) : store.delete(keyOf(name))
        })
      }, undefined),
    read: (name) =>
      inTurn(async () => {
        if (!mayStore()) return []
        const entry = await shelf.use<Kept | undefined>('readonly', (store) => store.get(keyOf(name)))
        return (entry?.pictures ?? []).map(({ name, data }) => ({ name, data, url: URL.createObjectURL(blobOf(data)) }))
      }, []),
  }
}

/** The bytes of a `data:` address. */
function blobOf(data: string): Blob {
  const comma = data.indexOf(',')
  const type = /^data:([^;,]*)/.exec(data)?.[1] ?? ''
  const bytes = Uint8Array.from(atob(data.slice(comma + 1)), (character) => character.charCodeAt(0))
  return new Blob([bytes], { type })
}
