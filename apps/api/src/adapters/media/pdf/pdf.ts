/** What a PDF tells of itself. */
export interface PdfInfo {
  pageCount: number
  title: string | null
  author: string | null
  createdAt: Date | null
}

/** A page drawn as a picture. */
export interface DrawnPage {
  page: number
  /** Name of the PNG in the folder that was given. */
  filename: string
  width: number
  height: number
}

/** Reads PDFs in a process of its own, bounded in memory and time; pages count from 1. */
export interface Pdf {
  /** @throws ValidationError with code `encrypted_document` or `damaged_document`; both sentences are for a person. */
  inspect(filename: string, signal: AbortSignal): Promise<PdfInfo>
  /**
   * The text layer of each page, '' where there is none, and whether a page of text shows a picture that may be read, too;
   * in batches, in order. Throws as inspect does.
   * @param from.first the page to begin with, 1 when left out.
   * @param from.picturesWanted how many more such pages are looked for, asked before each batch; none when left out.
   */
  texts(
    filename: string,
    signal: AbortSignal,
    from?: { first?: number; picturesWanted?: () => number },
  ): AsyncIterable<{ page: number; text: string; hasPicture?: true }[]>
  /** Draws pages so wide that their text can be read (1600 pixels at most). Throws as inspect does. */
  draw(
    filename: string,
    options: { pages: number[]; widthPixels: number; folder: string; signal: AbortSignal },
  ): AsyncIterable<DrawnPage>
  close(): Promise<void>
}
