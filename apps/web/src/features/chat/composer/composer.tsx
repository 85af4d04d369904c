import type { PromptJson } from '@mira/shared'
import { MESSAGE_MAX_CHARACTERS } from '@mira/shared/words/limits'
import { ArrowUp, Square } from 'lucide-react'
import {
  type ClipboardEvent,
  type DragEvent,
  type FormEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useLayoutEffect,
  useState,
} from 'react'
import { useFormat } from '../../../lib/format.ts'
import { useText } from '../../../lib/i18n.ts'
import { assistantName } from '../../../lib/page-meta.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { dialogLater } from '../../../ui/dialog-later.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { MentionChips } from '../mentions/mention-chips.tsx'
import { MentionList, mentionOptionId } from '../mentions/mention-menu.tsx'
import { useMentionMenu } from '../mentions/use-mention-menu.ts'
import type { ChosenMentions } from '../mentions/use-mentions.ts'
import { VoiceInput } from '../voice/voice-input.tsx'
import { AddToMessage } from './add-to-message.tsx'
import { AttachedStrip } from './attached-items.tsx'
import { PictureStrip } from './picture-strip.tsx'
import { filesOf } from './pictures.ts'
import { PromptList, promptOptionId } from './prompt-menu.tsx'
import { returnToField } from './return-to-field.ts'
import { UploadingFiles } from './uploading-files.tsx'
import type { ChosenMedia } from './use-attached.ts'
import type { FileUploads } from './use-file-uploads.ts'
import type { ChosenPictures } from './use-pictures.ts'
import { usePromptMenu } from './use-prompt-menu.ts'
import { useSendOnceRead } from './use-send-once-read.ts'
import { VisionNote } from './vision-note.tsx'

const FillPromptDialog = dialogLater(() => import('./fill-prompt-dialog.tsx').then((module) => module.FillPromptDialog))

/** From here on the characters are counted. */
const COUNT_FROM = MESSAGE_MAX_CHARACTERS * 0.9

/**
 * Where a message is written: Enter sends, Shift and Enter make a new line. While an answer is made a button stops it,
 * and what is written meanwhile is sent afterwards; while files are read it is sent once they are.
 */
export function Composer({
  field,
  draft,
  pictures,
  attached,
  named,
  files,
  isAttaching,
  modelPicker,
  isBusy,
  isStopping,
  onDraftChange,
  onSend,
  onStop,
}: ComposerProps) {
  const text = useText('chat')
  const format = useFormat()
  const [isDropTarget, setIsDropTarget] = useState(false)
  const assistant = assistantName()
  const length = draft.trim().length
  const isTooLong = length > MESSAGE_MAX_CHARACTERS
  const hasContent = length > 0 || pictures.pictures.length > 0 || attached.media.length > 0
  // a question about an item must not leave without it
  const canSend = hasContent && !isTooLong && !isAttaching && files.uploads.length === 0
  const canWait = length > 0 && !isTooLong && !isAttaching && files.uploads.length > 0
  const [filling, setFilling] = useState<PromptJson | null>(null)
  const insert = (written: string) => {
    setFilling(null)
    onDraftChange(written)
    requestAnimationFrame(() => field.current?.focus())
  }
  const menu = usePromptMenu(draft, (prompt) =>
    prompt.variables.length > 0 ? setFilling(prompt) : insert(prompt.text),
  )
  const meant = menu.found?.[menu.activeIndex]
  const [caret, setCaret] = useState(0)
  const mentionMenu = useMentionMenu(draft, named ? caret : 0, (option, written) => {
    if (option.kind === 'item') attached.add([option.item])
    else named?.add([option.mention])
    onDraftChange(written.draft)
    setCaret(written.caret)
    requestAnimationFrame(() => field.current?.setSelectionRange(written.caret, written.caret))
  })
  const meantMention = mentionMenu.found[mentionMenu.activeIndex]
  useAutosize(field, draft)

  const send = () => {
    onSend()
    returnToField(field)
  }
  const onceRead = useSendOnceRead({
    draft,
    itemCount: attached.media.length,
    fileCount: files.uploads.length,
    onSend: () => canSend && onSend(),
  })
  const sendWhenPossible = () => {
    if (canSend) send()
    else if (canWait) onceRead.wait()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    sendWhenPossible()
  }
  const handleKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // While letters are being composed, Enter chooses one of them; some browsers say so by this key code only.
    const isComposing = event.nativeEvent.isComposing || event.keyCode === 229
    if (!isComposing && (menu.takeKey(event) || mentionMenu.takeKey(event))) return
    // Out of the field, where single keys are shortcuts.
    if (event.key === 'Escape' && !isComposing && !isBusy) event.currentTarget.blur()
    if (event.key !== 'Enter' || event.shiftKey || isComposing) return
    event.preventDefault()
    if (!event.repeat) sendWhenPossible()
  }

  /** Pictures are shown to the model; all else becomes an item of the memory first. */
  const take = (given: File[]) => {
    const isForMemory = ({ type }: File) => files.isOffered && !type.startsWith('image/')
    const others = given.filter(isForMemory)
    if (others.length > 0) files.add(others)
    if (others.length < given.length) pictures.add(given.filter((file) => !isForMemory(file)))
  }
  const handlePaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pasted = filesOf(event.clipboardData)
    // What is copied from a text program often comes as a picture, too: its text is meant.
    if (pasted.length === 0 || event.clipboardData.getData('text/plain') !== '') return
    event.preventDefault()
    take(pasted)
  }
  const handleDrop = (event: DragEvent) => {
    setIsDropTarget(false)
    const dropped = filesOf(event.dataTransfer)
    if (dropped.length === 0) return
    event.preventDefault()
    take(dropped)
  }
  const handleDragOver = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setIsDropTarget(true)
  }

  return (
    <form
      onSubmit={submit}
      onDragOver={handleDragOver}
      onDragLeave={() => setIsDropTarget(false)}
      onDrop={handleDrop}
      className={classNames(
        'relative flex flex-col rounded-card border bg-field transition-colors',
        'has-[textarea:focus]:border-focus has-[textarea:focus]:outline-1 has-[textarea:focus]:outline-focus',
        isTooLong ? 'border-danger' : 'border-border-strong',
        isDropTarget && 'border-focus bg-accent-soft outline-2 outline-focus',
      )}
    >
      <PromptList id="composer-prompts" menu={menu} />
      <MentionList id="composer-mentions" menu={mentionMenu} />
      {filling && <FillPromptDialog prompt={filling} onFilled={insert} onClose={() => setFilling(null)} />}
      {pictures.pictures.length > 0 && (
        <>
          <VisionNote />
          <PictureStrip pictures={pictures.pictures} onRemove={pictures.remove} onClear={pictures.clear} />
        </>
      )}
      {files.uploads.length > 0 && (
        <UploadingFiles uploads={files.uploads} isSentThen={onceRead.isWaiting} onLeave={files.leave} />
      )}
      {(attached.media.length > 0 || isAttaching) && (
        <AttachedStrip
          media={attached.media}
          isAttaching={isAttaching}
          onRemove={attached.remove}
          onClear={attached.clear}
        />
      )}
      {named && named.mentions.length > 0 && <MentionChips mentions={named.mentions} onRemove={named.remove} />}
      {length >= COUNT_FROM && (
        <p
          id="composer-count"
          role="status"
          className={classNames(
            'w-full border-b border-border px-4 py-1.5 text-12 tabular-nums',
            isTooLong ? 'font-medium text-danger-text' : 'text-muted',
          )}
        >
          {text(isTooLong ? 'composer.tooLong' : 'composer.count', {
            count: format.number(length),
            most: format.number(MESSAGE_MAX_CHARACTERS),
          })}
        </p>
      )}
      <textarea
        ref={field}
        rows={1}
        value={draft}
        aria-label={text('composer.label')}
        aria-describedby={isTooLong ? 'composer-count' : undefined}
        aria-invalid={isTooLong || undefined}
        aria-controls={meant ? 'composer-prompts' : meantMention && 'composer-mentions'}
        aria-activedescendant={meant ? promptOptionId(meant.id) : meantMention && mentionOptionId(meantMention)}
        placeholder={text(isBusy ? 'composer.busy' : 'composer.placeholder', { assistant })}
        enterKeyHint="send"
        autoComplete="off"
        onChange={(event) => {
          setCaret(event.target.selectionStart)
          onDraftChange(event.target.value)
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={handleKey}
        onPaste={handlePaste}
        className="field-sizing-content max-h-[33dvh] min-h-12 min-w-0 resize-none overflow-y-auto bg-transparent px-4 pt-3 pb-1 text-16 leading-normal outline-none sm:text-[0.9375rem]"
      />
      <div className="@container flex items-center gap-2 p-2 pt-0 max-sm:gap-0">
        <AddToMessage
          chosen={attached.media}
          onPictures={pictures.add}
          onFiles={files.isOffered ? files.add : undefined}
          onItems={attached.add}
        />
        <VoiceInput field={field} draft={draft} onDraftChange={onDraftChange} />
        {modelPicker}
        <p aria-hidden className="hidden shrink-1000 truncate pl-2 text-12 text-muted @xl:block pointer-coarse:hidden">
          {text.rich(isBusy ? 'composer.stopHint' : 'composer.sendHint', { key: (name) => <Kbd>{name}</Kbd> })}
        </p>
        <div className="ml-auto flex items-center gap-2">
          {isBusy && (
            <Button
              icon={<Square aria-hidden fill="currentColor" className="scale-75" />}
              loading={isStopping}
              onClick={(event: MouseEvent) => {
                // The second half of a double click on Send is not meant for Stop.
                if (event.detail > 1) return
                onStop()
                returnToField(field)
              }}
              onKeyDown={(event) => event.repeat && event.preventDefault()}
            >
              <span className={hasContent ? 'max-sm:sr-only' : undefined}>{text('composer.stop')}</span>
            </Button>
          )}
          {(!isBusy || hasContent) && (
            <IconButton
              type="submit"
              name={text(isBusy ? 'composer.sendLater' : 'composer.send')}
              icon={<ArrowUp aria-hidden />}
              variant="primary"
              disabled={!canSend && (!canWait || onceRead.isWaiting)}
            />
          )}
        </div>
      </div>
    </form>
  )
}

/** Where the browser cannot size a field by its content, its height is set by hand. */
function useAutosize(field: RefObject<HTMLTextAreaElement | null>, draft: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: measures again when the text changes
  useLayoutEffect(() => {
    const element = field.current
    if (!element || CSS.supports('field-sizing', 'content')) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [field, draft])
}

export type ComposerProps = {
  field: RefObject<HTMLTextAreaElement | null>
  draft: string
  pictures: ChosenPictures
  attached: ChosenMedia
  /** What is named for the message; without it, nothing can be. */
  named?: ChosenMentions
  files: FileUploads
  /** True while an item is on its way to them. */
  isAttaching: boolean
  /** Chooses what answers. */
  modelPicker?: ReactNode
  isBusy: boolean
  isStopping: boolean
  onDraftChange: (draft: string) => void
  onSend: () => void
  onStop: () => void
}
