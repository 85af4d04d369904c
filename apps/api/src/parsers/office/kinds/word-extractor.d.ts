// Published types don't know `filterUnicode`, without which quotation marks and dashes are replaced.
declare module 'word-extractor' {
  interface Options {
    filterUnicode: boolean
    includeFooters?: boolean
  }
  interface WordDocument {
    getBody(options: Options): string
    getHeaders(options: Options): string
    getFooters(options: Options): string
    getFootnotes(options: Options): string
    getEndnotes(options: Options): string
    getAnnotations(options: Options): string
    getTextboxes(options: Options): string
  }
  export default class WordExtractor {
    extract(source: Buffer): Promise<WordDocument>
  }
}
