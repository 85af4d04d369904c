import { createPhotoLikeImage } from '../../apps/api/test/photographs.ts'
import type { Account, TestServer } from '../../e2e/support/server.ts'

/** Uploads photos to an account without the processing by engines, which would disturb the measurement of pages. */
export async function uploadPictures(server: TestServer, { token }: Account, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const form = new FormData()
    form.append('file', new Blob([Buffer.from(await createPhotoLikeImage(1200, 900, number))]), `${number}.jpg`)
    for (const step of ['extract_text', 'generate_caption']) form.append(step, 'false')
    form.append('wait', '30')
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${server.url}/api/media/upload`, { method: 'POST', headers, body: form })
    if (!response.ok) throw new Error(`An upload was rejected: ${await response.text()}`)
  }
}
