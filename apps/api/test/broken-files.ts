import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import sharp from 'sharp'
import { writtenPdf } from './pdf-files.ts'
import { noisyPicture } from './pictures.ts'

/** A file of each format that is kept here or quickly made. */
async function wholeFiles(): Promise<Buffer[]> {
  const kept = ['papers', 'phone-pictures'].flatMap((folder) =>
    readdirSync(join(import.meta.dirname, folder))
      .filter((name) => !/\.(md|sh)$/.test(name))
      .map((name) => readFileSync(join(import.meta.dirname, folder, name))),
  )
  const picture = await noisyPicture({ width: 64, height: 48 })
  const formats = ['jpeg', 'png', 'webp', 'tiff', 'gif', 'avif'] as const
  const pictures = await Promise.all(formats.map((format) => sharp(picture).toFormat(format).toBuffer()))
  return [...kept, ...pictures, await writtenPdf([{ lines: ['A page.'], width: 300, height: 400 }])]
}

/** Makes files of every format that came to harm: cut off, with other bytes, or with a piece of another one in them. */
export async function brokenFiles(): Promise<fc.Arbitrary<Buffer>> {
  const whole = fc.constantFrom(...(await wholeFiles()))
  const harm = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), bytes: fc.uint8Array({ maxLength: 40 }) })
  return fc
    .tuple(whole, whole, fc.array(harm, { maxLength: 6 }), fc.constantFrom('cut', 'changed', 'joined'))
    .map(([file, other, harms, kind]) => {
      const [{ at } = { at: 0.5 }] = harms
      const end = Math.floor(file.length * at)
      if (kind === 'cut') return file.subarray(0, end)
      if (kind === 'joined')
        return Buffer.concat([file.subarray(0, end), other.subarray(Math.floor(other.length * at))])
      const changed = Buffer.from(file)
      for (const one of harms) Buffer.from(one.bytes).copy(changed, Math.floor(changed.length * one.at))
      return changed
    })
}
