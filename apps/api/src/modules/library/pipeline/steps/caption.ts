import type { Ai } from '../../../../engines/ai.ts'
import type { Captioner } from '../../../../engines/engine-types.ts'
import type { Images } from '../../../../parsers/image/picture-reader.ts'
import type { ImageSource } from '../../../../parsers/image/upright-picture.ts'
import { type Sentence, say } from '../../../../sentences.ts'

/** A caption with its engine. */
interface PictureCaption {
  /** '' when the engine returns none. */
  text: string
  engine: Captioner['engine']
  model: string
  /** ISO 639-1; may differ from the requested one. */
  language: string
}

export type Captions = ReturnType<typeof createCaptions>

const NO_CAPTIONER = say('nothing_describes', {})

/** Captions pictures in a sentence or two. */
export function createCaptions({ ai, images }: { ai: Ai; images: Images }) {
  return {
    /** Reason shown to the user when nothing can be described; null when it can. */
    reasonOff: (): Sentence | null => (ai.caption() === null ? (ai.reasonOff('caption') ?? NO_CAPTIONER) : null),

    /**
     * @param language ISO 639-1 code to write in.
     * @throws EngineError; UnavailableError when the engine is gone; and the errors of `images.shrinkForModel`.
     */
    async captionPicture(
      source: ImageSource,
      options: { language: string; signal: AbortSignal },
    ): Promise<PictureCaption> {
      const engine = ai.caption()
      if (engine === null) throw new TypeError('call reasonOff first: no engine can caption pictures')
      const { data, contentType } = await images.shrinkForModel(source, { toleratesDamage: true })
      options.signal.throwIfAborted()
      const { text, model, language = options.language } = await engine.caption({ data, contentType }, options)
      return { text: text.trim(), engine: engine.engine, model, language }
    },
  }
}
