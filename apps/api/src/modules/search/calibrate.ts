import type { NearRow } from '../../platform/database/vector.ts'
import { weights } from './weights.ts'

/**
 * Questions about nothing in particular, and two that mean nothing: how near a text lies to these is how near it lies to
 * just any question. Some models put everything at 0.8, others at 0.1, and every model puts some texts nearer than
 * others.
 */
export const probeTexts = [
  'qwxz blorf vunkle',
  'asdf jklö 123 %%%',
  'How long does it take to boil an egg?',
  'the history of railways in Japan',
  'precio del billete de avión a Nueva York',
  'comment changer la roue d’un vélo',
  'Wettervorhersage für das nächste Wochenende',
  'neural network training on a graphics card',
]
/** The same for pictures. */
export const pictureProbeTexts = [
  'qwxz blorf vunkle',
  'a photo',
  'something',
  'a blurry picture of nothing in particular',
  'a screenshot of a computer program',
  'a pattern of colours',
  'an object on a white background',
  'a person doing something',
]

/** Probes that a text happens to be about. */
const LEFT_OUT = 2
/** Smallest deviation: when all questions are equally near, tiny differences would seem large. */
const MIN_DEVIATION = 0.02

/**
 * Probability that each row is the one that was meant, 0 to 1.
 *
 * z = (cosine with the question - mean cosine with the probes) / deviation, the mean being the row's own (without the
 * two nearest probes, which it may happen to be about) and the deviation that of all rows; p = (z - 3.5) / 4.5, from 0
 * to 0.97. So no model needs thresholds of its own, and a row that is near everything matches nothing.
 */
export function calibrate(rows: NearRow[]): number[] {
  const { chance, certain, maxByMeaning } = weights.certainty
  const judged = rows.map(({ cosine, probeCosines }) => {
    const probes = probeCosines.toSorted((a, b) => a - b).slice(0, Math.max(1, probeCosines.length - LEFT_OUT))
    const mean = probes.reduce((sum, probe) => sum + probe, 0) / probes.length
    const squares = probes.reduce((sum, probe) => sum + (probe - mean) ** 2, 0)
    return { above: cosine - mean, squares, count: probes.length }
  })
  const count = judged.reduce((sum, one) => sum + one.count, 0)
  const variance = judged.reduce((sum, one) => sum + one.squares, 0) / Math.max(1, count)
  const deviation = Math.max(Math.sqrt(variance), MIN_DEVIATION)
  return judged.map(({ above }) => {
    const share = (above / deviation - chance) / (certain - chance)
    return Math.min(maxByMeaning, Math.max(0, share))
  })
}
