import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type RecordedRequest, sendError, sendJson, type WireError } from './openai-wire.ts'

/** Behaviour of embeddings. */
export interface EmbeddingBehaviour {
  /** By default 128. */
  dimensions?: number
  /** Longer texts are rejected, as by llama.cpp. */
  maxCharacters?: number
  /** Requests with more texts are rejected. */
  maxTexts?: number
  refusesBase64?: boolean
  /** Texts with this word make the request fail, as Ollama does when an embedding is NaN. */
  failsOn?: string
  /** Response data instead of the vectors. */
  data?: unknown
  failure?: WireError | 'hang'
  /** Models that the server doesn't have (any more). */
  missing?: string[]
  /** Dimensions by model; they override `dimensions`. */
  dimensionsOf?: Record<string, number>
}

const DIMENSIONS = 128

/** Words of a line are synonyms, so that tests can search with other words and in other languages. */
const meanings = [
  'car automobile vehicle auto coche voiture wagen autos coches voitures',
  'lighthouse beacon leuchtturm faro phare',
  'dog puppy hund perro chien hunde perros chiens',
  'cat kitten katze gato chat katzen gatos chats',
  'house home haus casa maison',
  'bill invoice rechnung factura facture',
  'money cash geld dinero argent',
  'doctor physician arzt medico medecin',
  'dentist zahnarzt dentista dentiste',
  'appointment meeting termin cita rendezvous besprechung',
  'letter brief carta lettre',
  'tree baum arbol arbre',
  'sea ocean meer mar mer',
  'mountain berg montana montagne hill',
  'birthday geburtstag cumpleanos anniversaire',
  'child kid kind nino enfant children kids kinder',
  'food meal essen comida repas',
  'bicycle bike fahrrad bicicleta velo',
  'train railway zug tren railroad',
  'sunset dusk sonnenuntergang atardecer crepuscule',
  'red rot rojo rouge crimson',
  'blue blau azul bleu navy',
  'green grun verde vert',
  'yellow gelb amarillo jaune',
  'picture photo image bild foto imagen',
]
const meaningOf = new Map(meanings.flatMap((line) => line.split(' ').map((word) => [word, line.split(' ')[0] ?? word])))
const emptyWords = new Set(
  'a an the of in on at to is are was were be it its this that and or for with by from as i you he she we they my your our what where when who which how do does did has have had der die das ein eine und ist im am zu mit von el la los las un una y es en de del con le les des du et est dans query passage search_query search_document mostly'.split(
    ' ',
  ),
)

/** Sends a vector for each text: a bag of words in which synonyms are the same word. */
export async function answerEmbeddings(
  request: RecordedRequest,
  response: ServerResponse,
  behaviour: EmbeddingBehaviour,
): Promise<void> {
  const { maxCharacters, maxTexts, refusesBase64, data, failure, missing, dimensionsOf } = behaviour
  const model = String(request.body.model)
  const dimensions = dimensionsOf?.[model] ?? behaviour.dimensions ?? DIMENSIONS
  if (failure === 'hang') return
  if (failure) return sendError(response, failure)
  if (missing?.includes(model)) return sendError(response, { status: 404, message: `model "${model}" not found` })
  const texts = [request.body.input ?? []].flat().map(String)
  const isBase64 = request.body.encoding_format === 'base64'
  if (isBase64 && refusesBase64) {
    return sendError(response, { status: 400, message: 'encoding_format: only float is supported' })
  }
  if (maxTexts !== undefined && texts.length > maxTexts) {
    const message = `batch size ${texts.length} > maximum allowed batch size ${maxTexts}`
    return sendError(response, { status: 422, message })
  }
  if (behaviour.failsOn !== undefined && texts.some((text) => text.includes(behaviour.failsOn ?? ''))) {
    return sendError(response, { status: 500, message: 'failed to encode response: json: unsupported value: NaN' })
  }
  const longest = Math.max(0, ...texts.map(({ length }) => length))
  if (maxCharacters !== undefined && longest > maxCharacters) {
    const message = `input (${longest} tokens) is too large to process. increase the physical batch size (current batch size: ${maxCharacters})`
    return sendError(response, { status: 500, message })
  }
  const vectors = texts.map((text, index) => {
    const vector = bagOfWords(text, dimensions)
    const bytes = Buffer.from(Float32Array.from(vector).buffer)
    return { object: 'embedding', index, embedding: isBase64 ? bytes.toString('base64') : vector }
  })
  const tokens = texts.join(' ').split(/\s+/).length
  sendJson(response, {
    object: 'list',
    model: request.body.model,
    data: data ?? vectors,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  })
}

function bagOfWords(text: string, dimensions: number): number[] {
  // A text without words has a direction, too.
  const vector = Array.from({ length: dimensions }, (_, axis): number => (axis === 0 ? 0.1 : 0))
  const words =
    text
      .toLowerCase()
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .match(/[\p{L}\p{N}_]+/gu) ?? []
  for (const word of words) {
    if (emptyWords.has(word)) continue
    const singular = word.length > 3 ? word.replace(/s$/, '') : word
    const meaning = meaningOf.get(word) ?? meaningOf.get(singular) ?? singular
    const [high = 0, low = 0, sign = 0] = createHash('sha1').update(meaning).digest()
    const axis = 1 + ((high * 256 + low) % (dimensions - 1))
    vector[axis] = (vector[axis] ?? 0) + (sign % 2 === 0 ? 1 : -1)
  }
  return vector
}
