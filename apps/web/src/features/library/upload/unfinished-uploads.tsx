import { useMutation, useQuery } from '@tanstack/react-query'
import { Play, Trash2 } from 'lucide-react'
import { useEffect } from 'react'
import { call } from '../../../lib/api/client.ts'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useStore } from '../../../lib/loading/store.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { type FileHandle, readHandle } from './kept-handles.ts'
import type { QueueEntry } from './queue-entry.ts'
import { discardUpload, keptHandles, partialUploadsKey, uploads } from './uploads.ts'

/** Unfinished uploads of large files, started in this tab or elsewhere, with buttons to continue or discard them. */
export function UnfinishedUploads({ entries }: { entries: readonly QueueEntry[] }) {
  const text = useText('upload')
  const format = useFormat()
  const run = useStore(uploads.run)
  const isIdle = run === null
  const { data = [], refetch } = useQuery({
    queryKey: partialUploadsKey,
    queryFn: async ({ signal }) => {
      // uploads for imports are resumed on the imports page
      const partialUploads = (await call('GET /media/uploads', { signal }).then(({ uploads }) => uploads)).filter(
        ({ import_source }) => import_source === null,
      )
      return Promise.all(
        partialUploads.map(async (upload) => ({ ...upload, handle: await keptHandles.find(upload.id) })),
      )
    },
    refetchOnMount: 'always',
  })
  const discard = useMutation({
    mutationFn: discardUpload,
    onSettled: () => refetch(),
  })
  const resume = useMutation({
    mutationFn: async ({ id, handle, size_bytes }: { id: string; handle: FileHandle; size_bytes: number }) => {
      const file = await readHandle(handle, { mayAsk: true }).catch((error: unknown) => {
        console.warn('Failed to read the file of an upload', error)
        return undefined
      })
      if (file === null) return
      if (file === undefined || file.size !== size_bytes) {
        await keptHandles.forget(id)
        showToast({ tone: 'danger', title: text('unfinished.moved') })
        await refetch()
      } else void uploads.resume(file)
    },
  })
  useEffect(() => {
    if (isIdle) void refetch()
  }, [isIdle, refetch])

  const unfinished = data.filter((upload) => !entries.some((entry) => isSameUpload(entry, upload)))
  if (unfinished.length === 0) return null
  return (
    <Banner tone="info" title={text('unfinished.title', { count: unfinished.length })} className="mt-4">
      <p className="text-muted">
        {text(unfinished.every(({ handle }) => handle !== null) ? 'unfinished.kept' : 'unfinished.explanation')}
      </p>
      <ul className="mt-2 flex flex-col gap-2">
        {unfinished.map(({ id, original_filename: name, offset_bytes, size_bytes, handle }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
            <span className="min-w-0 flex-1 basis-40">
              <span className="block font-medium break-all">{name}</span>
              <span className="block text-muted tabular-nums">
                {text('unfinished.file', {
                  percent: format.percent(Math.floor((offset_bytes / size_bytes) * 100), 0),
                  size: format.bytes(size_bytes),
                })}
              </span>
            </span>
            {handle !== null && (
              <Button
                size="sm"
                variant="primary"
                icon={<Play aria-hidden />}
                aria-label={text('unfinished.goOnNamed', { name })}
                disabled={resume.isPending}
                onClick={() => resume.mutate({ id, handle, size_bytes })}
              >
                {text('unfinished.goOn')}
              </Button>
            )}
            <Button
              size="sm"
              icon={<Trash2 aria-hidden />}
              aria-label={text('unfinished.discardNamed', { name })}
              disabled={discard.isPending}
              onClick={() => discard.mutate(id)}
            >
              {text('unfinished.discard')}
            </Button>
          </li>
        ))}
      </ul>
    </Banner>
  )
}

/** True when an entry of the queue already stands for this upload and will resume it. */
function isSameUpload(
  { file, partialId }: QueueEntry,
  upload: { id: string; original_filename: string; size_bytes: number },
) {
  return partialId === upload.id || (file.name === upload.original_filename && file.size === upload.size_bytes)
}
