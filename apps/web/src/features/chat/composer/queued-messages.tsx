import { Clock, Pencil, SendHorizontal, X } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import type { UnsentMessage } from '../conversation/conversation-state.ts'
import { MAX_QUEUED } from '../conversation/message-queue.ts'

/** Messages to be sent after the current answer, shown above the composer; each can be edited, removed or sent now. */
export function QueuedMessages({ queued, isBusy, onSendNow, onEdit, onRemove }: QueuedMessagesProps) {
  const text = useText('chat')
  const fullText = queued.length >= MAX_QUEUED ? text('queue.full', { count: queued.length }) : null
  return (
    <div>
      <p role="status" className="sr-only">
        {queued.length > 0 &&
          (isBusy ? (fullText ?? text('queue.status', { count: queued.length })) : text('queue.held'))}
      </p>
      {queued.length > 0 && (
        <section
          aria-label={text('queue.label')}
          className="flex max-h-[24dvh] flex-col gap-1 overflow-y-auto rounded-card border border-border bg-surface-raised p-2"
        >
          <p className="flex items-center gap-2 px-1 text-12 text-muted">
            <Clock aria-hidden className="size-3.5 shrink-0" />
            {isBusy ? (fullText ?? text('queue.waits')) : text('queue.held')}
          </p>
          <ul className="flex flex-col gap-1">
            {queued.map((message) => (
              <li key={message.client_id} className="flex items-center gap-1">
                <p
                  id={`queued-${message.client_id}`}
                  dir="auto"
                  className="line-clamp-2 min-w-0 flex-1 px-1 text-14 break-words"
                >
                  {message.content}
                  <AttachmentCount message={message} />
                </p>
                <Button
                  size="sm"
                  icon={<SendHorizontal aria-hidden />}
                  aria-describedby={`queued-${message.client_id}`}
                  title={isBusy ? text('queue.nowHint') : undefined}
                  onClick={() => onSendNow(message.client_id)}
                >
                  {text('queue.now')}
                </Button>
                <IconButton
                  size="sm"
                  name={text('queue.edit')}
                  aria-describedby={`queued-${message.client_id}`}
                  icon={<Pencil aria-hidden />}
                  onClick={() => onEdit(message.client_id)}
                />
                <IconButton
                  size="sm"
                  name={text('queue.remove')}
                  aria-describedby={`queued-${message.client_id}`}
                  icon={<X aria-hidden />}
                  onClick={() => onRemove(message.client_id)}
                />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function AttachmentCount({ message: { picture_count = 0, media = [], mentions = [] } }: { message: UnsentMessage }) {
  const text = useText('chat')
  const count = picture_count + media.length + mentions.length
  return count > 0 && <span className="text-muted"> · {text('queue.attached', { count })}</span>
}

type QueuedMessagesProps = {
  /** In sending order. */
  queued: readonly UnsentMessage[]
  /** True while an answer is generated. */
  isBusy: boolean
  onSendNow: (key: string) => void
  onEdit: (key: string) => void
  onRemove: (key: string) => void
}
