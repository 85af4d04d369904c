import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { avLimits } from '../av.ts'
import { createFfmpegAv } from './ffmpeg.ts'
import { withDeathSignal } from './ffmpeg-programs.ts'

const setpriv = (process.env.PATH ?? '')
  .split(delimiter)
  .map((path) => join(path, 'setpriv'))
  .find((path) => existsSync(path))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mira-ffmpeg-process-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function writeFakeProgram(name: string, script: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o700 })
  return path
}
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test.skipIf(setpriv === undefined)(
  'ffmpeg dies when its server is killed',
  async () => {
    const pidFile = join(folder, 'pid')
    // sleep writes nothing, so it would never notice that its reader is gone
    const ffmpeg = await writeFakeProgram('ffmpeg', `echo $$ > '${pidFile}'; exec sleep 60`)
    const ffprobe = await writeFakeProgram(
      'ffprobe',
      `echo '{"streams":[{"index":0,"codec_type":"audio","codec_name":"pcm"}]}'`,
    )
    const script = fileURLToPath(new URL('../../../../test/ffmpeg-parent.ts', import.meta.url))
    const parent = spawn(process.execPath, [script, ffmpeg, ffprobe, setpriv as string], { stdio: 'inherit' })
    const pid = await vi.waitFor(
      async () => {
        const pid = Number(await readFile(pidFile, 'utf8'))
        expect(pid).toBeGreaterThan(0)
        return pid
      },
      { timeout: 20_000, interval: 50 },
    )
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 5_000 })
  },
  30_000,
)

test('starts a program as it is without setpriv', () => {
  expect(withDeathSignal('/usr/bin/ffmpeg', undefined)).toEqual({ program: '/usr/bin/ffmpeg', before: [] })
})

test.skipIf(setpriv === undefined)('reports a missing ffmpeg as unavailable, not as a damaged file', async () => {
  const programs = {
    ffmpeg: join(folder, 'gone'),
    ffprobe: join(folder, 'gone'),
    version: '7.1',
    setpriv: setpriv as string,
  }
  const probing = createFfmpegAv(programs).probe({ filename: '/dev/null', format: 'wav' }, new AbortController().signal)
  await expect(probing).rejects.toMatchObject({ status: 503, code: 'no_av' })
})

test('rejects a cover and returns no duration when ffmpeg takes too long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const pidFile = join(folder, 'slow-pid')
    const formats = ['DE wav', ' E image2pipe', ' E null'].map((format) => ` ${format} x`).join('\n')
    const hang = `echo 'time=00:00:05.00' >&2; echo $$ > '${pidFile}'; exec sleep 60`
    const ffmpeg = await writeFakeProgram(
      'slow',
      `case "$*" in *-nostdin*) ${hang};; *-formats*) echo '${formats}';; esac`,
    )
    const streams = [
      { index: 0, codec_type: 'audio', codec_name: 'mp3' },
      { index: 1, codec_type: 'video', codec_name: 'mjpeg', disposition: { attached_pic: 1 } },
    ]
    const ffprobe = await writeFakeProgram('probe', `echo '${JSON.stringify({ streams })}'`)
    const av = createFfmpegAv({ ffmpeg, ffprobe, version: '7.1', setpriv: undefined })
    const file = { filename: '/dev/null', format: 'wav' }
    const { signal } = new AbortController()
    const afterTimeout = async <Result>(work: Promise<Result>): Promise<Result> => {
      work.catch(() => {})
      while (!existsSync(pidFile)) await new Promise((resolve) => setImmediate(resolve))
      await rm(pidFile)
      await vi.advanceTimersByTimeAsync(avLimits.probeTimeoutMs)
      return work
    }
    await expect(afterTimeout(av.cover(file, { filename: join(folder, 'cover'), signal }))).rejects.toMatchObject({
      code: 'damaged_media',
    })
    expect((await afterTimeout(av.probe(file, signal))).durationSeconds).toBeNull()
  } finally {
    vi.useRealTimers()
  }
}, 30_000)
