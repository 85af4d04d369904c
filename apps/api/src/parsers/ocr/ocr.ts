import type { Check, ReadWord } from '@mira/shared'

/** Tesseract's codes of the languages whose data is installed. */
export const codeByLanguage = { en: 'eng', es: 'spa', fr: 'fra', de: 'deu' } as const

/** Longest side of the picture in which text is detected: letters a thirtieth of an inch high in a photo of a page are still found. */
export const DETECTION_SIDE = 1_280
/** Longest side of the picture that is read: more pixels cost time and reveal no more of the text. */
export const READABLE_LONGEST_SIDE = 2_800

/** Text of a picture. */
export interface ReadText {
  /** Lines, with an empty line between paragraphs; '' for no text. */
  text: string
  words: ReadWord[]
  /** 0 to 1; null when nothing was read. */
  confidence: number | null
  /** ISO 639-1 code of the text; null when unsure. */
  language: string | null
}

/** Reads text in pictures in a separate process, bounded in memory and time. */
export interface Ocr {
  engine: 'built-in'
  /** Model of the last reading. */
  readonly model: string
  /**
   * Reads a picture that sharp can decode (never an SVG), upright.
   * @param languages ISO 639-1 codes to expect; all four when empty.
   * @throws ValidationError when it can't be decoded or takes too long; UnavailableError when the process can't work.
   */
  read(filename: string, options: { languages?: string[]; signal: AbortSignal }): Promise<ReadText>
  check(): Check
  close(): Promise<void>
}
