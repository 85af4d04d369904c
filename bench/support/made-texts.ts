// Synthetic words and vectors like those of a real library: few words make up most of a text, and vectors cluster around centres.

export const DIMENSIONS = 384
const CLUSTERS = 400
const WORDS = 20_000

let seed = 1

/** Pseudo-random number; the sequence is the same in every run. */
export function random(): number {
  seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296
  return seed / 4_294_967_296
}
const syllables =
  'ba be bi bo bu da de di do du fa fe fi fo ga ge go ka ke ki ko la le li lo ma me mi mo na ne ni no ra re ri ro sa se si so ta te ti to va ve vi vo'.split(
    ' ',
  )
const vocabulary = Array.from({ length: WORDS }, (_, index) => {
  let word = ''
  for (let rest = index + 1; rest > 0 || word.length < 6; rest = Math.floor(rest / syllables.length)) {
    word += syllables[rest % syllables.length]
  }
  return `${word}${'nrstl'[index % 5]}`
})
/** Few words make up most of a text, as in any language. */
export const wordAt = (share: number) => vocabulary[Math.floor(WORDS ** share) - 1] ?? 'word'
const centres = Array.from({ length: CLUSTERS }, () => unit(Array.from({ length: DIMENSIONS }, gauss)))
export const randomCentre = (): number[] => centres[Math.floor(random() * CLUSTERS)] ?? []

function gauss(): number {
  return Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random())
}
function unit(vector: number[]): number[] {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}
/** Random vector near a centre. */
export const near = (centre: number[]) => unit(centre.map((value) => value + (0.8 * gauss()) / Math.sqrt(DIMENSIONS)))
