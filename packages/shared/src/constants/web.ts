/** Programs and services that search the web for the assistant. */
export const webSearchProviders = ['searxng', 'brave', 'tavily'] as const
export type WebSearchProvider = (typeof webSearchProviders)[number]

/** API addresses of the search providers; null for a self-hosted one. */
export const webSearchAddresses: Readonly<Record<WebSearchProvider, string | null>> = {
  searxng: null,
  brave: 'https://api.search.brave.com',
  tavily: 'https://api.tavily.com',
}

/** The kind of a source that is a page of the web. */
export const WEB_SOURCE = 'web'

/** Names of the tools, which their calls have as well. */
export const SEARCH_WEB = 'search_web'
export const READ_PAGE = 'read_page'
