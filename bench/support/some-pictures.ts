import { likeAPhotograph } from '../../apps/api/test/photographs.ts'
import type { Account, TestServer } from '../../e2e/support/server.ts'

/** Gives an account so many pictures, and leaves nothing that engines would be at work on while pages are measured. */
export async function uploadPictures(server: TestServer, { token }: Account, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const form = new FormData()
    form.append('file', new Blob([Buffer.from(await likeAPhotograph(1200, 900, number))]), `${number}.jpg`)
    for (const unwanted of ['extract_text', 'generate_caption']) form.append(unwanted, 'false')
    form.append('wait', '30')
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${server.url}/api/media/upload`, { method: 'POST', headers, body: form })
    if (!answer.ok) throw new Error(`A picture was refused: ${await answer.text()}`)
  }
}
