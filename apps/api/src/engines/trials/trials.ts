import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Capability, CodedSentence } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { EngineError, UnavailableError } from '../../errors.ts'
import type { Ocr } from '../../parsers/ocr/ocr.ts'
import type { WithTempFolder } from '../../platform/storage/scratch.ts'
import { type Sentence, say, sayAll } from '../../sentences.ts'
import type { Ai } from '../ai.ts'
import { emptyContext } from '../chat/write-text.ts'
import type { ChatEngine } from '../chat-engine.ts'
import { drawShape, drawWords, makeTone } from './trial-material.ts'

/** Result of a trial; `ok` is false for an implausible result. */
interface TrialResult {
  ok: boolean
  /** Sentence for the user. */
  detail: string
  /** `detail` as codes with parameters, for translation. */
  told: CodedSentence[]
  engine: string
  model: string | null
}

/** Tries a capability once with the current engine. @throws AppError; the signal's reason. */
export type Trial = (signal: AbortSignal) => Promise<TrialResult>

const MAX_QUOTE_CHARACTERS = 200
const TONE_SECONDS = 2
const RED: [number, number, number] = [216, 30, 30]
const BLUE: [number, number, number] = [30, 79, 216]
const CHAT_QUESTION = 'Answer with one short sentence: are you there?'
const [SENTENCE, SIMILAR_SENTENCE, UNRELATED_SENTENCE] = [
  'A dog runs along the beach.',
  'A puppy plays by the sea.',
  'The invoice is due on Friday.',
]

const SEARCH_QUESTION = 'When do I have to pay the invoice?'

/** Trials of all capabilities, with generated pictures and sounds. */
export function createTrials({
  ai,
  ocr,
  withTempFolder,
}: {
  ai: Ai
  ocr: Ocr
  withTempFolder: WithTempFolder
}): Record<Capability, Trial> {
  const requireEngine = <Engine>(engine: Engine | null, capability: Capability): Engine => {
    const reasonOff = ai.currentReasonOff(capability)
    if (engine !== null && reasonOff === null) return engine
    throw new UnavailableError(reasonOff ?? say('no_engine', {}))
  }

  return {
    async chat(signal) {
      const { text, model, engine } = await ask(ai.chat(), CHAT_QUESTION, [], signal)
      const answer = quote(text)
      const sentence = say('trial_chat', { question: CHAT_QUESTION, answer })
      return { ok: true, ...asDetail(sentence), engine, model }
    },

    async vision(signal) {
      const visionEngine = requireEngine(ai.vision(), 'vision')
      const picture = await drawShape('disc', RED)
      const images = [`data:image/png;base64,${picture.toString('base64')}`]
      const question = 'Which colour is the disc in this picture? Answer with one word.'
      const { text, model, engine } = await ask(visionEngine, question, images, signal)
      const ok = /\bred\b|crimson|scarlet/i.test(text)
      const answer = quote(text)
      const sentence = say('trial_vision', { answer })
      const doubt = say('trial_vision_doubt', {})
      return { ok, ...asDetail(ok ? sentence : sayAll(sentence, doubt)), engine, model }
    },

    async caption(signal) {
      const captioner = requireEngine(ai.caption(), 'caption')
      const picture = { data: await drawShape('disc', RED), contentType: 'image/png' }
      const { text, model } = await captioner.caption(picture, { language: 'en', signal })
      const answer = quote(text)
      const sentence = say('trial_caption', { answer })
      return { ok: true, ...asDetail(sentence), engine: captioner.engine, model }
    },

    async embedding(signal) {
      const embedder = requireEngine(ai.embedding(), 'embedding')
      const { vectors, model, dimensions } = await embedder.embed(
        [SENTENCE, SIMILAR_SENTENCE, UNRELATED_SENTENCE],
        'passage',
        signal,
      )
      const [near, far] = [cosine(vectors[0], vectors[1]), cosine(vectors[0], vectors[2])]
      const ok = near > far
      const compared = say('trial_embedding', {
        fits: yesNo(ok),
        one: SENTENCE,
        alike: SIMILAR_SENTENCE,
        other: UNRELATED_SENTENCE,
        near: hundredths(near),
        far: hundredths(far),
      })
      const size = say('trial_dimensions', { count: dimensions })
      return { ok, ...asDetail(sayAll(compared, size)), engine: embedder.engine, model }
    },

    async rerank(signal) {
      const reranker = requireEngine(ai.reranking(), 'rerank')
      const { scores, model } = await reranker.rerank(SEARCH_QUESTION, [SENTENCE, UNRELATED_SENTENCE], signal)
      const ok = (scores[1] ?? 0) > (scores[0] ?? 0)
      const order = say('trial_rerank', {
        fits: yesNo(ok),
        question: SEARCH_QUESTION,
        answering: UNRELATED_SENTENCE,
        other: SENTENCE,
      })
      return { ok, ...asDetail(order), engine: reranker.engine, model }
    },

    async image_embedding(signal) {
      const embedder = requireEngine(ai.imageEmbedding(), 'image_embedding')
      const pictures = await Promise.all([drawShape('disc', RED), drawShape('square', BLUE)])
      const embedding = await embedder.embedPictures(pictures, signal)
      const [words] = (await embedder.embedTexts(['a red circle'], signal)).vectors
      const [near, far] = [cosine(words, embedding.vectors[0]), cosine(words, embedding.vectors[1])]
      const ok = near > far
      const compared = say('trial_image_embedding', { fits: yesNo(ok), near: hundredths(near), far: hundredths(far) })
      return { ok, ...asDetail(compared), engine: embedder.engine, model: embedding.model }
    },

    async ocr(signal) {
      const reasonOff = ai.currentReasonOff('ocr')
      if (reasonOff !== null) throw new UnavailableError(reasonOff)
      return withTempFolder(async (folder) => {
        const filename = join(folder, 'words.png')
        await writeFile(filename, await drawWords('HELLO MIRA'))
        const { text } = await ocr.read(filename, { languages: ['en'], signal })
        const ok = /hello\s+mira/i.test(text)
        const answer = quote(text)
        const sentence = say('trial_ocr', { answer })
        return { ok, ...asDetail(sentence), engine: ocr.engine, model: ocr.model }
      })
    },

    async transcription(signal) {
      const transcriber = requireEngine(ai.transcription(), 'transcription')
      return withTempFolder(async (folder) => {
        const filename = join(folder, 'tone.wav')
        await writeFile(filename, makeTone(TONE_SECONDS))
        const options = { durationSeconds: TONE_SECONDS, language: 'en', signal }
        const { segments, model } = await transcriber.transcribe(filename, options)
        const text = segments.map((segment) => segment.text.trim()).join(' ')
        const length = { seconds: TONE_SECONDS }
        const answer = quote(text)
        const sentence = text === '' ? say('trial_silence', length) : say('trial_heard', { ...length, answer })
        return { ok: true, ...asDetail(sentence), engine: transcriber.engine, model }
      })
    },

    async speech(signal) {
      const speaker = requireEngine(ai.speech(), 'speech')
      const { sound, contentType, model } = await speaker.speak(SENTENCE, { signal })
      let bytes = 0
      for await (const piece of sound) bytes += piece.length
      const sentence = say('trial_speech', { sentence: SENTENCE, bytes, type: contentType })
      return { ok: bytes > 0, ...asDetail(sentence), engine: speaker.engine, model }
    },

    async image_edit(signal) {
      const editor = requireEngine(ai.imageEditing(), 'image_edit')
      const edited = await editor.edit(await drawShape('disc', RED), 'Make the disc blue.', signal)
      const { default: sharp } = await import('sharp')
      const { width, height } = await sharp(edited.picture).metadata()
      const sentence = say('trial_image_edit', { width, height })
      return { ok: true, ...asDetail(sentence), engine: editor.engine, model: edited.model }
    },
  }
}

async function ask(engine: ChatEngine, content: string, images: string[], signal: AbortSignal) {
  let text = ''
  let model = engine.model()
  const events = engine.answer(
    {
      instructions: 'You are being tested. Answer as shortly as you can.',
      turns: [{ role: 'user', content, images }],
      language: 'en',
      ...emptyContext,
    },
    signal,
  )
  for await (const event of events) {
    if (event.type === 'text') text += event.text
    if (event.type === 'rethink') text = ''
    if (event.type === 'end') model = event.model
  }
  signal.throwIfAborted()
  if (text.trim() === '') {
    throw new EngineError(say('trial_empty', {}))
  }
  return { text, model, engine: engine.name }
}

const asDetail = ({ text, sentences }: Sentence) => ({ detail: text, told: sentences })
const yesNo = (ok: boolean) => (ok ? 'yes' : 'no')
const hundredths = (share: number) => Math.round(share * 100) / 100

function quote(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return `“${line.length > MAX_QUOTE_CHARACTERS ? `${cutText(line, MAX_QUOTE_CHARACTERS - 1).toWellFormed()}…` : line}”`
}

/** Cosine of two vectors, which must have the length 1. */
function cosine(one: number[] = [], other: number[] = []): number {
  return one.reduce((sum, number, index) => sum + number * (other[index] ?? 0), 0)
}
