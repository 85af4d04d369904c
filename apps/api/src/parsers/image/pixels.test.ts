import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { createPixels } from './pixels.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-pixels-'))
afterAll(() => rmSync(folder, { recursive: true }))
const pixels = createPixels()
const ICC_TAG = 34_675

/** Writes a TIFF whose colour profile is padded with random bytes. */
async function withInflatedProfile(addedBytes: number): Promise<string> {
  const red = sharp({ create: { width: 32, height: 32, channels: 3, background: 'red' } }).withIccProfile('p3')
  const tiff = await red.tiff({ compression: 'none' }).toBuffer()
  const { icc = Buffer.alloc(0) } = await sharp(tiff).metadata()
  const profile = Buffer.concat([icc, randomBytes(addedBytes)])
  profile.writeUInt32BE(profile.length, 0)
  const file = Buffer.concat([tiff, profile])
  const directory = file.readUInt32LE(4)
  for (let n = 0, offset = directory + 2; n < file.readUInt16LE(directory); n++, offset += 12) {
    if (file.readUInt16LE(offset) !== ICC_TAG) continue
    file.writeUInt32LE(profile.length, offset + 4)
    file.writeUInt32LE(tiff.length, offset + 8)
  }
  const filename = join(folder, `${addedBytes}.tif`)
  writeFileSync(filename, file)
  return filename
}

test('keeps a colour profile, and drops an oversized one', async () => {
  const picture = await pixels.decode(await withInflatedProfile(1000))
  expect(picture.iccProfile?.length).toBeGreaterThan(1000)
  const { icc } = await sharp(await pixels.encodePng(picture)).metadata()
  expect(icc).toEqual(picture.iccProfile)
  expect((await pixels.decode(await withInflatedProfile(20_000_000))).iccProfile).toBeNull()
})
