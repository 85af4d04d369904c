import { rm } from 'node:fs/promises'
import sharp from 'sharp'
import type { CutFrame } from './av.ts'

const SIDE = 16
/** From which difference on, of 255, two frames are not alike: on average, and in the block that differs most (a line of text came or went). */
const MEAN_DIFFERENCE = 1.5
const LARGEST_DIFFERENCE = 8

/** Difference between a frame and the last kept one, 0 to 255; the first frame has the largest. */
interface ChangedFrame extends CutFrame {
  change: number
}

/**
 * Drops frames similar to the previous one, then those that differ least, down to `most`, and removes their files.
 */
export async function keepInformative(frames: CutFrame[], max: number, signal: AbortSignal): Promise<CutFrame[]> {
  const distinctFrames: ChangedFrame[] = []
  let last: Uint8Array | undefined
  for (const frame of frames) {
    signal.throwIfAborted()
    const tiny = await tinyPicture(frame.filename)
    if (last && areAlike(last, tiny)) {
      await rm(frame.filename, { force: true })
      continue
    }
    distinctFrames.push({
      ...frame,
      change: last === undefined ? Number.POSITIVE_INFINITY : meanDifference(last, tiny),
    })
    last = tiny
  }
  const selection = new Set(chooseByChange(distinctFrames, max))
  for (const frame of distinctFrames) if (!selection.has(frame)) await rm(frame.filename, { force: true })
  return [...selection].map(({ filename, startSeconds }) => ({ filename, startSeconds }))
}

/**
 * Frames with the largest changes, in order: half of them one per equal stretch of the film, so that no part is left
 * out, and the others from anywhere.
 */
export function chooseByChange<Frame extends { startSeconds: number; change: number }>(
  frames: Frame[],
  max: number,
): Frame[] {
  if (frames.length <= max) return frames
  const length = (frames.at(-1)?.startSeconds ?? 0) + 1
  const stretches = Math.ceil(max / 2)
  const stretchOf = ({ startSeconds }: Frame) => Math.floor((startSeconds / length) * stretches)
  const byChange = frames.toSorted((one, other) => other.change - one.change || one.startSeconds - other.startSeconds)
  const ofStretches = [...Map.groupBy(byChange, stretchOf).values()]
  const selection = new Set(ofStretches.flatMap((ofStretch) => ofStretch.slice(0, 1)))
  for (const frame of byChange) {
    if (selection.size >= max) break
    selection.add(frame)
  }
  return frames.filter((frame) => selection.has(frame))
}

/** A picture as 16 × 16 shades of grey. */
async function tinyPicture(source: string | Uint8Array): Promise<Uint8Array> {
  return sharp(source).resize(SIDE, SIDE, { fit: 'fill' }).greyscale().raw().toBuffer()
}

/** True when two tiny pictures show the same. */
function areAlike(one: Uint8Array, other: Uint8Array): boolean {
  for (let at = 0; at < one.length; at++) {
    if (Math.abs((one[at] ?? 0) - (other[at] ?? 0)) > LARGEST_DIFFERENCE) return false
  }
  return meanDifference(one, other) <= MEAN_DIFFERENCE
}

function meanDifference(one: Uint8Array, other: Uint8Array): number {
  return one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length
}

/**
 * Contrast of a picture: deviation of its parts from their average; of two plain pictures the lighter one has slightly
 * more.
 */
export async function contrastOf(filename: string): Promise<number> {
  const tiny = await tinyPicture(filename)
  const mean = tiny.reduce((sum, value) => sum + value, 0) / tiny.length
  const spread = Math.sqrt(tiny.reduce((sum, value) => sum + (value - mean) ** 2, 0) / tiny.length)
  return spread + mean / 255
}
