import sharp from 'sharp'

/** Creates the server's copies of a photo: a thumbnail and, from 4 megapixels on, a preview. */
export async function makeSmallPictures(filename: string): Promise<Buffer[]> {
  const inside = { fit: 'inside', withoutEnlargement: true } as const
  const picture = () => sharp(filename, { sequentialRead: true }).autoOrient()
  const { width, height } = await sharp(filename).metadata()
  const copy =
    width * height > 4_000_000
      ? await picture().resize(1568, 1568, inside).jpeg({ quality: 88, optimiseCoding: false }).toBuffer()
      : null
  const source = copy === null ? picture() : sharp(copy)
  const thumbnail = await source.resize(512, 512, inside).webp({ quality: 78, effort: 2 }).toBuffer()
  return copy === null ? [thumbnail] : [thumbnail, copy]
}
