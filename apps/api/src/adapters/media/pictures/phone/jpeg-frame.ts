import type { FileBytes } from '../../file-bytes.ts'

/** Header data of a JPEG. */
export interface JpegFrame {
  width: number
  height: number
}

/** The codings that are shown (T.81, table B.1); sensors' values come in others, of more bits, without loss. */
const SHOWN_FRAMES = new Set([0xc0, 0xc1, 0xc2])
const ALL_FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])
const MOST_SEGMENTS = 200
const START_OF_SCAN = 0xda

/** The size of a JPEG that lies somewhere in a file; null when there is none that can be shown. */
export async function readJpegFrame(bytes: FileBytes, start: number, length: number): Promise<JpegFrame | null> {
  const end = start + length
  const first = await bytes.read(start, 2)
  if (first.length < 2 || first.readUInt16BE(0) !== 0xffd8) return null
  for (let at = start + 2, segments = 0; at + 4 <= end && segments < MOST_SEGMENTS; segments++) {
    const segment = await bytes.read(at, 10)
    if (segment.length < 10 || segment[0] !== 0xff) return null
    const marker = segment[1] as number
    if (marker === START_OF_SCAN) return null
    if (ALL_FRAMES.has(marker)) {
      const isShown = SHOWN_FRAMES.has(marker) && segment[4] === 8
      const [height, width] = [segment.readUInt16BE(5), segment.readUInt16BE(7)]
      return isShown && width > 0 && height > 0 ? { width, height } : null
    }
    // a marker may be filled up with further bytes of ones
    at += marker === 0xff ? 1 : 2 + segment.readUInt16BE(2)
  }
  return null
}
