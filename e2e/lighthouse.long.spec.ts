import { drawPicture } from './support/effects.ts'
import { expect, test } from './support/fixtures.ts'
import { upload } from './support/library.ts'
import { startLighthouse } from './support/lighthouse.ts'

const LEAST = 95

test('Lighthouse finds the sign-in, the chat and the gallery accessible, well made and easy to find', async ({
  server,
  person,
  page,
}) => {
  test.setTimeout(300_000)
  const picture = await drawPicture(page)
  await upload(server, person, picture.name, picture.buffer)
  const browser = await startLighthouse(server, ['accessibility', 'best-practices', 'seo'])
  try {
    const weak: string[] = []
    for (const [address, who] of [
      ['/login', null],
      ['/chat', person],
      ['/gallery', person],
    ] as const) {
      for (const [category, { score, faults }] of Object.entries(await browser.judge(address, who))) {
        if (score < LEAST) weak.push(`${address}, ${category}: ${score} (${faults.join('; ')})`)
      }
    }
    expect(weak).toEqual([])
  } finally {
    await browser.close()
  }
})
