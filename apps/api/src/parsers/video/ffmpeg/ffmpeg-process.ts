// Process that reads videos and recordings with the installed ffmpeg, which it starts inside its own sandbox.
import { serveAv } from '../serve-av.ts'
import { createFfmpegAv } from './ffmpeg.ts'
import type { FfmpegPrograms } from './ffmpeg-programs.ts'

serveAv(createFfmpegAv(JSON.parse(process.env.FFMPEG_PROGRAMS ?? '{}') as FfmpegPrograms))
