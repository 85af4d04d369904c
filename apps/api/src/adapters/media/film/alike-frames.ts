import { rm } from 'node:fs/promises'
import sharp from 'sharp'
import type { CutFrame } from './av.ts'

const SIDE = 16
/** From which difference on, of 255, two frames are not alike: on average, and in the block that differs most (a line of text came or went). */
const MEAN_DIFFERENCE = 1.5
const LARGEST_DIFFERENCE = 8

/** Leaves out frames that look like the one before them, and removes their files. */
export async function dropAlike(frames: CutFrame[], signal: AbortSignal): Promise<CutFrame[]> {
  const kept: CutFrame[] = []
  let last: Uint8Array | undefined
  for (const frame of frames) {
    signal.throwIfAborted()
    const tiny = await tinyPicture(frame.filename)
    if (last && areAlike(last, tiny)) {
      await rm(frame.filename, { force: true })
      continue
    }
    kept.push(frame)
    last = tiny
  }
  return kept
}

/** A picture as 16 × 16 shades of grey. */
async function tinyPicture(source: string | Uint8Array): Promise<Uint8Array> {
  return sharp(source).resize(SIDE, SIDE, { fit: 'fill' }).greyscale().raw().toBuffer()
}

/** Whether two tiny pictures show the same. */
function areAlike(one: Uint8Array, other: Uint8Array): boolean {
  let sum = 0
  for (let at = 0; at < one.length; at++) {
    const difference = Math.abs((one[at] ?? 0) - (other[at] ?? 0))
    if (difference > LARGEST_DIFFERENCE) return false
    sum += difference
  }
  return sum / one.length <= MEAN_DIFFERENCE
}

/**
 * How much there is to see in a picture: how far its parts are from their average; of two that are of one shade, the
 * lighter has a little more.
 */
export async function contrastOf(filename: string): Promise<number> {
  const tiny = await tinyPicture(filename)
  const mean = tiny.reduce((sum, value) => sum + value, 0) / tiny.length
  const spread = Math.sqrt(tiny.reduce((sum, value) => sum + (value - mean) ** 2, 0) / tiny.length)
  return spread + mean / 255
}
