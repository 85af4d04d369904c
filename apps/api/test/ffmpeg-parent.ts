// Has a program that stands for ffmpeg work without end, and is killed by the test: <ffmpeg> <ffprobe> <setpriv>
import { createFfmpegAv } from '../src/parsers/video/ffmpeg/ffmpeg.ts'

const [ffmpeg = '', ffprobe = '', setpriv] = process.argv.slice(2)
const av = createFfmpegAv({ ffmpeg, ffprobe, version: '7.1', ...(setpriv ? { setpriv } : {}) })
const { signal } = new AbortController()
await av.sound({ filename: '/dev/null', format: 'wav' }, { filename: '/dev/null', signal })
