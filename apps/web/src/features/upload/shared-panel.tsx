import { useEffect, useEffectEvent, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { assistantName } from '../../lib/page-meta.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { readShared, type SharedDelivery } from './shared-files.ts'
import { thingOf } from './shared-words.ts'
import { uploads } from './uploads.ts'
import { useSharedWords } from './use-shared-words.ts'

/** Longer lists end in the number of the others. */
const MAX_LISTED = 20
const MAX_PREVIEW_CHARACTERS = 300

/**
 * Asks whether to save what was sent to `/share`. Any website can post there in the name of whoever is signed in, so nothing of it is
 * saved or sent before a click here.
 */
export function SharedPanel({ onAddFiles }: { onAddFiles: (files: readonly File[]) => void }) {
  const text = useText('upload')
  const format = useFormat()
  const keepWords = useSharedWords()
  const [delivery, setDelivery] = useState<SharedDelivery | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  useReadOnce(setDelivery)
  if (delivery === null) return null

  const finish = async (saveWords: boolean) => {
    setIsBusy(true)
    if (saveWords) await Promise.all(delivery.words.map(keepWords))
    await delivery.remove().catch((error: unknown) => console.error('Shared files could not be removed', error))
    setDelivery(null)
    setIsBusy(false)
  }
  const save = () => {
    onAddFiles(delivery.files)
    if (delivery.files.length > 0) void uploads.uploadAll()
    void finish(true)
  }
  const things = [
    ...delivery.files.map(({ name, size }) => ({ title: name, detail: format.bytes(size) })),
    ...delivery.words.flatMap((words) => {
      const thing = thingOf(words)
      if (thing === null) return []
      if (thing.kind === 'page') return [{ title: thing.url, detail: words.title }]
      return [{ title: thing.title, detail: thing.text === thing.title ? '' : thing.text }]
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
          // biome-ignore lint/suspicious/noArrayIndexKey: the list doesn't change, and names may repeat
          <li key={index} className="min-w-0 text-14">
            <span className="block font-medium break-all">{title.slice(0, MAX_PREVIEW_CHARACTERS)}</span>
            {detail !== '' && (
              <span className="line-clamp-3 text-13 wrap-anywhere text-muted">
                {detail.slice(0, MAX_PREVIEW_CHARACTERS)}
              </span>
            )}
          </li>
        ))}
        {things.length > MAX_LISTED && (
          <li className="text-14 text-muted">{text('rejections.more', { count: things.length - MAX_LISTED })}</li>
        )}
      </ul>
      <div className="mt-4 flex flex-wrap gap-2">
        <Button variant="primary" loading={isBusy} onClick={save}>
          {text('shared.save')}
        </Button>
        <Button disabled={isBusy} onClick={() => void finish(false)}>
          {text('unfinished.discard')}
        </Button>
      </div>
    </Card>
  )
}

/** Reads what waits when the screen opens, and says so when the service worker could not take it. */
function useReadOnce(onRead: (delivery: SharedDelivery | null) => void): void {
  const text = useText('upload')
  const [parameters, setParameters] = useSearchParams()
  const failure = parameters.get('shared')
  const read = useEffectEvent(async () => {
    try {
      onRead(await readShared())
      // `failed`: no room in this browser; `too-early`: no service worker yet
      if (failure) throw new Error(failure)
    } catch (error) {
      console.error('Shared files could not be read', error)
      showToast({ tone: 'danger', title: text(failure === 'too-early' ? 'shared.tooEarly' : 'shared.failed') })
    }
    if (failure !== null) setParameters({}, { replace: true })
  })
  useEffect(() => void read(), [])
}
