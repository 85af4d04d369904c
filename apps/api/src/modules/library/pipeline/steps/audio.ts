import { join } from 'node:path'
import { AppError, ValidationError } from '../../../../errors.ts'
import { packPeaks, peaksOf } from '../../../../parsers/audio/wav.ts'
import type { PictureProcesses } from '../../../../parsers/image/picture-processes.ts'
import { say } from '../../../../sentences.ts'
import type { Step, StepContext, Steps } from '../step.ts'
import { factsOfAv } from './av-facts.ts'
import type { EmbedSteps } from './embed.ts'
import { createSoundSteps, type SoundStepsDeps } from './sound-steps.ts'
import { chapterMoments } from './written-words.ts'

export interface AudioStepsDeps extends SoundStepsDeps {
  pictures: PictureProcesses
  embedSteps: EmbedSteps
}

const WAVEFORM_STRETCHES = 600
const COVER_UNSHOWN = say('cover_unshown', {})

/** Steps for a recording. */
export function createAudioSteps(deps: AudioStepsDeps): Steps['audio'] {
  const { results, av, pictures, embedSteps } = deps
  const { transcribe, playback } = createSoundSteps(deps)

  /** Stores the cover picture as thumbnail. @returns a note when it can't be shown. */
  const showCover = async ({ item, filename, format, scratch, signal }: StepContext) => {
    const picture = join(scratch, 'cover')
    try {
      if (!(await av.cover({ filename, format }, { filename: picture, signal }))) return undefined
      const thumbnail = await pictures.images.thumbnail(picture)
      const thumbhash = await pictures.thumbhashOf(thumbnail.data)
      const copy = await results.setCopy(item, 'thumbnail', { ...thumbnail, content: thumbnail.data })
      await results.store(item, [copy, results.describe(item, { thumbhash })])
      return undefined
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return COVER_UNSHOWN
      throw error
    }
  }

  const inspect: Step = async (context) => {
    const { item, filename, format, scratch, signal, progress } = context
    const file = { filename, format }
    const info = await av.probe(file, signal)
    if (info.audio === null) {
      const silent = say('stream_missing', { kind: 'audio' })
      throw new ValidationError(silent, { code: 'damaged_media' })
    }
    progress(0.1)
    const facts = factsOfAv(info, format, item.originalFilename)
    const chapters = await results.replaceMoments(item, 'text', chapterMoments(info))
    await results.store(item, [results.describe(item, facts), chapters])
    const note = info.hasCover ? await showCover(context) : undefined
    progress(0.2)
    const wav = join(scratch, 'sound.wav')
    const seconds = await av.sound(file, { filename: wav, signal })
    progress(0.9)
    const peaks = seconds === 0 ? [] : await peaksOf(wav, WAVEFORM_STRETCHES, signal)
    const durationSeconds = info.durationSeconds ?? (seconds || null)
    const details = { ...facts.details, waveform: packPeaks(peaks) }
    return { engine: null, model: null, facts: { ...facts, durationSeconds, details }, ...(note ? { note } : {}) }
  }

  return { inspect, transcribe, embed: embedSteps.embed, playback }
}
