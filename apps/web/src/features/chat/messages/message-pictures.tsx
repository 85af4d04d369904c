import { can } from '@mira/shared/access'
import { BookmarkPlus, ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import type { ChatItem } from '../conversation/conversation-state.ts'
import type { MessageOperations } from '../conversation/use-message-operations.ts'

/** The pictures of a message; each opens in a dialog, where it can be saved in the memory. */
export function MessagePictures({ item, operations }: { item: ChatItem; operations: MessageOperations }) {
  const isAnswer = item.role === 'assistant'
  const text = useText('chat')
  const common = useText('app')
  const user = useUser()
  const [openIndex, setOpenIndex] = useState<number | null>(null)
  const [isKeeping, setIsKeeping] = useState(false)
  const picture = openIndex === null ? undefined : item.images[openIndex]
  const messageId = item.id

  const keep = async () => {
    if (messageId === null || openIndex === null) return
    setIsKeeping(true)
    await operations.keepPicture(messageId, openIndex)
    setIsKeeping(false)
  }
  return (
    <>
      <ul
        aria-label={text('pictures.label')}
        className={classNames('flex max-w-full flex-wrap gap-2', isAnswer ? 'mt-3' : 'justify-end')}
      >
        {item.images.map(({ url, thumbnail, name }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pictures of a message keep their places
          <li key={index}>
            <button
              type="button"
              aria-label={text('pictures.open', { name })}
              onClick={() => setOpenIndex(index)}
              className={classNames(
                'block overflow-hidden rounded-card border border-border bg-surface-sunken transition-colors hover:border-border-strong',
                isAnswer ? 'size-56 max-w-full sm:size-72' : 'size-32 sm:size-40',
              )}
            >
              <img
                src={isAnswer ? url : thumbnail}
                alt={name}
                loading="lazy"
                decoding="async"
                className="size-full object-cover"
              />
            </button>
          </li>
        ))}
      </ul>
      <Dialog
        open={picture !== undefined}
        onOpenChange={(isOpen) => !isOpen && setOpenIndex(null)}
        title={picture?.name ?? ''}
        closeLabel={common('common.close')}
        size="lg"
        footer={
          picture && (
            <>
              <a href={picture.url} target="_blank" rel="noopener noreferrer" className={buttonClass({})}>
                <ExternalLink aria-hidden />
                {text('pictures.original')}
              </a>
              {can(user, 'upload') && messageId !== null && (
                <Button icon={<BookmarkPlus aria-hidden />} loading={isKeeping} onClick={() => void keep()}>
                  {text('pictures.keep')}
                </Button>
              )}
            </>
          )
        }
      >
        {picture && (
          <img
            src={picture.url}
            alt={picture.name}
            className="mx-auto max-h-[65dvh] max-w-full rounded-control object-contain"
          />
        )}
      </Dialog>
    </>
  )
}
