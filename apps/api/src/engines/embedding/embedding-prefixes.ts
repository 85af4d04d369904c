/** Prefixes that some models need before a text so that questions match their answers. */
interface Prefixes {
  model: RegExp
  query: string
  passage: string
}

const SEARCH_TASK = 'Given a question, retrieve passages that answer it'

/** The first entry that matches the model's name counts. */
const prefixes: Prefixes[] = [
  { model: /(^|[^a-z0-9])e5.*instruct|e5-mistral/i, query: `Instruct: ${SEARCH_TASK}\nQuery: `, passage: '' },
  { model: /(^|[^a-z0-9])e5([^a-z0-9]|$)/i, query: 'query: ', passage: 'passage: ' },
  { model: /nomic-embed-text/i, query: 'search_query: ', passage: 'search_document: ' },
  { model: /qwen3-embed/i, query: `Instruct: ${SEARCH_TASK}\nQuery: `, passage: '' },
  { model: /embedding-?gemma/i, query: 'task: search result | query: ', passage: 'title: none | text: ' },
  {
    model: /bge-(small|base|large)-en|mxbai-embed-large/i,
    query: 'Represent this sentence for searching relevant passages: ',
    passage: '',
  },
]

/** The text with the model's prefix; unchanged for unknown models. */
export function prefixed(text: string, purpose: 'passage' | 'query', model: string): string {
  return (prefixes.find((prefix) => prefix.model.test(model))?.[purpose] ?? '') + text
}
