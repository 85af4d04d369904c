import type { PictureProcesses } from '../../../../parsers/image/picture-processes.ts'
import { say } from '../../../../sentences.ts'
import type { Results } from '../results.ts'
import { missingCapabilityReason, type NewMoment, type Step, type Steps, stepUnless } from '../step.ts'
import { takenFacts } from './av-facts.ts'
import type { Captions } from './caption.ts'
import type { EmbedSteps } from './embed.ts'
import type { Motions } from './motions.ts'
import { momentsOfRead, type Reader } from './read.ts'

interface ImageStepsDeps {
  results: Results
  pictures: PictureProcesses
  motions: Motions
  reader: Reader
  captions: Captions
  embedSteps: EmbedSteps
}

const PARTLY_SHOWN = say('picture_partly_shown', {})

/** Steps for a picture. */
export function createImageSteps(deps: ImageStepsDeps): Steps['image'] {
  const { results, pictures, motions, reader, captions, embedSteps } = deps

  const inspect: Step = async (context) => {
    const { item, filename, progress } = context
    const {
      info,
      camera: cameraFacts,
      thumbnail,
      preview,
      thumbhash,
      motionStart,
      isDamaged,
    } = await pictures.readNewPicture(filename, item.sizeBytes)
    progress(0.6)
    const { camera, place, words, contentIdentifier } = cameraFacts
    const takenResult = takenFacts(cameraFacts.takenTime, item.originalFilename, place)
    const facts = {
      width: info.width,
      height: info.height,
      takenAt: takenResult.takenAt,
      takenLocal: takenResult.takenLocal,
      camera,
      latitude: place?.latitude ?? null,
      longitude: place?.longitude ?? null,
      thumbhash,
      details: {
        ...words,
        ...takenResult.details,
        ...(contentIdentifier === null ? {} : { content_identifier: contentIdentifier }),
      },
    }
    const { findings, note = isDamaged ? PARTLY_SHOWN : undefined } = await motions.ofPicture(
      context,
      facts,
      motionStart,
    )
    const picture = await results.setPicture(item, { thumbnail, preview })
    return { engine: null, model: null, facts, findings: [picture, ...findings], ...(note && { note }) }
  }

  const read: Step = async ({ item, filename, language, signal }) => {
    const { engine, model } = reader
    const readText = await reader.readPicture(filename, signal, language)
    const moments = await results.replaceMoments(item, 'text', momentsOfRead(readText, { engine, model }))
    return { engine, model, findings: [results.setWords(item, 'picture', 1, readText.words), moments] }
  }

  const caption: Step = async ({ item, filename, language, signal }) => {
    const {
      text: body,
      engine,
      model,
      language: textLanguage,
    } = await captions.captionPicture(filename, { language, signal })
    const moments: NewMoment[] =
      body === '' ? [] : [{ kind: 'caption', body, language: textLanguage, engine, model, confidence: null }]
    return { engine, model, findings: [await results.replaceMoments(item, 'caption', moments)] }
  }

  return {
    inspect,
    read: stepUnless(() => missingCapabilityReason('ocr', reader.reasonOff()), read),
    caption: stepUnless(() => missingCapabilityReason('caption', captions.reasonOff()), caption),
    ...embedSteps,
  }
}
