import sharp, { type OutputInfo, type Sharp } from 'sharp'

/** A picture derived from another one. */
export interface EncodedImage {
  data: Buffer
  contentType: string
  width: number
  height: number
}

/** Reduced pixels of a picture, decoded once for several copies. */
interface SmallPixels {
  data: Buffer
  info: Pick<OutputInfo, 'width' | 'height' | 'channels'>
}

const COPY_LONGEST_SIDE = 1568
const COPY_MAX_BYTES = 1_500_000
export const THUMBNAIL_LONGEST_SIDE = 512
/** Takes half the time of the library's default effort; files become 4 % larger. */
const WEBP_EFFORT = 2
/** Tried in order until the picture is small enough. */
const jpegQualities = [88, 75, 55]

/** Minimum for the shorter side of a very tall or wide picture, as a share of `longestSide`, so that details stay visible. */
const MIN_SHORTER_SIDE = 0.3
/** Pictures reduced to a shorter side of this size are mere lines: they'd show nothing at a greater length either. */
const LINE_PIXELS = 4
/** Bound on the longer side; browsers don't show much longer pictures. */
const MAX_LONGEST_SIDE = 12_000

/** Decodes a picture, reduced to `longestSide`; a very tall or wide one may be longer. */
export async function pixelsOf(picture: Sharp, longestSide: number): Promise<SmallPixels> {
  const { data, info } = await fitInto(picture.clone(), longestSide).raw().toBuffer({ resolveWithObject: true })
  const [shorter, longer] = [info.width, info.height].toSorted((one, other) => one - other) as [number, number]
  const isLong = longer === longestSide && shorter < longestSide * MIN_SHORTER_SIDE && shorter > LINE_PIXELS
  if (!isLong) return { data, info }
  const longest = Math.min(MAX_LONGEST_SIDE, Math.round((longer * longestSide * MIN_SHORTER_SIDE) / shorter))
  return fitInto(picture.clone(), longest).raw().toBuffer({ resolveWithObject: true })
}

/** Picture from already decoded pixels. */
export const asPicture = ({ data, info: { width, height, channels } }: SmallPixels): Sharp =>
  sharp(data, { raw: { width, height, channels } })

/** A JPEG on white for every screen and model, its longest side at most 1568 pixels unless it is very tall or wide. */
export async function copyOf(picture: Sharp): Promise<{ copy: EncodedImage; pixels: SmallPixels }> {
  const pixels = await pixelsOf(picture.flatten({ background: '#ffffff' }), COPY_LONGEST_SIDE)
  const { width, height } = pixels.info
  let data = Buffer.alloc(0)
  for (const quality of jpegQualities) {
    // optimal Huffman codes would save 4 % of the bytes, and take as long as the rest of the encoding
    data = await asPicture(pixels).jpeg({ quality, optimiseCoding: false }).toBuffer()
    if (data.length <= COPY_MAX_BYTES) break
  }
  return { copy: { data, contentType: 'image/jpeg', width, height }, pixels }
}

/** A WebP for lists. */
export async function thumbnailOf({ data, info }: SmallPixels): Promise<EncodedImage> {
  const { width, height } = info
  const encoded = await asPicture({ data, info }).webp({ quality: 78, effort: WEBP_EFFORT }).toBuffer()
  return { data: encoded, contentType: 'image/webp', width, height }
}

function fitInto(picture: Sharp, longestSide: number): Sharp {
  return picture.resize(longestSide, longestSide, { fit: 'inside', withoutEnlargement: true })
}
