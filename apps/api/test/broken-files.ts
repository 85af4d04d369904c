import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import sharp from 'sharp'
import { textPdf } from './pdf-files.ts'
import { noisyImage } from './pictures.ts'

/** Intact files: the fixtures of each format, and some that are quick to create. */
async function intactFiles(): Promise<Buffer[]> {
  const fixtures = ['papers', 'phone-pictures'].flatMap((folder) =>
    readdirSync(join(import.meta.dirname, folder))
      .filter((name) => !/\.(md|sh)$/.test(name))
      .map((name) => readFileSync(join(import.meta.dirname, folder, name))),
  )
  const picture = await noisyImage({ width: 64, height: 48 })
  const formats = ['jpeg', 'png', 'webp', 'tiff', 'gif', 'avif'] as const
  const pictures = await Promise.all(formats.map((format) => sharp(picture).toFormat(format).toBuffer()))
  return [...fixtures, ...pictures, await textPdf([{ lines: ['A page.'], width: 300, height: 400 }])]
}

/** Generates damaged files of every format: truncated, with overwritten bytes, or joined with the end of another file. */
export async function damagedFiles(): Promise<fc.Arbitrary<Buffer>> {
  const intactFile = fc.constantFrom(...(await intactFiles()))
  const damage = fc.record({
    position: fc.double({ min: 0, max: 1, noNaN: true }),
    bytes: fc.uint8Array({ maxLength: 40 }),
  })
  return fc
    .tuple(intactFile, intactFile, fc.array(damage, { maxLength: 6 }), fc.constantFrom('cut', 'changed', 'joined'))
    .map(([file, other, damages, kind]) => {
      const [{ position } = { position: 0.5 }] = damages
      const end = Math.floor(file.length * position)
      if (kind === 'cut') return file.subarray(0, end)
      if (kind === 'joined')
        return Buffer.concat([file.subarray(0, end), other.subarray(Math.floor(other.length * position))])
      const changed = Buffer.from(file)
      for (const one of damages) Buffer.from(one.bytes).copy(changed, Math.floor(changed.length * one.position))
      return changed
    })
}
