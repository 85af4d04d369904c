import { MESSAGE_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { ArrowUp, EyeOff, Square, X } from 'lucide-react'
import {
  type FormEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useLayoutEffect,
} from 'react'
import { Link } from 'react-router-dom'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { adminPath } from '../../../lib/session/paths.ts'
import { useUser } from '../../../lib/session/session.ts'
import { useSettings } from '../../../lib/session/settings.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { isComposing } from '../../../ui/is-composing.ts'
import { Kbd } from '../../../ui/kbd.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { useChat } from '../chat-context.ts'
import { AttachedStrip } from '../messages/attached-items.tsx'
import { isSendKey } from '../messages/bubble.tsx'
import { MentionChips } from '../messages/mention-chips.tsx'
import { useCapabilities } from '../use-capabilities.ts'
import { UnsentRecordingsPanel } from '../voice/unsent-recordings-panel.tsx'
import { VoiceInput } from '../voice/voice-input.tsx'
import { AddToMessage } from './add-to-message.tsx'
import { PictureStrip } from './picture-strip.tsx'
import { useComposerMenus } from './use-composer-menus.tsx'
import { type UploadingFile, useDroppedFiles } from './use-file-uploads.ts'
import { returnToField, useSendAfterUploads } from './use-message.ts'

/** Files being uploaded to the memory, each with its progress and a button to stop waiting for it. */
export function UploadingFiles({ uploads, isSentAutomatically, onLeave }: UploadingFilesProps) {
  const text = useText('chat')
  return (
    <section aria-label={text('files.label')} className="w-full border-b border-border px-3 pt-3 pb-2 text-13">
      <ul className="flex flex-col gap-1">
        {uploads.map(({ key, name, progress }) => (
          <li key={key} className="flex min-w-0 items-center gap-2">
            <Spinner size="sm" />
            <span className="truncate">{name}</span>
            <span role="status" className="shrink-0 text-muted tabular-nums">
              {progress < 100 ? text('files.sending', { progress }) : text('files.reading')}
            </span>
            <button
              type="button"
              aria-label={text('files.leave', { name })}
              onClick={() => onLeave(key)}
              className="relative ml-auto grid size-6 shrink-0 touch-area place-items-center rounded-full transition-colors shade-on-hover"
            >
              <X aria-hidden className="size-3.5" />
            </button>
          </li>
        ))}
      </ul>
      <p role="status" className="mt-1 text-12 text-muted">
        {text(isSentAutomatically ? 'files.sentThen' : 'files.waits')}
      </p>
    </section>
  )
}

type UploadingFilesProps = {
  uploads: readonly UploadingFile[]
  /** True when the message will be sent automatically once the files have been read. */
  isSentAutomatically: boolean
  onLeave: (key: string) => void
}

/** Warns that no model can see the chosen pictures, and says what to do about it. */
function VisionNote() {
  const text = useText('chat')
  const { role } = useUser()
  const canSee = useCapabilities('vision')?.vision !== false
  return (
    <div role="status" className="w-full empty:hidden">
      {!canSee && (
        <p className="flex items-start gap-2 rounded-t-[0.6875rem] border-b border-border bg-warning-soft px-4 py-2 text-13">
          <EyeOff aria-hidden className="mt-0.5 size-4 shrink-0 text-warning-text" />
          <span>
            <span className="font-medium text-warning-text">{text('pictures.unseen')}</span>{' '}
            {text(role === 'admin' ? 'pictures.unseenAdmin' : 'pictures.unseenOthers')}{' '}
            {role === 'admin' && (
              <Link to={adminPath('settings')} className="text-accent-text underline underline-offset-2">
                {text('pictures.setUp')}
              </Link>
            )}
          </span>
        </p>
      )}
    </div>
  )
}

/** Length from which the character count is shown. */
const COUNT_FROM = MESSAGE_MAX_CHARACTERS * 0.9

/**
 * Message field: Enter sends, Shift+Enter adds a line; on phones, and where the user prefers it, Enter adds a line too.
 * While an answer is generated, a button stops it and new messages wait until it ends; while files are being read, the
 * message waits for them.
 */
export function Composer({ modelPicker, onSend, onStop }: ComposerProps) {
  const { state, viewKey, message, field } = useChat()
  const { draft, setDraft, addToDraft, pictures, attached, mentioned, files, isAttaching } = message
  const isBusy = state.activity !== 'idle'
  const text = useText('chat')
  const assistant = assistantName()
  const { enterSends } = useSettings()
  const length = draft.trim().length
  const isTooLong = length > MESSAGE_MAX_CHARACTERS
  const hasContent = length > 0 || pictures.pictures.length > 0 || attached.media.length > 0
  // A question about an item must not be sent before the item is attached.
  const canSend = hasContent && !isTooLong && !isAttaching && files.uploads.length === 0
  const canSendAfterUploads = length > 0 && !isTooLong && !isAttaching && files.uploads.length > 0
  const menus = useComposerMenus()
  useAutosize(field, draft)
  const fileTarget = useDroppedFiles({ files, pictures })

  const send = () => {
    onSend()
    returnToField(field)
  }
  const sendAfterUploads = useSendAfterUploads({
    draft,
    itemCount: attached.media.length,
    fileCount: files.uploads.length,
    onSend: () => canSend && onSend(),
  })
  const sendWhenPossible = () => {
    if (canSend) send()
    else if (canSendAfterUploads) sendAfterUploads.wait()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    sendWhenPossible()
  }
  const handleKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // While an input method composes text, Enter only confirms a candidate.
    if (isComposing(event.nativeEvent) || menus.takeKey(event)) return
    // Blurs the field, so that single-key shortcuts work again.
    if (event.key === 'Escape' && !isBusy) event.currentTarget.blur()
    if (!isSendKey(event, enterSends)) return
    event.preventDefault()
    if (!event.repeat) sendWhenPossible()
  }

  return (
    <form
      onSubmit={submit}
      {...fileTarget.dropTarget}
      className={classNames(
        'relative flex flex-col rounded-card border bg-field transition-colors',
        'has-[textarea:focus]:border-focus has-[textarea:focus]:outline-1 has-[textarea:focus]:outline-focus',
        isTooLong ? 'border-danger' : 'border-border-strong',
        fileTarget.isDropTarget && 'border-focus bg-accent-soft outline-2 outline-focus',
      )}
    >
      {menus.elements}
      {pictures.pictures.length > 0 && (
        <>
          <VisionNote />
          <PictureStrip pictures={pictures.pictures} onRemove={pictures.remove} onClear={pictures.clear} />
        </>
      )}
      <UnsentRecordingsPanel key={viewKey} field={field} onText={addToDraft} />
      {files.uploads.length > 0 && (
        <UploadingFiles
          uploads={files.uploads}
          isSentAutomatically={sendAfterUploads.isWaiting}
          onLeave={files.cancel}
        />
      )}
      {(attached.media.length > 0 || isAttaching) && (
        <AttachedStrip
          media={attached.media}
          isAttaching={isAttaching}
          onRemove={attached.remove}
          onClear={attached.clear}
        />
      )}
      {mentioned && mentioned.mentions.length > 0 && (
        <MentionChips mentions={mentioned.mentions} onRemove={mentioned.remove} />
      )}
      {length >= COUNT_FROM && <CharacterCount id="composer-count" count={length} />}
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        value={draft}
        aria-label={text('composer.label')}
        aria-describedby={isTooLong ? 'composer-count' : undefined}
        aria-invalid={isTooLong || undefined}
        {...menus.fieldProps}
        placeholder={text(isBusy ? 'composer.busy' : 'composer.placeholder', { assistant })}
        enterKeyHint={enterSends ? 'send' : 'enter'}
        autoComplete="off"
        onChange={(event) => {
          menus.setCaret(event.target.selectionStart)
          setDraft(event.target.value)
        }}
        onSelect={(event) => menus.setCaret(event.currentTarget.selectionStart)}
        onKeyDown={handleKey}
        onPaste={fileTarget.handlePaste}
        className="field-sizing-content max-h-[33dvh] min-h-12 min-w-0 resize-none overflow-y-auto bg-transparent px-4 pt-3 pb-1 text-16 leading-normal outline-none sm:text-[0.9375rem]"
      />
      <div className="@container flex items-center gap-2 p-2 pt-0 max-sm:gap-0">
        <AddToMessage
          attached={attached.media}
          onPictures={pictures.add}
          onFiles={files.isAvailable ? files.add : undefined}
          onItems={attached.add}
        />
        <VoiceInput key={viewKey} field={field} onText={addToDraft} />
        {modelPicker}
        <p aria-hidden className="hidden shrink-1000 truncate pl-2 text-12 text-muted @xl:block pointer-coarse:hidden">
          {text.rich(isBusy ? 'composer.stopHint' : enterSends ? 'composer.sendHint' : 'composer.enterHint', {
            key: (name) => <Kbd>{name}</Kbd>,
          })}
        </p>
        <div className="ml-auto flex items-center gap-2">
          {isBusy && (
            <StopButton
              isStopping={state.isStopping}
              showsLabel={!hasContent}
              onStop={() => {
                onStop()
                returnToField(field)
              }}
            />
          )}
          {(!isBusy || hasContent) && (
            <IconButton
              type="submit"
              name={text(isBusy ? 'composer.sendLater' : 'composer.send')}
              icon={<ArrowUp aria-hidden />}
              variant="primary"
              disabled={!canSend && (!canSendAfterUploads || sendAfterUploads.isWaiting)}
            />
          )}
        </div>
      </div>
    </form>
  )
}

/** Number of characters used, of the maximum. */
function CharacterCount({ id, count }: { id: string; count: number }) {
  const text = useText('chat')
  const format = useFormat()
  const isTooLong = count > MESSAGE_MAX_CHARACTERS
  return (
    <p
      id={id}
      role="status"
      className={classNames(
        'w-full border-b border-border px-4 py-1.5 text-12 tabular-nums',
        isTooLong ? 'font-medium text-danger-text' : 'text-muted',
      )}
    >
      {text(isTooLong ? 'composer.tooLong' : 'composer.count', {
        count: format.number(count),
        max: format.number(MESSAGE_MAX_CHARACTERS),
      })}
    </p>
  )
}

/** Stops the answer being generated. On a phone, the label can be hidden where there's no room for it. */
function StopButton({
  isStopping,
  showsLabel,
  onStop,
}: {
  isStopping: boolean
  showsLabel: boolean
  onStop: () => void
}) {
  const text = useText('chat')
  return (
    <Button
      icon={<Square aria-hidden fill="currentColor" className="scale-75" />}
      loading={isStopping}
      onClick={(event: MouseEvent) => {
        // The second click of a double-click on Send isn't meant for Stop.
        if (event.detail <= 1) onStop()
      }}
      onKeyDown={(event) => event.repeat && event.preventDefault()}
    >
      <span className={showsLabel ? undefined : 'max-sm:sr-only'}>{text('composer.stop')}</span>
    </Button>
  )
}

/** Sets the field's height in browsers without `field-sizing: content`. */
function useAutosize(field: RefObject<HTMLTextAreaElement | null>, draft: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: measures again when the text changes
  useLayoutEffect(() => {
    const element = field.current
    if (!element || CSS.supports('field-sizing', 'content')) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [field, draft])
}

type ComposerProps = {
  /** Controls that choose the model and its tools. */
  modelPicker?: ReactNode
  onSend: () => void
  onStop: () => void
}
