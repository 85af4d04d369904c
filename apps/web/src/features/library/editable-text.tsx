import { Pencil, Undo2, UserRoundPen } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useText } from '../../lib/i18n/i18n.ts'
import { hasUnsavedDraft, useUnsavedDraft } from '../../lib/session/kept-drafts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { isComposing } from '../../ui/is-composing.ts'
import { TextArea } from '../../ui/text-area.tsx'
import { useCloseIfMounted } from '../../ui/use-close-if-mounted.ts'
import { useInPlaceEditing } from '../../ui/use-in-place-editing.ts'
import { MarkedText } from './marked-text.tsx'

/** A text written by an engine or the user; the user can edit it in place. */
export function EditableText({
  draftKey,
  label,
  value,
  isLocked,
  emptyText,
  words = '',
  maxLength,
  badge,
  onSave,
  onRevert,
}: EditableTextProps) {
  const text = useText('gallery')
  const { isEditing, button, begin, end } = useInPlaceEditing(hasUnsavedDraft(draftKey))
  const [isReverting, setIsReverting] = useState(false)

  return (
    <section aria-label={label}>
      <div className="flex min-h-9 flex-wrap items-center gap-2">
        <h2 className="text-13 font-semibold">{label}</h2>
        {isLocked ? <EditedByUserBadge /> : badge}
        {!isEditing && (
          <span className="ml-auto flex">
            {value !== '' && <CopyButton text={value} label={text('edit.copy')} copiedLabel={text('edit.copied')} />}
            <IconButton
              ref={button}
              name={text('edit.edit', { label })}
              icon={<Pencil aria-hidden />}
              size="sm"
              onClick={begin}
            />
          </span>
        )}
      </div>
      {isEditing ? (
        <TextEditor
          draftKey={draftKey}
          label={label}
          value={value}
          maxLength={maxLength}
          onSave={onSave}
          onClose={end}
        />
      ) : (
        <>
          {value === '' ? (
            <p className="text-14 text-muted">{emptyText}</p>
          ) : (
            <p className="text-14 whitespace-pre-wrap">
              <MarkedText text={value} words={words} />
            </p>
          )}
          {isLocked && onRevert && (
            <Button
              variant="ghost"
              size="sm"
              className="mt-2 -ml-2.5 text-muted"
              icon={<Undo2 aria-hidden />}
              loading={isReverting}
              onClick={async () => {
                setIsReverting(true)
                await onRevert()
                setIsReverting(false)
              }}
            >
              {text('edit.takeBack')}
            </Button>
          )}
        </>
      )}
    </section>
  )
}

/** Marks a text as the user's own, which no engine overwrites. */
export function EditedByUserBadge() {
  const text = useText('gallery')
  return <Badge icon={<UserRoundPen aria-hidden />}>{text('edit.yours')}</Badge>
}

/** Editor of a text: Ctrl+Enter saves the draft, Escape discards it. Until then it's kept, even if the user leaves the page. */
export function TextEditor({
  draftKey,
  label,
  value,
  maxLength,
  rows = 3,
  isRequired = false,
  onSave,
  onClose,
}: TextEditorProps) {
  const text = useText('gallery')
  const common = useText('app')
  const { draft = value, current, keep } = useUnsavedDraft<string>(draftKey)
  const [isResumed] = useState(draft !== value)
  const [isSaving, setIsSaving] = useState(false)
  const close = useCloseIfMounted(onClose)
  const canSave = !isRequired || draft.trim() !== ''

  const save = async () => {
    if (!canSave || isSaving) return
    if (draft === value) return onClose()
    setIsSaving(true)
    const isSaved = await onSave(draft)
    setIsSaving(false)
    if (!isSaved) return
    // a newer draft, started while this one was being saved, is kept
    if (current() === draft) keep(undefined)
    close()
  }
  const cancel = () => {
    keep(undefined)
    onClose()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the box and the buttons in it
    <div
      data-takes-escape=""
      onKeyDown={(event) => {
        event.stopPropagation()
        if (isComposing(event.nativeEvent)) return
        if (event.key === 'Escape') cancel()
        else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
      }}
    >
      <TextArea
        label={label}
        labelHidden
        rows={rows}
        maxLength={maxLength}
        value={draft}
        readOnly={isSaving}
        autoFocus={!isResumed}
        onChange={(event) => keep(event.target.value === value ? undefined : event.target.value)}
      />
      <div className="mt-2 flex justify-end gap-2">
        <Button size="sm" onClick={cancel}>
          {common('common.cancel')}
        </Button>
        <Button size="sm" variant="primary" loading={isSaving} disabled={!canSave} onClick={() => void save()}>
          {text('edit.save')}
        </Button>
      </div>
    </div>
  )
}

type TextEditorProps = {
  /** Key of the draft, unique across items. */
  draftKey: string
  label: string
  value: string
  maxLength: number
  rows?: number
  /** True when the text may not be empty. */
  isRequired?: boolean
  /** @returns true when it was saved. */
  onSave: (text: string) => Promise<boolean>
  onClose: () => void
}
type EditableTextProps = Pick<TextEditorProps, 'draftKey' | 'label' | 'value' | 'maxLength' | 'onSave'> & {
  isLocked: boolean
  /** Placeholder when there's no text. */
  emptyText: ReactNode
  /** Words to mark. */
  words?: string
  /** Badge with the engine that wrote the text. */
  badge?: ReactNode
  /** Restores the engine's text; undefined when that isn't possible. */
  onRevert?: () => Promise<unknown>
}
