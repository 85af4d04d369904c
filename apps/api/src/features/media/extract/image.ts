import { isShownAsCopy } from '@mira/shared'
import type { CameraFacts } from '../../../adapters/media/pictures/exif.ts'
import type { ImageInfo, Images } from '../../../adapters/media/pictures/image.ts'
import { lacking, type NewMoment, type Results, type Step, type Steps, stepUnless } from '../processing.ts'
import type { Captions } from './caption.ts'
import type { Motions } from './motions.ts'
import { momentsOfRead, type Reader } from './read.ts'

export interface ImageStepsDeps {
  results: Results
  images: Pick<Images, 'readImage' | 'shrinkForModel' | 'thumbnail'>
  readCameraFacts(filename: string, format: ImageInfo['format']): Promise<CameraFacts>
  /** A tiny blurred picture of a thumbnail, base64. */
  thumbhashOf(thumbnail: Uint8Array): Promise<string>
  motions: Pick<Motions, 'ofPicture'>
  reader: Reader
  captions: Captions
  /** Makes the texts of an item findable by meaning, and its pictures by how they look. */
  embed: Step
  look: Step
}

/** Their pictures would stop moving. */
const mayMove = new Set<ImageInfo['format']>(['gif', 'webp', 'png', 'avif'])
/** More than a screen shows and a connection loads at once. */
const LARGE_PIXELS = 4_000_000
const LARGE_BYTES = 2_500_000

/** What is done with a picture. */
export function createImageSteps(deps: ImageStepsDeps): Steps['image'] {
  const { results, images, readCameraFacts, thumbhashOf, reader, captions, embed, look } = deps

  const wantsPreview = ({ format, contentType, width, height }: ImageInfo, sizeBytes: number) => {
    if (isShownAsCopy(contentType)) return true
    return (width * height > LARGE_PIXELS || sizeBytes > LARGE_BYTES) && !mayMove.has(format)
  }

  const inspect: Step = async (context) => {
    const { item, filename, progress } = context
    const info = await images.readImage(filename)
    const { takenAt, camera, place, contentIdentifier } = await readCameraFacts(filename, info.format)
    progress(0.2)
    const preview = wantsPreview(info, item.sizeBytes) ? await images.shrinkForModel(filename) : null
    const thumbnail = await images.thumbnail(preview?.data ?? filename)
    progress(0.6)
    const facts = {
      width: info.width,
      height: info.height,
      takenAt,
      camera,
      latitude: place?.latitude ?? null,
      longitude: place?.longitude ?? null,
      thumbhash: await thumbhashOf(thumbnail.data),
      ...(contentIdentifier === null ? {} : { details: { content_identifier: contentIdentifier } }),
    }
    progress(0.7)
    const { findings, note } = await deps.motions.ofPicture({ ...context, format: info.format }, facts)
    const picture = await results.setPicture(item, { thumbnail, preview })
    return { engine: null, model: null, facts, findings: [picture, ...findings], ...(note && { note }) }
  }

  const read: Step = async ({ item, filename, language, signal }) => {
    const { engine, model } = reader
    const found = await reader.readPicture(filename, signal, language)
    const moments = await results.replaceMoments(item, 'text', momentsOfRead(found, { engine, model }))
    return { engine, model, findings: [results.setWords(item, 'picture', 1, found.words), moments] }
  }

  const caption: Step = async ({ item, filename, language, signal }) => {
    const {
      text: body,
      engine,
      model,
      language: written,
    } = await captions.captionPicture(filename, { language, signal })
    const moments: NewMoment[] =
      body === '' ? [] : [{ kind: 'caption', body, language: written, engine, model, confidence: null }]
    return { engine, model, findings: [await results.replaceMoments(item, 'caption', moments)] }
  }

  return {
    inspect,
    read: stepUnless(() => lacking('ocr', reader.reasonOff()), read),
    caption: stepUnless(() => lacking('caption', captions.reasonOff()), caption),
    embed,
    look,
  }
}
