import type { Ai } from './adapters/ai/ai.ts'
import { createEntrance, type EntranceLimits } from './adapters/files/entrance.ts'
import type { Files } from './adapters/files/files.ts'
import { sniffFile } from './adapters/media/sniff.ts'
import { peaksOf } from './adapters/media/wav.ts'
import type { Drawing } from './context-media.ts'
import { createVoiceService, type VoiceService } from './features/voice/voice.service.ts'

/** A recording of 25 MB is at most 20 MB more while it is written down. */
const LIMITS: EntranceLimits = { perUser: 3, inAll: 16, keptFreeBytes: 200 * 1024 * 1024 }

/** Builds what listens and reads aloud. */
export function buildVoice({ files, ai, drawing }: { files: Files; ai: Ai; drawing: Drawing }): VoiceService {
  return createVoiceService({
    ...{ receive: files.receive, sniffFile, peaksOf, av: drawing.av, useScratch: drawing.useScratch },
    transcriber: ai.transcription,
    speaker: ai.speech,
    reasonOff: (capability) => ai.sentenceOff(capability)?.text ?? null,
    enter: createEntrance({
      freeBytes: () => files.freeBytes(),
      limits: LIMITS,
      words: {
        ofUser: { sentence: `Let at most ${LIMITS.perUser} texts or recordings be worked on at once.`, code: 'busy' },
        inAll: 'Too many people speak right now. Try again in a moment.',
      },
    }),
  })
}
