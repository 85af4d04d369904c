import { cutText } from '@mira/shared/constants/cut-text'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import { call } from '../../../lib/api/client.ts'
import { savePage } from '../../../lib/api/library.ts'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { useFormat } from '../../../lib/format/format.ts'
import { titleOf } from '../../../lib/format/note-text.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { newNotePath, paths } from '../../../lib/session/paths.ts'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { SHARED_CACHE, uploads } from './uploads.ts'

/** Text shared by another app, as in the Web Share Target API. */
interface SharedWords {
  title: string
  text: string
  url: string
}

/** Content to save from a shared text: the page behind a link, or a note for everything else. */
type PageOrNote = { kind: 'page'; url: string } | { kind: 'note'; title: string; text: string }

/** A page if only a link was shared, as `url` or as the text; a note if there's more text; null if there's none. */
export function pageOrNoteOf({ title, text, url }: SharedWords): PageOrNote | null {
  const words = text.trim()
  const link = [url.trim(), words].find(isLink)
  // some apps put the title before the link in the text
  const linkInText = link === undefined ? words.split(/\s+/).find(isLink) : undefined
  const rest = linkInText === undefined ? words : words.replace(linkInText, '').trim()
  if (link !== undefined && (words === '' || words === link || words === title.trim()))
    return { kind: 'page', url: link }
  if (linkInText !== undefined && (rest === '' || rest === title.trim())) return { kind: 'page', url: linkInText }
  const body = [words, words.includes(url.trim()) ? '' : url.trim()].filter((part) => part !== '').join('\n\n')
  if (body === '' && title.trim() === '') return null
  return { kind: 'note', title: title.trim(), text: body === '' ? title.trim() : body }
}

function isLink(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)
}

/** Must match `public/worker.js`. */
const SHARED_WORDS_FILE = 'mira.shared-words'
/** Older entries are dropped, as they may be from an earlier user of this browser. */
const MAX_AGE_MS = 3_600_000

/** An entry of the service worker's cache and the request it's stored under. */
interface CachedEntry<Content> {
  request: Request
  content: Content
}

/** Files and texts that other apps or websites sent to `/share`, not saved yet. */
interface SharedDelivery {
  files: CachedEntry<File>[]
  words: CachedEntry<SharedWords>[]
}

/** Reads the entries of the service worker's cache, oldest first; null when there are none. */
async function readShared(): Promise<SharedDelivery | null> {
  if (!('caches' in window) || !(await caches.has(SHARED_CACHE))) return null
  const cache = await caches.open(SHARED_CACHE)
  const requests = await cache.keys()
  const entries = await Promise.all(
    requests.map(async (request) => {
      const response = await cache.match(request)
      const sharedAtMs = Number(response?.headers.get('x-shared-at'))
      if (!response || sharedAtMs < Date.now() - MAX_AGE_MS) {
        await cache.delete(request)
        return []
      }
      const name = decodeURIComponent(response.headers.get('x-name') ?? 'shared')
      const type = response.headers.get('content-type') ?? ''
      return [{ sharedAtMs, request, content: new File([await response.blob()], name, { type }) }]
    }),
  )
  const sharedEntries = entries.flat().sort((one, other) => one.sharedAtMs - other.sharedAtMs)
  if (sharedEntries.length === 0) return null
  const words = sharedEntries.filter(({ content }) => content.name === SHARED_WORDS_FILE)
  return {
    files: sharedEntries.filter(({ content }) => content.name !== SHARED_WORDS_FILE),
    words: await Promise.all(
      words.map(async ({ request, content }) => ({
        request,
        content: JSON.parse(await content.text()) as SharedWords,
      })),
    ),
  }
}

/** Removes exactly these entries from the browser; entries that arrived later stay. */
async function removeShared(sharedEntries: readonly CachedEntry<unknown>[]): Promise<void> {
  try {
    const cache = await caches.open(SHARED_CACHE)
    await Promise.all(sharedEntries.map(({ request }) => cache.delete(request)))
  } catch (error) {
    console.error('Shared files could not be removed', error)
  }
}

/** Saves a shared text: a link as a page, everything else as a note. Resolves to false on failure. */
function useSaveSharedWords(): (words: CachedEntry<SharedWords>) => Promise<boolean> {
  const text = useText('upload')
  const errorText = useErrorText()
  const navigate = useNavigate()
  const queryClient = useQueryClient()

  return async (words) => {
    const pageOrNote = pageOrNoteOf(words.content)
    if (pageOrNote === null) return true
    try {
      const item =
        pageOrNote.kind === 'page'
          ? (await savePage(pageOrNote.url)).item
          : await call('POST /notes', {
              json: { title: pageOrNote.title || titleOf(pageOrNote.text), text: pageOrNote.text },
            })
      await queryClient.invalidateQueries({ queryKey: ['gallery'] })
      showToast({
        tone: 'success',
        title: text(pageOrNote.kind === 'page' ? 'shared.page' : 'shared.note'),
        description: item.metadata.source?.title ?? item.metadata.original_filename,
        action: { label: text('entry.open'), onSelect: () => void navigate(`${paths.gallery}/${item.id}`) },
      })
      return true
    } catch (error) {
      console.error('Failed to save shared content', error)
      const content = pageOrNote.kind === 'page' ? pageOrNote.url : pageOrNote.text
      showToast({
        tone: 'danger',
        title: text('shared.failed'),
        description: errorText(error),
        action: {
          label: text('note'),
          onSelect: () => {
            void removeShared([words])
            void navigate(newNotePath, { state: { text: content } })
          },
        },
      })
      return false
    }
  }
}

/** Longer lists end with the number of entries left out. */
const MAX_LISTED = 20
const MAX_PREVIEW_CHARACTERS = 300

/**
 * Asks whether to save what was sent to `/share`. Any website can post there on behalf of the signed-in user, so nothing is
 * saved or sent before a click here.
 */
export function SharedPanel({ onAddFiles }: { onAddFiles: (files: readonly File[]) => void }) {
  const text = useText('upload')
  const format = useFormat()
  const saveWords = useSaveSharedWords()
  const [delivery, setDelivery] = useState<SharedDelivery | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  useSharedDelivery(setDelivery)
  if (delivery === null) return null

  const { files, words } = delivery
  const discard = async () => {
    setIsBusy(true)
    await removeShared([...files, ...words])
    setDelivery(null)
  }
  const save = async () => {
    setIsBusy(true)
    onAddFiles(files.map(({ content }) => content))
    if (files.length > 0) void uploads.uploadAll()
    const areSaved = await Promise.all(words.map(saveWords))
    const failed = words.filter((_, index) => !areSaved[index])
    await removeShared([...files, ...words.filter((_, index) => areSaved[index])])
    setDelivery(failed.length === 0 ? null : { files: [], words: failed })
    setIsBusy(false)
  }
  const things = [
    ...files.map(({ content: { name, size } }) => ({ title: name, detail: format.bytes(size) })),
    ...words.flatMap(({ content }) => {
      const pageOrNote = pageOrNoteOf(content)
      if (pageOrNote === null) return []
      if (pageOrNote.kind === 'page') return [{ title: pageOrNote.url, detail: content.title }]
      return [{ title: pageOrNote.title, detail: pageOrNote.text === pageOrNote.title ? '' : pageOrNote.text }]
    }),
  ]
  return (
    <Card className="mb-4 border-accent" role="group" aria-labelledby="shared-title">
      <CardHeader
        title={<span id="shared-title">{text('shared.title', { assistant: assistantName() })}</span>}
        description={text('shared.question')}
      />
      <ul className="flex flex-col gap-2">
        {things.slice(0, MAX_LISTED).map(({ title, detail }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines have no state, and names may repeat
          <li key={index} className="min-w-0 text-14">
            <span className="block font-medium break-all">{cutText(title, MAX_PREVIEW_CHARACTERS)}</span>
            {detail !== '' && (
              <span className="line-clamp-3 text-13 wrap-anywhere text-muted">
                {cutText(detail, MAX_PREVIEW_CHARACTERS)}
              </span>
            )}
          </li>
        ))}
        {things.length > MAX_LISTED && (
          <li className="text-14 text-muted">{text('rejections.more', { count: things.length - MAX_LISTED })}</li>
        )}
      </ul>
      <div className="mt-4 flex flex-wrap gap-2">
        <Button variant="primary" loading={isBusy} onClick={() => void save()}>
          {text('shared.save')}
        </Button>
        <Button disabled={isBusy} onClick={() => void discard()}>
          {text('unfinished.discard')}
        </Button>
      </div>
    </Card>
  )
}

/** Reads shared files and texts when the screen opens, and reports failures of the service worker. */
function useSharedDelivery(onRead: (delivery: SharedDelivery | null) => void): void {
  const text = useText('upload')
  const [parameters, setParameters] = useSearchParams()
  const failure = parameters.get('shared')
  const read = useEffectEvent(async () => {
    try {
      onRead(await readShared())
      // `failed`: no space left in this browser; `too-early`: no service worker yet
      if (failure) throw new Error(failure)
    } catch (error) {
      console.error('Shared files could not be read', error)
      showToast({ tone: 'danger', title: text(failure === 'too-early' ? 'shared.tooEarly' : 'shared.failed') })
    }
    if (failure !== null) setParameters({}, { replace: true })
  })
  useEffect(() => void read(), [])
}
