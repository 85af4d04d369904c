import type { MediaChanges, MediaDetailJson } from '@mira/shared'
import { partsOf } from '@mira/shared/constants/formats'
import { NotebookPen } from 'lucide-react'
import { Link } from 'react-router-dom'
import { useText } from '../../lib/i18n.ts'
import { pageWords } from '../../lib/page-words.ts'
import { notePath } from '../../lib/paths.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EditableText } from './editable-text.tsx'
import { EngineBadge } from './engine-badge.tsx'
import type { Player } from './player.ts'
import { StepReason } from './step-reason.tsx'
import { Transcript } from './transcript.tsx'
import { isNote, isWorkedOn } from './use-item.ts'

const TEXT_CHARACTERS = 1_000_000
const PAGE_CHARACTERS = 200_000

/** The text of an item: what is said, what stands on it or on one of its pages. */
export function TextPanel({ item, player, words, pageIndex, onChange }: TextPanelProps) {
  const text = useText('gallery')
  const isWorking = isWorkedOn(item)
  if (item.media_type === 'video' || item.media_type === 'audio') {
    return (
      <div className="flex min-h-0 flex-1 flex-col">
        {item.segments.length > 0 ? (
          <Transcript
            segments={item.segments}
            player={player}
            words={words}
            onSave={(id, written) => onChange({ segments: [{ id, text: written }] })}
            onTakeBack={(id) => onChange({ segments: [{ id, text: null }] })}
          />
        ) : (
          <p className="text-14 text-muted">
            {isWorking ? (
              text('transcript.coming')
            ) : (
              <StepReason item={item} step="transcribe" otherwise={text('transcript.none')} />
            )}
          </p>
        )}
      </div>
    )
  }
  const engine = <EngineBadge engine={item.engines.read ?? item.engines.pages} />
  const page = item.pages[pageIndex]
  const ofPage = page && pageWords(page.page, partsOf(item.metadata.content_type), page.title)
  if (item.media_type === 'document' && page && ofPage) {
    return (
      <EditableText
        key={page.page}
        label={item.pages.length > 1 ? text('document.textOf', ofPage) : text('panel.text')}
        value={page.text}
        isLocked={page.is_locked}
        emptyText={
          isWorking ? (
            text('panel.textComing')
          ) : (
            <StepReason item={item} step="read" otherwise={text('document.noText', { kind: ofPage.kind })} />
          )
        }
        words={words}
        maxLength={PAGE_CHARACTERS}
        onSave={(written) => onChange({ pages: [{ page: page.page, text: written }] })}
        onTakeBack={() => onChange({ pages: [{ page: page.page, text: null }] })}
      />
    )
  }
  if (isNote(item)) {
    return (
      <div className="flex flex-col items-start gap-3">
        <p className="text-14 text-muted">{text('note.hint')}</p>
        <Link to={notePath(item.id)} className={buttonClass({})}>
          <NotebookPen aria-hidden />
          {text('note.edit')}
        </Link>
      </div>
    )
  }
  return (
    <EditableText
      label={text('panel.text')}
      value={item.extracted_text ?? item.content ?? ''}
      isLocked={item.locked.includes('extracted_text')}
      emptyText={
        isWorking ? text('panel.textComing') : <StepReason item={item} step="read" otherwise={text('panel.noText')} />
      }
      words={words}
      maxLength={TEXT_CHARACTERS}
      badge={item.extracted_text && engine}
      onSave={(written) => onChange({ extracted_text: written })}
      onTakeBack={() => onChange({ extracted_text: null })}
    />
  )
}

type TextPanelProps = {
  item: MediaDetailJson
  player: Player
  /** Words that are marked. */
  words: string
  pageIndex: number
  onChange: (changes: MediaChanges) => Promise<boolean>
}
