import { drawImage } from './support/effects.ts'
import { expect, test } from './support/fixtures.ts'
import { upload } from './support/library.ts'
import { startLighthouse } from './support/lighthouse.ts'

const MIN_SCORE = 95

test('the sign-in, chat and gallery score at least 95 for accessibility, best practices and SEO in Lighthouse', async ({
  server,
  account,
  page,
}) => {
  test.setTimeout(300_000)
  const picture = await drawImage(page)
  await upload(server, account, picture.name, picture.buffer)
  const browser = await startLighthouse(server, ['accessibility', 'best-practices', 'seo'])
  try {
    const failures: string[] = []
    for (const [address, signedInAs] of [
      ['/login', null],
      ['/chat', account],
      ['/gallery', account],
    ] as const) {
      for (const [category, { score, failedAudits }] of Object.entries(await browser.audit(address, signedInAs))) {
        if (score < MIN_SCORE) failures.push(`${address}, ${category}: ${score} (${failedAudits.join('; ')})`)
      }
    }
    expect(failures).toEqual([])
  } finally {
    await browser.close()
  }
})
