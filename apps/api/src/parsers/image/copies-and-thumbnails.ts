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
/** Half the time of the library's own effort, for files that are 4 % larger. */
const WEBP_EFFORT = 2
/** From good to small: the first whose picture is small enough is taken. */
const jpegQualities = [88, 75, 55]

/** Part of the longest side of others that the shorter side of a very tall or wide picture has, so that it shows something. */
const SHORTER_SIDE = 0.3
/** A line shows nothing, however long it is. */
const MIN_SHOWN = 4
/** Bound on the longer side; browsers don't show much longer pictures. */
const LONGEST_OF_ALL = 12_000

/** Decodes a picture, no larger than is wanted; a very tall or wide one is as long as it has to be. */
export async function pixelsOf(picture: Sharp, longestSide: number): Promise<SmallPixels> {
  const { data, info } = await fitInto(picture.clone(), longestSide).raw().toBuffer({ resolveWithObject: true })
  const [shorter, longer] = [info.width, info.height].toSorted((one, other) => one - other) as [number, number]
  const isLong = longer === longestSide && shorter < longestSide * SHORTER_SIDE && shorter > MIN_SHOWN
  if (!isLong) return { data, info }
  const longest = Math.min(LONGEST_OF_ALL, Math.round((longer * longestSide * SHORTER_SIDE) / shorter))
  return fitInto(picture.clone(), longest).raw().toBuffer({ resolveWithObject: true })
}

/** The same pixels again, to make something of. */
export const asPicture = ({ data, info: { width, height, channels } }: SmallPixels): Sharp =>
  sharp(data, { raw: { width, height, channels } })

/** A JPEG on white for every screen and model, its longest side at most 1568 pixels unless it is very tall or wide. */
export async function copyOf(picture: Sharp): Promise<{ copy: EncodedImage; pixels: SmallPixels }> {
  const pixels = await pixelsOf(picture.flatten({ background: '#ffffff' }), COPY_LONGEST_SIDE)
  const { width, height } = pixels.info
  let data = Buffer.alloc(0)
  for (const quality of jpegQualities) {
    // smaller codes would save 4 % of the bytes, and take as long as all the rest of the encoding
    data = await asPicture(pixels).jpeg({ quality, optimiseCoding: false }).toBuffer()
    if (data.length <= COPY_MAX_BYTES) break
  }
  return { copy: { data, contentType: 'image/jpeg', width, height }, pixels }
}

/** A picture for lists: a WebP. */
export async function thumbnailOf({ data, info }: SmallPixels): Promise<EncodedImage> {
  const { width, height } = info
  const encoded = await asPicture({ data, info }).webp({ quality: 78, effort: WEBP_EFFORT }).toBuffer()
  return { data: encoded, contentType: 'image/webp', width, height }
}

function fitInto(picture: Sharp, longestSide: number): Sharp {
  return picture.resize(longestSide, longestSide, { fit: 'inside', withoutEnlargement: true })
}
