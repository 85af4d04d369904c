import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Capability } from '@mira/shared'
import sharp from 'sharp'
import { EngineError, UnavailableError } from '../../errors.ts'
import type { UseScratch } from '../files/scratch.ts'
import type { Ocr } from '../media/ocr.ts'
import type { Ai } from './ai.ts'
import type { ChatEngine } from './engine.ts'
import { drawShape, drawWords, makeTone } from './trial-material.ts'

/** What came of doing a thing once: `ok` is false when it worked but the result cannot be right. */
export interface Tried {
  ok: boolean
  /** For a person. */
  detail: string
  engine: string
  model: string | null
}

/** Does what a capability is for, once, with the engine that is in use. @throws AppError, or what aborted the signal. */
export type Trial = (signal: AbortSignal) => Promise<Tried>

const LONGEST_QUOTE = 200
const TONE_SECONDS = 2
const RED: [number, number, number] = [216, 30, 30]
const BLUE: [number, number, number] = [30, 79, 216]
const QUESTION = 'Answer with one short sentence: are you there?'
const [SAID, ALIKE, OTHER] = [
  'A dog runs along the beach.',
  'A puppy plays by the sea.',
  'The invoice is due on Friday.',
]

/** Makes the trials of all capabilities; pictures and sounds for them are made on the spot. */
export function createTrials({
  ai,
  ocr,
  useScratch,
}: {
  ai: Ai
  ocr: Ocr
  useScratch: UseScratch
}): Record<Capability, Trial> {
  const need = <Engine>(engine: Engine | null, capability: Capability): Engine => {
    const reason = ai.reasonOff(capability)
    if (engine !== null && reason === null) return engine
    throw new UnavailableError(reason ?? 'No engine for this is connected.')
  }

  return {
    async chat(signal) {
      const { text, model, engine } = await ask(ai.chat(), QUESTION, [], signal)
      return { ok: true, detail: `It was asked “${QUESTION}” and answered: ${quote(text)}`, engine, model }
    },

    async vision(signal) {
      const seeing = need(ai.vision(), 'vision')
      const picture = await drawShape('disc', RED)
      const images = [`data:image/png;base64,${picture.toString('base64')}`]
      const question = 'Which colour is the disc in this picture? Answer with one word.'
      const { text, model, engine } = await ask(seeing, question, images, signal)
      const ok = /\bred\b|crimson|scarlet/i.test(text)
      const doubt = ok ? '' : ' That is not its colour: this model may not see pictures.'
      return {
        ok,
        detail: `It was shown a red disc, asked for its colour, and answered: ${quote(text)}${doubt}`,
        engine,
        model,
      }
    },

    async caption(signal) {
      const captioner = need(ai.caption(), 'caption')
      const picture = { data: await drawShape('disc', RED), contentType: 'image/png' }
      const { text, model } = await captioner.caption(picture, { language: 'en', signal })
      return { ok: true, detail: `It described a red disc on white: ${quote(text)}`, engine: captioner.engine, model }
    },

    async embedding(signal) {
      const embedder = need(ai.embedding(), 'embedding')
      const { vectors, model, dimensions } = await embedder.embed([SAID, ALIKE, OTHER], 'passage', signal)
      const [near, far] = [cosine(vectors[0], vectors[1]), cosine(vectors[0], vectors[2])]
      const ok = near > far
      const found = ok ? 'is nearer to' : 'should be nearer to, and is not,'
      const detail = `“${SAID}” ${found} “${ALIKE}” (${near.toFixed(2)}) than to “${OTHER}” (${far.toFixed(2)}). Each text became ${dimensions} numbers.`
      return { ok, detail, engine: embedder.engine, model }
    },

    async image_embedding(signal) {
      const embedder = need(ai.imageEmbedding(), 'image_embedding')
      const pictures = await Promise.all([drawShape('disc', RED), drawShape('square', BLUE)])
      const made = await embedder.embedPictures(pictures, signal)
      const [words] = (await embedder.embedTexts(['a red circle'], signal)).vectors
      const [near, far] = [cosine(words, made.vectors[0]), cosine(words, made.vectors[1])]
      const ok = near > far
      const found = ok ? 'is nearer to' : 'should be nearer to, and is not,'
      const detail = `“a red circle” ${found} a picture of a red disc (${near.toFixed(2)}) than to one of a blue square (${far.toFixed(2)}).`
      return { ok, detail, engine: embedder.engine, model: made.model }
    },

    async ocr(signal) {
      const off = ai.reasonOff('ocr')
      if (off !== null) throw new UnavailableError(off)
      return useScratch(async (folder) => {
        const filename = join(folder, 'words.png')
        await writeFile(filename, await drawWords('HELLO MIRA'))
        const { text } = await ocr.read(filename, { languages: ['en'], signal })
        const ok = /hello\s+mira/i.test(text)
        const detail = `A picture of the words “HELLO MIRA” was read as: ${quote(text)}`
        return { ok, detail, engine: ocr.engine, model: ocr.model }
      })
    },

    async transcription(signal) {
      const transcriber = need(ai.transcription(), 'transcription')
      return useScratch(async (folder) => {
        const filename = join(folder, 'tone.wav')
        await writeFile(filename, makeTone(TONE_SECONDS))
        const options = { durationSeconds: TONE_SECONDS, language: 'en', signal }
        const { segments, model } = await transcriber.transcribe(filename, options)
        const text = segments.map((segment) => segment.text.trim()).join(' ')
        const heard =
          text === '' ? 'heard no words in it, which is right' : `heard: ${quote(text)} (a tone has no words)`
        return {
          ok: true,
          detail: `It listened to ${TONE_SECONDS} seconds of a tone and ${heard}.`,
          engine: transcriber.engine,
          model,
        }
      })
    },

    async speech(signal) {
      const speaker = need(ai.speech(), 'speech')
      const { sound, contentType, model } = await speaker.speak(SAID, { signal })
      let bytes = 0
      for await (const piece of sound) bytes += piece.length
      const detail = `It read “${SAID}” aloud: ${bytes} bytes of ${contentType}.`
      return { ok: bytes > 0, detail, engine: speaker.engine, model }
    },

    async image_edit(signal) {
      const editor = need(ai.imageEditing(), 'image_edit')
      const edited = await editor.edit(await drawShape('disc', RED), 'Make the disc blue.', signal)
      const { width, height } = await sharp(edited.picture).metadata()
      const detail = `It was given a red disc to be made blue, and gave back a picture of ${width} × ${height} pixels.`
      return { ok: true, detail, engine: editor.engine, model: edited.model }
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
      timeZone: 'UTC',
      assistantName: 'Mira',
      recall: async () => [],
      passages: null,
      tools: [],
      toolFor: () => null,
      callTool: async () => ({ isError: true, text: 'There are no tools.' }),
    },
    signal,
  )
  for await (const event of events) {
    if (event.type === 'text') text += event.text
    if (event.type === 'end') model = event.model
  }
  signal.throwIfAborted()
  if (text.trim() === '') throw new EngineError('The model answered with nothing.')
  return { text, model, engine: engine.name }
}

function quote(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return `“${line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE - 1).toWellFormed()}…` : line}”`
}

/** Of vectors of length 1. */
function cosine(one: number[] = [], other: number[] = []): number {
  return one.reduce((sum, number, at) => sum + number * (other[at] ?? 0), 0)
}
