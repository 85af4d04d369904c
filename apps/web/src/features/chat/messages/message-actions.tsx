import { ChevronLeft, ChevronRight, Columns2, PencilLine, RefreshCw, ThumbsDown, ThumbsUp } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import type { ChatItem } from '../conversation/conversation-state.ts'
import type { MessageOperations } from '../conversation/use-message-operations.ts'
import { RegenerateWith } from '../models/compare-with.tsx'
import { ReadAloud } from '../voice/read-aloud.tsx'

/** Actions on one of the user's messages, once the server has stored it. */
export function QuestionActions({ item, isBusy, operations, onEdit }: QuestionActionsProps) {
  const text = useText('chat')
  return (
    <>
      <BranchSwitcher item={item} isBusy={isBusy} operations={operations} />
      <CopyButton text={item.content} label={text('messages.copy')} copiedLabel={text('markdown.copied')} />
      <IconButton
        size="sm"
        name={text('messages.edit')}
        icon={<PencilLine aria-hidden />}
        disabled={isBusy}
        onClick={onEdit}
      />
    </>
  )
}

/** Actions on an answer: copy, rate, regenerate. */
export function AnswerActions({ item, isBusy, operations }: ActionsProps) {
  const text = useText('chat')
  return (
    <>
      <BranchSwitcher item={item} isBusy={isBusy} operations={operations} />
      {item.id !== null && item.siblings.count > 1 && (
        <IconButton
          size="sm"
          name={text('compare.open')}
          icon={<Columns2 aria-hidden />}
          disabled={isBusy}
          onClick={() => item.id !== null && operations.compareVersions(item.id)}
        />
      )}
      {item.content !== '' && (
        <CopyButton text={item.content} label={text('messages.copy')} copiedLabel={text('markdown.copied')} />
      )}
      {item.content !== '' && item.id !== null && <ReadAloud id={item.id} content={item.content} />}
      <RatingButton item={item} rating="up" operations={operations} />
      <RatingButton item={item} rating="down" operations={operations} />
      <IconButton
        size="sm"
        name={text('messages.regenerate')}
        icon={<RefreshCw aria-hidden />}
        disabled={isBusy}
        onClick={() => operations.regenerate(item)}
      />
      <RegenerateWith item={item} isBusy={isBusy} onChoose={(model) => operations.regenerate(item, model)} />
    </>
  )
}

/** Copy button, the only action on a message of a temporary conversation. */
export function CopyUnstoredMessage({ item }: { item: ChatItem }) {
  const text = useText('chat')
  if (item.id !== null || item.delivery !== 'stored' || item.content === '') return null
  return <CopyButton text={item.content} label={text('messages.copy')} copiedLabel={text('markdown.copied')} />
}

function RatingButton({ item, rating, operations }: Omit<ActionsProps, 'isBusy'> & { rating: 'up' | 'down' }) {
  const text = useText('chat')
  const isChosen = item.rating === rating
  const Thumb = rating === 'up' ? ThumbsUp : ThumbsDown
  return (
    <IconButton
      size="sm"
      name={text(`messages.rate.${rating}`)}
      icon={<Thumb aria-hidden fill={isChosen ? 'currentColor' : 'none'} />}
      aria-pressed={isChosen}
      className={isChosen ? 'text-accent-text' : undefined}
      onClick={() => operations.rate(item, isChosen ? null : rating)}
    />
  )
}

/** Version requested with a focused switcher, and the direction; once it's shown, its own switcher gets the focus. */
let pendingFocus: { id: string; direction: 'previous' | 'next' } | null = null

/** Buttons for the other versions of a message; the arrow keys work as well. */
function BranchSwitcher({ item, isBusy, operations }: ActionsProps) {
  const text = useText('chat')
  const switcher = useRef<HTMLFieldSetElement>(null)
  const { index, count, previous_id, next_id } = item.siblings
  const { id: shownId } = item
  useEffect(() => {
    if (pendingFocus === null || pendingFocus.id !== shownId) return
    const { direction } = pendingFocus
    pendingFocus = null
    // Removing the previous version moved the focus to the body; a focus elsewhere was set by the user.
    if (document.activeElement !== document.body) return
    const buttons = [...(switcher.current?.querySelectorAll<HTMLElement>('button:not(:disabled)') ?? [])]
    buttons.at(direction === 'next' ? -1 : 0)?.focus({ preventScroll: true })
  }, [shownId])
  if (count < 2) return null

  const show = (direction: 'previous' | 'next') => {
    const versionId = direction === 'previous' ? previous_id : next_id
    if (versionId === null || isBusy) return
    pendingFocus = switcher.current?.contains(document.activeElement) ? { id: versionId, direction } : null
    void operations.showVersion(versionId)
  }
  const handleKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') show('previous')
    else if (event.key === 'ArrowRight') show('next')
    else return
    event.preventDefault()
  }
  return (
    <fieldset
      ref={switcher}
      aria-label={text('messages.versions.label')}
      onKeyDown={handleKey}
      className="flex items-center"
    >
      <IconButton
        size="sm"
        name={text('messages.versions.previous')}
        icon={<ChevronLeft aria-hidden />}
        disabled={isBusy || previous_id === null}
        onClick={() => show('previous')}
      />
      <span aria-live="polite" className="text-12 whitespace-nowrap text-muted tabular-nums">
        {text('messages.versions.position', { n: index + 1, count })}
      </span>
      <IconButton
        size="sm"
        name={text('messages.versions.next')}
        icon={<ChevronRight aria-hidden />}
        disabled={isBusy || next_id === null}
        onClick={() => show('next')}
      />
    </fieldset>
  )
}

type ActionsProps = { item: ChatItem; isBusy: boolean; operations: MessageOperations }

type QuestionActionsProps = ActionsProps & { onEdit: () => void }
