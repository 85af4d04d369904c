import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { SentSegment, TranscriptionBehaviour } from '../../apps/api/test/openai-transcriptions.ts'
import { scannedPdf, textPdf } from '../../apps/api/test/pdf-files.ts'
import { createVideo, videoFormats } from '../../apps/api/test/videos.ts'
import { writeWav } from '../../apps/api/test/wav-files.ts'
import { textImage } from '../../apps/api/test/written-pictures.ts'
import type { FileToUpload } from './mira-client.ts'
import type { Document } from './retrieval-sets.ts'

const LINE_LENGTH = 85
const FONT_SIZE = 12
/** Sound is recognised by its duration: each thing with speech lasts a second longer than the previous one. */
const SHORTEST_SECONDS = 60
const SAMPLE_RATE = 8000
const SPOKEN_SECONDS = 8

const types: Record<string, string> = {
  ...{ '.txt': 'text/plain', '.pdf': 'application/pdf', '.png': 'image/png', '.jpg': 'image/jpeg' },
  ...{ '.mp4': 'video/mp4', '.mov': 'video/quicktime', '.mp3': 'audio/mpeg', '.m4a': 'audio/mp4' },
}
const languageNames: Record<string, string> = { en: 'english', es: 'spanish', fr: 'french', de: 'german' }

/** File of a thing, as a user would upload it. */
export async function toFile(thing: Document, spokenThings: Document[]): Promise<FileToUpload> {
  const extension = extname(thing.filename)
  return {
    filename: thing.filename,
    type: types[extension] ?? 'text/plain',
    content: await contentOf(thing, spokenThings),
  }
}

async function contentOf(thing: Document, spokenThings: Document[]): Promise<Buffer> {
  const { kind, pages, filename } = thing
  if (kind === 'film') return videoOf(thing, secondsOf(thing, spokenThings))
  if (kind === 'recording') return readFileSync(writeWav([{ seconds: secondsOf(thing, spokenThings) }], SAMPLE_RATE))
  if (kind === 'scan') {
    const pictures = await Promise.all(pages.map((page) => textImage(page.split('\n'))))
    return filename.endsWith('.pdf') ? scannedPdf(pictures) : (pictures[0] ?? Buffer.alloc(0))
  }
  if (!filename.endsWith('.pdf')) return Buffer.from(pages.join('\n\n'))
  return textPdf(pages.map((page) => ({ lines: page.split('\n').flatMap(cutIntoLines), fontSize: FONT_SIZE })))
}

async function videoOf(thing: Document, seconds: number): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'mira-bench-video-'))
  try {
    const { muxer, video, audio, extension } = videoFormats[thing.filename.endsWith('.mov') ? 'mov' : 'mp4']
    const filename = await createVideo({
      filename: join(folder, `video.${extension}`),
      muxer,
      video: {
        ...{ codec: video, width: 160, height: 90, framesPerSecond: 10 },
        scenes: [{ seconds, colour: '#405060' }],
      },
      audio: { codec: audio, seconds, bursts: [{ start: 0, end: seconds, hertz: 440 }] },
    })
    return readFileSync(filename)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function cutIntoLines(paragraph: string): string[] {
  const lines: string[] = []
  for (const word of paragraph.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < LINE_LENGTH) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

const secondsOf = (thing: Document, spokenThings: Document[]) => SHORTEST_SECONDS + spokenThings.indexOf(thing)

/** Transcribes each sound with the speech of its thing. */
export function transcribeSpeech(spokenThings: Document[]): TranscriptionBehaviour {
  const thingOf = (seconds: number) => spokenThings[Math.round(seconds) - SHORTEST_SECONDS]
  return {
    language: ({ seconds }) => languageNames[thingOf(seconds)?.language ?? 'en'] ?? 'english',
    segments: ({ seconds }): SentSegment[] =>
      (thingOf(seconds)?.speech ?? []).map(({ second, text }, index, all) => ({
        ...{ start: second, text },
        end: Math.min(second + SPOKEN_SECONDS, all[index + 1]?.second ?? seconds),
      })),
  }
}
