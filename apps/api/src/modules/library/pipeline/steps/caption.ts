import { type Sentence, say } from '@mira/shared'
import type { Captioner } from '../../../../engines/other-engines.ts'
import type { Images } from '../../../../parsers/image/picture-reader.ts'
import type { ImageSource } from '../../../../parsers/image/upright-picture.ts'

export interface CaptionsDeps {
  captioner(): Captioner | null
  /** Reason shown to the user when there is no engine; null when there is one. */
  reasonOff(): Sentence | null
  images: Pick<Images, 'shrinkForModel'>
}

/** A caption and what made it. */
export interface MadeCaption {
  /** '' when the engine has nothing to say. */
  text: string
  engine: Captioner['engine']
  model: string
  /** ISO 639-1; not always the one that was asked for. */
  language: string
}

/** Describes pictures in a sentence or two. */
export interface Captions {
  /** Reason shown to the user when nothing can be described; null when it can. */
  reasonOff(): Sentence | null
  /**
   * @param language ISO 639-1 code to write in.
   * @throws EngineError; UnavailableError when there is no engine any more; and as Images does.
   */
  captionPicture(source: ImageSource, options: { language: string; signal: AbortSignal }): Promise<MadeCaption>
}

const NONE = say('nothing_describes', {}, 'Nothing describes pictures here.')

/** Makes it over the engine that describes. */
export function createCaptions({ captioner, reasonOff, images }: CaptionsDeps): Captions {
  return {
    reasonOff: () => (captioner() === null ? (reasonOff() ?? NONE) : null),

    async captionPicture(source, options) {
      const engine = captioner()
      if (engine === null) throw new TypeError('reasonOff says whether pictures can be described')
      const { data, contentType } = await images.shrinkForModel(source, { toleratesDamage: true })
      options.signal.throwIfAborted()
      const { text, model, language = options.language } = await engine.caption({ data, contentType }, options)
      return { text: text.trim(), engine: engine.engine, model, language }
    },
  }
}
