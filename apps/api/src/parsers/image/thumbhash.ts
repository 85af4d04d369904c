import sharp, { type Sharp } from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'

/** The library takes no larger picture. */
const LONGEST_SIDE = 100

/**
 * A tiny blurred picture of a picture, base64 of some 25 bytes, to be shown until the picture has come.
 * @param picture a thumbnail, or its bytes, that sharp can decode.
 */
export async function thumbhashOf(picture: Uint8Array | Sharp): Promise<string> {
  const { data, info } = await (picture instanceof Uint8Array ? sharp(picture) : picture)
    .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
    .ensureAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64')
}
