import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testSandboxing } from '../../../test/test-sandboxing.ts'
import { createAv, findFfmpeg, findNodeAv } from './create-av.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mira-ffmpeg-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const goodEncoders = ['libx264', 'aac', 'libmp3lame', 'mjpeg']
/** Programs that say what is asked of them at start, and do nothing else. */
async function pretend(name: string, version: string, encoders = goodEncoders): Promise<string> {
  const path = await mkdtemp(join(folder, name))
  const lines = encoders.map((encoder) => ` V..... ${encoder} an encoder`).join('\n')
  for (const program of ['ffmpeg', 'ffprobe']) {
    const answer = `${program} version ${version} Copyright (c) the FFmpeg developers`
    const script = `#!/bin/sh\nif [ "$1" = -version ]; then echo '${answer}'; else echo '${lines}'; fi\n`
    await writeFile(join(path, program), script, { mode: 0o700 })
  }
  return path
}

test.each(['5.1.9-0+deb12u1', '7.1', 'n8.0', 'N-118193-g5f38c82536'])('ffmpeg %s is used', async (version) => {
  const path = await pretend('good', version)
  expect(await findFfmpeg(path)).toEqual({
    ffmpeg: join(path, 'ffmpeg'),
    ffprobe: join(path, 'ffprobe'),
    version,
    hasToneMapping: false,
  })
  expect(await createAv({ sandboxing: testSandboxing, searchPath: path }).name()).toBe(`ffmpeg ${version}`)
})

test('an old ffmpeg, one without what is needed, half of one and none are passed over', async () => {
  const half = await pretend('half', '7.1')
  await rm(join(half, 'ffprobe'))
  const paths = [await pretend('old', '4.4.2'), await pretend('poor', '7.1', ['aac', 'mjpeg']), half, '', 'relative']
  expect(await Promise.all(paths.map(findFfmpeg))).toEqual(paths.map(() => undefined))
  for (const searchPath of paths) {
    const av = createAv({ sandboxing: testSandboxing, searchPath })
    expect(await av.name()).toBe(`node-av ${findNodeAv()}`)
    expect(av.check()).toEqual({ state: 'ok', engine: 'node-av', model: findNodeAv() })
    await av.close()
  }
})
