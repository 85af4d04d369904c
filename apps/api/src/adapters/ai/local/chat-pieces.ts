/** Ordered text pieces, written while another task reads them. */
export interface ChatPieces extends AsyncIterable<string> {
  add(piece: string): void
  /** Nothing follows. */
  end(): void
}

/** Makes the way of pieces from who writes them to the one who reads them. */
export function createChatPieces(): ChatPieces {
  const unread: string[] = []
  let isOver = false
  let news = Promise.withResolvers<void>()
  const tell = () => {
    news.resolve()
    news = Promise.withResolvers()
  }
  return {
    add(piece) {
      unread.push(piece)
      tell()
    },
    end() {
      isOver = true
      tell()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const { promise } = news
        yield* unread.splice(0)
        if (unread.length > 0) continue
        if (isOver) return
        await promise
      }
    },
  }
}
