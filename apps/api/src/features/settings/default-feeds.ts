import type { NewsFeed } from '@mira/shared'

/** The feeds that news are read from until an administrator chooses others: public broadcasters and large papers. */
export const DEFAULT_NEWS_FEEDS: NewsFeed[] = [
  { title: 'BBC News', url: 'https://feeds.bbci.co.uk/news/world/rss.xml', language: 'en' },
  { title: 'The Guardian', url: 'https://www.theguardian.com/world/rss', language: 'en' },
  { title: 'BBC Mundo', url: 'https://feeds.bbci.co.uk/mundo/rss.xml', language: 'es' },
  {
    title: 'El País',
    url: 'https://feeds.elpais.com/mrss-s/pages/ep/site/elpais.com/portada',
    language: 'es',
  },
  { title: 'France 24', url: 'https://www.france24.com/fr/rss', language: 'fr' },
  { title: 'Le Monde', url: 'https://www.lemonde.fr/rss/une.xml', language: 'fr' },
  { title: 'Tagesschau', url: 'https://www.tagesschau.de/infoservices/alle-meldungen-100~rss2.xml', language: 'de' },
  { title: 'Deutsche Welle', url: 'https://rss.dw.com/rdf/rss-de-all', language: 'de' },
]
