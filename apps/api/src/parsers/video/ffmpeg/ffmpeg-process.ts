// A process that takes films and recordings apart with the ffmpeg of this machine, which it starts in its own cage.
import { serveAv } from '../serve-av.ts'
import { createFfmpegAv } from './ffmpeg.ts'
import type { FfmpegPrograms } from './ffmpeg-programs.ts'

serveAv(createFfmpegAv(JSON.parse(process.env.FFMPEG_PROGRAMS ?? '{}') as FfmpegPrograms))
