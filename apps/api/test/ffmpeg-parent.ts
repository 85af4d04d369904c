// Runs a stand-in for ffmpeg that never ends, until the test kills this process: <ffmpeg> <ffprobe> [<setpriv>]
import { createFfmpegAv } from '../src/parsers/video/ffmpeg/ffmpeg.ts'

const [ffmpeg = '', ffprobe = '', setpriv] = process.argv.slice(2)
const av = createFfmpegAv({ ffmpeg, ffprobe, version: '7.1', ...(setpriv ? { setpriv } : {}) })
const { signal } = new AbortController()
await av.sound({ filename: '/dev/null', format: 'wav' }, { filename: '/dev/null', signal })
