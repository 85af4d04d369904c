import type { ColourPicture } from '../image/readable-pixels.ts'
import type { TextModels } from './text-models.ts'

/** A character of a line; spaces count. */
export interface LineLetter {
  text: string
  /** Centre as a fraction of the line's length. */
  centre: number
  /** 0 to 100. */
  confidence: number
}

/** Input height of the recogniser, in pixels. */
export const LINE_HEIGHT = 48
/** Width that longer lines are squeezed to, in pixels. */
export const MAX_LINE_WIDTH = 2_000
/** Pixels per step of the network. */
const STEP = 8
/** Characters that are read: the recogniser was trained on Chinese, too. */
const LATIN = /^[\p{Script=Latin}\p{N}\p{P}\p{S} ]$/u

/** True for each character of a model that is read; computed once per model. */
const isReadByCharacters = new WeakMap<string[], boolean[]>()

/** PaddleOCR's reading of a line: robust on any background, but it knows few accented letters. */
export async function recogniseLine(models: TextModels, strip: ColourPicture): Promise<LineLetter[]> {
  const width = Math.ceil(strip.width / STEP) * STEP
  const area = width * LINE_HEIGHT
  const input = new Float32Array(3 * area)
  for (let row = 0; row < LINE_HEIGHT; row++) {
    for (let column = 0; column < strip.width; column++) {
      const from = (row * strip.width + column) * 3
      const to = row * width + column
      for (let channel = 0; channel < 3; channel++) {
        input[to + channel * area] = (strip.data[from + 2 - channel] as number) / 127.5 - 1
      }
    }
  }
  const { data, dims } = await models.recognise(input, [1, 3, LINE_HEIGHT, width])
  const [, steps = 0, classes = 0] = dims
  return decode(models.characters, { data, steps, classes }, strip.width / STEP)
}

/** Mean confidence, 0 to 100; 0 when there are no letters. */
export function meanConfidence(letters: LineLetter[]): number {
  return letters.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, letters.length)
}

/** Greedy CTC decoding: the most likely character of each step, without repetitions. */
function decode(
  characters: string[],
  { data, steps, classes }: { data: Float32Array; steps: number; classes: number },
  length: number,
): LineLetter[] {
  let isRead = isReadByCharacters.get(characters)
  if (isRead === undefined) {
    isRead = characters.map((character, index) => index === 0 || LATIN.test(character))
    isReadByCharacters.set(characters, isRead)
  }
  const letters: LineLetter[] = []
  let before = 0
  for (let step = 0; step < steps; step++) {
    let best = 0
    for (let index = 1; index < classes; index++) {
      if (isRead[index] && (data[step * classes + index] as number) > (data[step * classes + best] as number))
        best = index
    }
    if (best !== 0 && best !== before) {
      const confidence = 100 * (data[step * classes + best] as number)
      // some characters are full-width
      const text = (characters[best] as string).normalize('NFKC')
      letters.push({ text, centre: Math.min(1, (step + 0.5) / length), confidence })
    }
    before = best
  }
  return letters
}
