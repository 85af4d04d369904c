import type { SearchResponseJson } from '@mira/shared'
import { insertMediaItem, insertMoment, type MomentTraits } from './factories.ts'
import type { TestAccount, TestApp } from './test-app.ts'

type ItemTraits = NonNullable<Parameters<typeof insertMediaItem>[2]>

/** Uploads and searches of a user, through the API. */
export function searchesOf({ context, request }: TestApp, account: TestAccount) {
  const search = async (query: string, fields: Record<string, string | string[]> = {}) => {
    const response = await request
      .get('/api/media/search')
      .query({ query, ...fields })
      .auth(account.token, { type: 'bearer' })
      .expect(200)
    return response.body as SearchResponseJson
  }
  return {
    /** Stores an item with these moments. */
    async addItem(traits: ItemTraits, moments: (MomentTraits | string)[]) {
      const item = await insertMediaItem(context.database, account.user.id, traits)
      for (const [position, moment] of moments.entries()) {
        const momentTraits = typeof moment === 'string' ? { body: moment } : moment
        await insertMoment(context.database, item, { position, ...momentTraits })
      }
      return item
    },
    search,
    /** Snippets of results that count as found. */
    async foundSnippets(query: string) {
      const { results } = await search(query)
      return results.flatMap(({ content, certainty }) => (certainty === 'found' ? [content] : []))
    },
    /** Snippets of a query's results, with the matches in ‹›. */
    async snippets(query: string, fields: Record<string, string | string[]> = {}) {
      const { results } = await search(query, fields)
      return results.map(markedSnippet)
    },
  }
}

/** A snippet with its matches in ‹›. */
export function markedSnippet({ content, highlights }: SearchResponseJson['results'][number]): string {
  return highlights.reduceRight(
    (text, [from, to]) => `${text.slice(0, from)}‹${text.slice(from, to)}›${text.slice(to)}`,
    content,
  )
}
