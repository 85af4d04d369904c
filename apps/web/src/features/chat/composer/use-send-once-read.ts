import { useEffect, useEffectEvent, useState } from 'react'

/** Message to send later: its text, and its number of items including the files being read. */
interface Wish {
  draft: string
  items: number
}

/**
 * Sends a message by itself once the files that it was given are read, where that was asked for before. It stays where it is
 * when its text was changed meanwhile, or when one of the files does not go with it.
 */
export function useSendOnceRead({ draft, itemCount, fileCount, onSend }: SendOnceReadOptions): SendOnceRead {
  const [wish, setWish] = useState<Wish | null>(null)
  const isMeant = wish !== null && wish.draft === draft
  const goOn = useEffectEvent(() => {
    if (wish === null) return
    setWish(null)
    if (isMeant && itemCount >= wish.items) onSend()
  })
  const isRead = fileCount === 0
  useEffect(() => {
    if (isRead) goOn()
  }, [isRead])
  return {
    isWaiting: isMeant && !isRead,
    wait: () => setWish({ draft, items: itemCount + fileCount }),
  }
}

interface SendOnceRead {
  /** True while the message will be sent automatically. */
  isWaiting: boolean
  wait: () => void
}

interface SendOnceReadOptions {
  draft: string
  /** Items that go with the message by now. */
  itemCount: number
  /** Files that are still on their way to it. */
  fileCount: number
  onSend: () => void
}
