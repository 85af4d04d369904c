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
/** Writes fake programs that only answer the queries made at start. */
async function writeFakePrograms(name: string, version: string, encoders = goodEncoders): Promise<string> {
  const path = await mkdtemp(join(folder, name))
  const lines = encoders.map((encoder) => ` V..... ${encoder} an encoder`).join('\n')
  for (const program of ['ffmpeg', 'ffprobe']) {
    const versionLine = `${program} version ${version} Copyright (c) the FFmpeg developers`
    const script = `#!/bin/sh\nif [ "$1" = -version ]; then echo '${versionLine}'; else echo '${lines}'; fi\n`
    await writeFile(join(path, program), script, { mode: 0o700 })
  }
  return path
}

test.each(['5.1.9-0+deb12u1', '7.1', 'n8.0', 'N-118193-g5f38c82536'])('uses ffmpeg %s', async (version) => {
  const path = await writeFakePrograms('good', version)
  expect(await findFfmpeg(path)).toEqual({
    ffmpeg: join(path, 'ffmpeg'),
    ffprobe: join(path, 'ffprobe'),
    version,
    hasToneMapping: false,
  })
  expect(await createAv({ sandboxing: testSandboxing, searchPath: path }).name()).toBe(`ffmpeg ${version}`)
})

test('falls back to node-av for an old, incomplete or missing ffmpeg', async () => {
  const incomplete = await writeFakePrograms('half', '7.1')
  await rm(join(incomplete, 'ffprobe'))
  const paths = [
    await writeFakePrograms('old', '4.4.2'),
    await writeFakePrograms('poor', '7.1', ['aac', 'mjpeg']),
    incomplete,
    '',
    'relative',
  ]
  expect(await Promise.all(paths.map(findFfmpeg))).toEqual(paths.map(() => undefined))
  for (const searchPath of paths) {
    const av = createAv({ sandboxing: testSandboxing, searchPath })
    expect(await av.name()).toBe(`node-av ${findNodeAv()}`)
    expect(av.check()).toEqual({ state: 'ok', engine: 'node-av', model: findNodeAv() })
    await av.close()
  }
})
